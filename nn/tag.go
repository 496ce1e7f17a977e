package nn

// Tag identifies an answer of an [Evaluator]: for positions with equal legal
// moves, equal tags mean equal answers, bit for bit.
type Tag struct {
	Key    Key    // of the input
	Source uint64 // what else decides the answer: model, symmetry and options
}

// Symmetry returns the symmetry, in 0..count-1, under which the position with the given
// key is encoded: a hash of seed and key.
func Symmetry(seed uint64, key Key, count int) int {
	if count <= 1 {
		return 0
	}
	h := chain(chain(chain(0x73796d, seed), key[0]), key[1])
	return int(h >> 32 * uint64(count) >> 32)
}

// mix64 is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014): a bijection whose output bits all
// depend on all input bits.
func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// chain folds x into the hash h; the order of the folds matters.
func chain(h, x uint64) uint64 {
	return mix64(h + 0x9e3779b97f4a7c15 ^ mix64(x+0x9e3779b97f4a7c15))
}
