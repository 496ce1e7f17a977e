package nn

// Symmetry returns the symmetry, in 0..count-1, under which the position with the given
// key is encoded: a hash of seed and key.
func Symmetry(seed uint64, key Key, count int) int {
	if count <= 1 {
		return 0
	}
	h := chain(chain(chain(0x73796d, seed), key[0]), key[1])
	return int(h >> 32 * uint64(count) >> 32)
}
