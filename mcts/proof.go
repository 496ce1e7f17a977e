package mcts

// Proof is the proven result of a position for its side to move.
type Proof uint8

// The proofs. Unknown is the zero value.
const (
	Unknown Proof = iota
	Win
	Draw
	Loss
)

// String returns "unknown", "win", "draw" or "loss".
func (p Proof) String() string {
	switch p {
	case Win:
		return "win"
	case Draw:
		return "draw"
	case Loss:
		return "loss"
	}
	return "unknown"
}

// Flip returns p as the other side sees it.
func (p Proof) Flip() Proof {
	switch p {
	case Win:
		return Loss
	case Loss:
		return Win
	}
	return p
}

// Value returns 1 for a win, -1 for a loss, and 0 for a draw or Unknown.
func (p Proof) Value() float32 {
	switch p {
	case Win:
		return 1
	case Loss:
		return -1
	}
	return 0
}
