package line

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game/gomoku"
)

// wide turns what the network computes into the twin's numbers.
func wide(values []int32) []int {
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(v)
	}
	return out
}

// sizes are those that tests draw from.
var sizes = []int{5, 7, 9, 15, 19, 22}

// What is kept up to date over plays and takebacks is what the definition says,
// by every set of kernels, under every rule set.
func TestKeptUpToDateByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	networks := []*Network{randomNetwork(1, 16), randomNetwork(2, 32)}
	for round, rule := range gomoku.Names() {
		for i, size := range sizes {
			n := networks[(round+i)%2]
			b := randomBoard(r, rule, size, r.IntN(size*size))
			for name, k := range allKernels() {
				a := NewAccumulator(n, b)
				a.does = k
				for range 3 {
					for range r.IntN(4) {
						if b.Ply() > 0 {
							b.Undo()
						}
					}
					for range r.IntN(4) {
						step(r, b)
					}
					compare(t, name, a, newTwin(n, b.Board()))
				}
			}
		}
	}
}

func compare(t *testing.T, name string, a *Accumulator, w *twin) {
	t.Helper()
	value := a.Value()
	if got, want := wide(value[:]), w.value(); !slices.Equal(got, want) {
		t.Fatalf("%s, %s %dx%d after %d plies: value %v, want %v", name, w.board.Rules().Name, a.size, a.size, w.board.Ply(), got, want)
	}
	logits := make([]int32, a.cells)
	a.Policy(logits)
	if got, want := wide(logits), w.policy(); !slices.Equal(got, want) {
		t.Fatalf("%s, %s %dx%d after %d plies: policy %v, want %v", name, w.board.Rules().Name, a.size, a.size, w.board.Ply(), got, want)
	}
}
