package nn

// SymmetryMode says under which symmetry a position is shown to the network.
type SymmetryMode uint8

const (
	// SymmetryRandom draws one symmetry per position, a hash of the seed and
	// the position's key.
	SymmetryRandom SymmetryMode = iota
	// SymmetryIdentity shows every position as it is.
	SymmetryIdentity
)

// String returns "random" or "identity".
func (m SymmetryMode) String() string {
	if m == SymmetryIdentity {
		return "identity"
	}
	return "random"
}

// Symmetry returns the symmetry, in 0..count-1, under which mode and seed
// show the position with the given key. The same arguments always give the
// same answer.
func Symmetry(mode SymmetryMode, seed uint64, key Key, count int) int {
	if mode == SymmetryIdentity || count <= 1 {
		return 0
	}
	h := chain(chain(chain(0x73796d, seed), key[0]), key[1])
	return int(h >> 32 * uint64(count) >> 32)
}
