package mcts

import "math"

// state holds one of two things. In an open node it is the sum of the squares of the
// values backed up there, as the bits of a non-negative float32. In a proven node the
// sign bit is set, bits 16 and 17 are the proof, and the 16 below its plies.
type state uint32

const (
	stateProven = 1 << 31
	proofShift  = 16
	pliesMask   = 1<<proofShift - 1
)

// proof returns what is known for certain of nd, for its side to move.
func (nd *node) proof() Proof {
	if nd.state < stateProven {
		return Unknown
	}
	return Proof(nd.state >> proofShift & 3)
}

// plies returns the plies to the end of the game by the proof, 0 without one.
func (nd *node) plies() int {
	if nd.state < stateProven {
		return 0
	}
	return int(nd.state & pliesMask)
}

// setProof gives nd a proof, which is not Unknown.
func (nd *node) setProof(p Proof, plies int) {
	nd.state = stateProven | state(p)<<proofShift | state(min(plies, pliesMask))
}

// reopen withdraws nd's proof and sets the sum of squares of an open node.
func (nd *node) reopen(squares float32) { nd.state = state(math.Float32bits(squares)) }

// squares returns the sum of the squares of the values backed up at nd.
func (nd *node) squares() float32 {
	if nd.proof() != Unknown {
		v := nd.proof().Value()
		return float32(nd.visits) * float32(v*v)
	}
	return math.Float32frombits(uint32(nd.state))
}

// addSquare adds the square of a value to the sum of an open node.
func (nd *node) addSquare(v float32) {
	nd.state = state(math.Float32bits(math.Float32frombits(uint32(nd.state)) + v))
}

// The prior of the standard deviation: a usual value, and its weight in visits.
const (
	usualDeviation  = 0.4
	deviationWeight = 2
)

// standardError returns the standard error of a node's mean, 0 if the node is proven or
// has no visits.
func (nd *node) standardError() float32 {
	if nd.proof() != Unknown || nd.visits == 0 {
		return 0
	}
	return float32(nd.deviation() / math.Sqrt(float64(nd.visits)))
}

// deviation returns the standard deviation of the values backed up at an open node,
// with the prior included.
func (nd *node) deviation() float64 {
	n, mean := float64(nd.visits), float64(nd.mean())
	squares := float64(math.Float32frombits(uint32(nd.state)))
	sum := max(0, squares-float64(n*float64(mean*mean)))
	return math.Sqrt((sum + deviationWeight*usualDeviation*usualDeviation) / (n + deviationWeight))
}
