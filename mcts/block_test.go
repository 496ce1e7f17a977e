package mcts

import "testing"

func TestBlocks(t *testing.T) {
	sizes := 1
	for n := 1; n <= 1000; n++ {
		nd := node{n: 2000, nKids: uint16(n)}
		size := room(&nd)
		if size < n || 8*(size-n) >= n && n > 1 {
			t.Errorf("a block of %d for %d records", size, n)
		}
		if blockFull(n) != (size == n) {
			t.Errorf("%d records in a block of %d: filled is %v", n, size, blockFull(n))
		}
		if n > 1 && blockFull(n-1) {
			sizes++
			if got := n - 1 + blockStep(n-1); got != size {
				t.Errorf("%d records move to a block of %d, want %d", n, got, size)
			}
		}
	}
	if sizes > 70 {
		t.Errorf("%d sizes up to 1000", sizes)
	}
	if nd := (node{n: 17, nKids: 17}); room(&nd) != 17 {
		t.Errorf("a block of %d for all of 17 edges", room(&nd))
	}
}
