package alphabeta

import (
	"math"
	"testing"
)

func TestQuietMoves(t *testing.T) {
	for depth, n := range quietMoves {
		if want := 3 + int(math.Pow(float64(depth), 1.4)); n != want {
			t.Errorf("%d moves at depth %d, want %d", n, depth, want)
		}
	}
}

func TestReductionsGrow(t *testing.T) {
	r, none := newReductions(100), newReductions(Off)
	for depth := 1; depth < 63; depth++ {
		for count := 1; count < 63; count++ {
			if r[depth+1][count] < r[depth][count] || r[depth][count+1] < r[depth][count] {
				t.Fatalf("they shrink at depth %d, count %d", depth, count)
			}
			if none[depth][count] != 0 {
				t.Fatal("they are off and reduce")
			}
		}
	}
}
