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
