package game

import "fmt"

// Result is how a game ends for the side to move.
type Result uint8

// The results. Unproven is the zero value: the end is not known.
const (
	Unproven Result = iota
	Won
	Drawn
	Lost
)

var results = [...]string{"unknown", "win", "draw", "loss"}

// String returns "unknown", "win", "draw" or "loss".
func (r Result) String() string { return results[r] }

// MarshalText implements [encoding.TextMarshaler].
func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]: it reads what String returns.
func (r *Result) UnmarshalText(text []byte) error {
	for i, name := range results {
		if name == string(text) {
			*r = Result(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no result: want win, draw, loss or unknown", text)
}

// Flip returns r as the other side sees it.
func (r Result) Flip() Result {
	switch r {
	case Won:
		return Lost
	case Lost:
		return Won
	}
	return r
}

// Value returns 1 for a win, -1 for a loss, and 0 for a draw or an unknown result.
func (r Result) Value() float32 {
	switch r {
	case Won:
		return 1
	case Lost:
		return -1
	}
	return 0
}

// Proof is the known result of a position. The zero value means that none is known.
type Proof struct {
	Result Result `json:"result"` // for the side to move in the position
	// from the position to the end of the game; 0 for a draw by a game without end
	Plies   int  `json:"plies"`
	Claimed bool `json:"claimed,omitempty"` // not proven: a search says so, and may have overlooked a defence
}

// String returns "win in 5" or "draw", and "" if nothing is known.
func (p Proof) String() string {
	switch {
	case p.Result == Unproven:
		return ""
	case p.Result == Drawn && p.Plies == 0:
		return "draw"
	}
	return fmt.Sprintf("%v in %d", p.Result, p.Plies)
}

// Signed returns the plies to a win, negative those to a loss, and 0 for anything else.
func (p Proof) Signed() int {
	switch p.Result {
	case Won:
		return max(1, p.Plies)
	case Lost:
		return -max(1, p.Plies)
	}
	return 0
}

// Before returns the proof as the other side sees it in the position one ply earlier, if it
// makes the move that leads here.
func (p Proof) Before() Proof {
	if p.Result == Unproven || p.Result == Drawn && p.Plies == 0 {
		return p
	}
	p.Result, p.Plies = p.Result.Flip(), p.Plies+1
	return p
}

// Winner returns the outcome that a result for a side comes to.
func (r Result) Winner(side Side) Outcome {
	switch r {
	case Won:
		return WinFor(side)
	case Lost:
		return WinFor(side.Other())
	case Drawn:
		return Draw
	}
	return Undecided
}

// For returns the result that the outcome means to a side.
func (o Outcome) For(side Side) Result {
	switch o {
	case Undecided:
		return Unproven
	case Draw:
		return Drawn
	case WinFor(side):
		return Won
	}
	return Lost
}
