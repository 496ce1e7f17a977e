package nn

// Tag identifies an answer of an [Evaluator]: for positions with equal legal
// moves, equal tags mean equal answers, bit for bit.
type Tag struct {
	Key    Key    // of the input
	Source uint64 // what else decides the answer: model, symmetry and options
}
