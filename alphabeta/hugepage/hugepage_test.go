package hugepage

import "testing"

// TestAdviseKeepsContent asks for slices below, at and above whole large pages, at starts
// that are not on a page's boundary: what they hold stays, and stays writable.
func TestAdviseKeepsContent(t *testing.T) {
	for _, n := range []int{0, 1, size - 1, size, size + 1, 3*size + 4097} {
		all := make([]byte, n+3)
		for i := range all {
			all[i] = byte(i % 251)
		}
		Advise(all[3:])
		for i := range all {
			if all[i] != byte(i%251) {
				t.Fatalf("%d bytes: byte %d is %d, want %d", n, i, all[i], i%251)
			}
			all[i] = 1
		}
	}
	Advise([]struct{}{{}, {}})
	Advise([]uint64(nil))
}

// TestAdviseWantsWholePages holds the part that is asked for against its definition: the
// whole large pages within the slice, by their addresses.
func TestAdviseWantsWholePages(t *testing.T) {
	for _, c := range []struct{ base, bytes, from, to uintptr }{
		{0, size, 0, size},
		{0, size - 1, 0, 0},
		{1, size, 0, 0},
		{1, 2*size - 1, size - 1, 2*size - 1},
		{size - 1, 3 * size, 1, 1 + 2*size},
		{5 * size, 7*size + 12, 0, 7 * size},
	} {
		if from, to := whole(c.base, c.bytes); from != c.from || to != c.to {
			t.Errorf("%d bytes at %d: %d to %d, want %d to %d", c.bytes, c.base, from, to, c.from, c.to)
		}
	}
}
