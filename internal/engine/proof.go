package engine

import "fmt"

// Result is how a game ends for the side to move.
type Result uint8

// The results.
const (
	Unknown Result = iota
	Win
	Draw
	Loss
)

// String returns "unknown", "win", "draw" or "loss".
func (r Result) String() string {
	return [...]string{"unknown", "win", "draw", "loss"}[r]
}

// Proof is a known result of a position. The zero value means unknown.
// Distances are plies from the position in question to the end of the game.
type Proof struct {
	Result  Result // for the side to move in the position in question
	Plies   int    // 0 for a draw by a game without end
	Claimed bool   // a search claims it but may have overlooked a defence; not proven
}

// String returns "win in 5", and "" if nothing is known.
func (p Proof) String() string {
	switch {
	case p.Result == Unknown:
		return ""
	case p.Result == Draw && p.Plies == 0:
		return "draw"
	}
	return fmt.Sprintf("%v in %d", p.Result, p.Plies)
}

// Signed returns the plies to a win, negative those to a loss, and 0 for
// anything else.
func (p Proof) Signed() int {
	switch p.Result {
	case Win:
		return max(1, p.Plies)
	case Loss:
		return -max(1, p.Plies)
	}
	return 0
}

// Before returns the proof as the other side sees it in the position one ply
// earlier, if it makes the move that leads here.
func (p Proof) Before() Proof {
	if p.Result == Unknown || p.Result == Draw && p.Plies == 0 {
		return p
	}
	p.Plies++
	switch p.Result {
	case Win:
		p.Result = Loss
	case Loss:
		p.Result = Win
	}
	return p
}
