package alphabeta

import "testing"

// TestAdviseKeepsContent asks for slices below, at and above whole large pages, at starts
// that are not on a page's boundary: what they hold stays, and stays writable.
func TestAdviseKeepsContent(t *testing.T) {
	for _, n := range []int{0, 1, largePage - 1, largePage, largePage + 1, 3*largePage + 4097} {
		all := make([]byte, n+3)
		for i := range all {
			all[i] = byte(i % 251)
		}
		adviseLargePages(all[3:])
		for i := range all {
			if all[i] != byte(i%251) {
				t.Fatalf("%d bytes: byte %d is %d, want %d", n, i, all[i], i%251)
			}
			all[i] = 1
		}
	}
	adviseLargePages([]struct{}{{}, {}})
	adviseLargePages([]uint64(nil))
}

// TestAdviseWantsWholePages holds the part that is asked for against its definition: the
// whole large pages within the slice, by their addresses.
func TestAdviseWantsWholePages(t *testing.T) {
	for _, c := range []struct{ base, bytes, from, to uintptr }{
		{0, largePage, 0, largePage},
		{0, largePage - 1, 0, 0},
		{1, largePage, 0, 0},
		{1, 2*largePage - 1, largePage - 1, 2*largePage - 1},
		{largePage - 1, 3 * largePage, 1, 1 + 2*largePage},
		{5 * largePage, 7*largePage + 12, 0, 7 * largePage},
	} {
		if from, to := wholePages(c.base, c.bytes); from != c.from || to != c.to {
			t.Errorf("%d bytes at %d: %d to %d, want %d to %d", c.bytes, c.base, from, to, c.from, c.to)
		}
	}
}
