package nn

// Tagger is an [Evaluator] whose answers can be cached.
type Tagger interface {
	Evaluator

	// Tag identifies what, besides the position with the given key, decides
	// the answer: the model, the symmetry and every option. Equal keys with
	// equal tags mean equal answers, bit for bit. While the tag of a key stays
	// the same from Add to the end of Run, so does what computes it.
	Tag(key Key) uint64

	// Stats returns what was counted so far.
	Stats() Stats
}
