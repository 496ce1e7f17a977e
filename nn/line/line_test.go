package line

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// wide turns the network's numbers into those of the reference.
func wide(values []int32) []int {
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(v)
	}
	return out
}

// sizes are those that tests draw from.
var sizes = []int{5, 7, 9, 15, 19, 22}

// An accumulator that follows moves and undone moves has the values of the definition,
// with every set of kernels, rule set and size. One large board has many channels.
func TestKeptUpToDateByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round, rule := range gomoku.Names() {
		for i, size := range sizes {
			channels := 16
			if i == round%len(sizes) && (size < 15 || round < len(sizes)) {
				channels = 32
			}
			b := randomBoard(r, rule, size, r.IntN(size*size))
			all := accumulators(sharedNetwork(channels), b)
			for range 2 {
				for range r.IntN(4) {
					if b.Ply() > 0 {
						b.Undo()
					}
				}
				for range r.IntN(4) {
					playAny(r, b)
				}
				compare(t, all, newTwin(sharedNetwork(channels), b.Board()))
			}
		}
	}
}

// accumulators returns one of a board for each set of kernels.
func accumulators(n *Network, b *pattern.Board) map[string]*Accumulator {
	all := map[string]*Accumulator{}
	for name, k := range allKernels() {
		all[name] = newAccumulator(n, b, k)
	}
	return all
}

func compare(t *testing.T, all map[string]*Accumulator, w *twin) {
	t.Helper()
	wantValue, wantPolicy := w.value(), w.policy()
	where := fmt.Sprintf("%s %dx%d after %d plies", w.board.Rules().Name, w.board.Size(), w.board.Size(), w.board.Ply())
	for name, a := range all {
		value, logits := a.Value(), make([]int32, a.cells)
		if got := wide(value[:]); !slices.Equal(got, wantValue) {
			t.Fatalf("%s, %s: value %v, want %v", name, where, got, wantValue)
		}
		a.Policy(logits)
		if got := wide(logits); !slices.Equal(got, wantPolicy) {
			t.Fatalf("%s, %s: policy %v, want %v", name, where, got, wantPolicy)
		}
		comparePart(t, name, a, logits)
	}
}

// comparePart asks about some cells, and holds the answers to those for all cells.
func comparePart(t *testing.T, name string, a *Accumulator, all []int32) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(a.stones), uint64(a.cells)))
	for _, count := range []int{0, 1, 3, 4, 1 + r.IntN(a.cells)} {
		around, reach := r.IntN(a.cells), 1+r.IntN(a.cells)
		cells, logits := make([]game.Move, count), make([]int32, count)
		for i := range cells {
			cells[i] = game.Move((around + r.IntN(reach)) % a.cells)
		}
		a.PolicyAt(cells, logits)
		for i, c := range cells {
			if logits[i] != all[c] {
				t.Fatalf("%s: cell %d of %v has %d, want %d", name, c, cells, logits[i], all[c])
			}
		}
	}
}

// Accumulators that follow any sequence of moves equal a new one. Each byte undoes one to
// three moves, or plays one or more of the candidates.
func FuzzFollow(f *testing.F) {
	f.Add([]byte{0, 3, 200, 201, 17, 90, 91, 92, 255, 1, 60, 130, 131})
	f.Add([]byte{4, 1, 99, 98, 2, 97, 96, 95, 0, 94, 93, 3, 92, 250, 251, 252, 253})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) < 2 || len(script) > 200 {
			return
		}
		names := gomoku.Names()
		b := randomBoard(rand.New(rand.NewPCG(1, 1)), names[int(script[0])%len(names)], sizes[int(script[1])%len(sizes)], 0)
		n := sharedNetwork(16)
		all := accumulators(n, b)
		for i, x := range script[2:] {
			for range x & 3 {
				if x < 64 && b.Ply() > 0 {
					b.Undo()
				}
			}
			moves := b.Moves(nil)
			if x >= 64 && len(moves) > 0 {
				b.Play(moves[(int(x)*37+i)%len(moves)])
			}
			if x%16 == 0 {
				agree(t, all, newAccumulator(n, b, &plain))
			}
		}
		agree(t, all, newAccumulator(n, b, &plain))
	})
}

// agree compares the results of accumulators with those of a new one.
func agree(t *testing.T, all map[string]*Accumulator, fresh *Accumulator) {
	t.Helper()
	want, logits := make([]int32, fresh.cells), make([]int32, fresh.cells)
	fresh.Policy(want)
	for name, a := range all {
		if got, want := a.Value(), fresh.Value(); got != want {
			t.Fatalf("%s: value %v, want %v", name, got, want)
		}
		if a.Policy(logits); !slices.Equal(logits, want) {
			t.Fatalf("%s: policy %v, want %v", name, logits, want)
		}
		comparePart(t, name, a, logits)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	b := randomBoard(r, "caro", 15, 40)
	a, logits, some := NewAccumulator(sharedNetwork(16), b), make([]int32, 225), b.Moves(nil)
	b.Undo()
	m := b.Moves(nil)[0]
	b.Play(m)
	b.Undo()
	if n := testing.AllocsPerRun(20, func() {
		b.Play(m)
		a.Value()
		a.Policy(logits)
		a.PolicyAt(some, logits)
		b.Undo()
		a.Value()
	}); n != 0 {
		t.Errorf("%v allocations for a position, want none", n)
	}
}
