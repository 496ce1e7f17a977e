package nn

import "math"

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

// Tag implements [Tagger]. The symmetry is the lowest byte.
func (b *Batcher) Tag(key Key) uint64 {
	return chain(b.net.ID(), b.temp)&^0xff | uint64(b.symmetry(key))
}

func (b *Batcher) symmetry(key Key) int {
	return Symmetry(b.opts.Symmetry, b.opts.Seed, key, b.enc.Symmetries())
}

func temperatureTag(t float32) uint64 { return uint64(math.Float32bits(t)) }
