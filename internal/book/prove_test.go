package book

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// judgedOf returns what the oracles say of a position in the book.
func judgedOf(t *testing.T, b *Book, pos *gomoku.Board) float64 {
	t.Helper()
	p, ok, err := b.Get(pos)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	v, _ := p.Judged()
	return v
}

// reachedByHand returns the keys of the positions to which near moves lead, by walking
// through all lines.
func reachedByHand(t *testing.T, b *Book, pos *gomoku.Board, most float64, keys map[string]bool) {
	t.Helper()
	keys[Key(pos)] = true
	moves, err := b.Moves(pos)
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(1)
	var all []*gomoku.Board
	for _, m := range moves {
		after := pos.Copy()
		after.Play(m.Move)
		all = append(all, after)
		best = min(best, judgedOf(t, b, after))
	}
	for _, after := range all {
		if judgedOf(t, b, after) <= best+most {
			reachedByHand(t, b, after, most, keys)
		}
	}
}

// Wins are looked for in the positions to which near moves lead, the most promising first,
// those by fours do not count, and a run that was stopped goes on where it was.
func TestProve(t *testing.T) {
	b := newBook(t, 1)
	o := buildOptions(t, 40)
	built(t, b, o, oracles(1))
	p := ProveOptions{Root: o.Root, Near: 0.8, Least: -0.4, Nodes: 50, Proofs: 1000, Build: "v", Stamp: o.Stamp}
	reached := map[string]bool{}
	reachedByHand(t, b, o.Root.Copy(), p.Near, reached)
	want := map[string]float64{}
	for key := range reached {
		pos, err := VariantOf(o.Root).Board(key)
		if err != nil {
			t.Fatal(err)
		}
		if v := judgedOf(t, b, pos); v >= p.Least {
			want[key] = v
		}
	}
	if len(want) < 6 {
		t.Fatalf("only %d positions to try", len(want))
	}
	var asked []string
	left := 0 // before the run is stopped
	errStopped := errors.New("stopped")
	kind := func(key string) int { return int(key[len(key)-1]) % 3 }
	by := Provers{
		Fours: func(_ context.Context, pos *gomoku.Board) (int, bool) { return 5, kind(Key(pos)) == 0 },
		Quiet: func(_ context.Context, pos *gomoku.Board, nodes int64) (QuietWin, error) {
			if left--; left < 0 {
				return QuietWin{}, errStopped
			}
			asked = append(asked, Key(pos))
			if kind(Key(pos)) == 1 {
				return QuietWin{Certificate: []byte("proof"), Plies: 9, Nodes: nodes - 1}, nil
			}
			return QuietWin{Nodes: nodes}, nil
		},
	}
	var sum Proved
	for runs := 0; !sum.Done; runs++ {
		left = 2
		var err error
		if sum, err = Prove(t.Context(), b, p, by); err != nil && !errors.Is(err, errStopped) || runs > len(want) {
			t.Fatal(sum, err)
		}
	}
	if sum.Reached != len(reached) {
		t.Errorf("%d positions were reached: want %d", sum.Reached, len(reached))
	}
	var order []string
	proven := 0
	for key := range want {
		if kind(key) != 0 {
			order = append(order, key)
		}
		if kind(key) == 1 {
			proven++
		}
	}
	slices.SortFunc(order, func(x, y string) int {
		if want[x] != want[y] {
			return map[bool]int{true: -1, false: 1}[want[x] > want[y]]
		}
		return map[bool]int{true: -1, false: 1}[x < y]
	})
	if !slices.Equal(asked, order) || sum.Proven != proven {
		t.Errorf("asked about %x, want %x; %d proven, want %d", asked, order, sum.Proven, proven)
	}
	for key := range want {
		pos, _ := VariantOf(o.Root).Board(key)
		at, _, err := b.Get(pos)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := at.Proof()
		data, err := b.Certificate(pos)
		if err != nil || (r == game.Won) != (kind(key) < 2) || (data != nil) != (kind(key) == 1) {
			t.Errorf("%x, of kind %d: %v, certificate %q, %v", key, kind(key), r, data, err)
		}
		if v, _ := at.Judged(); v != want[key] {
			t.Errorf("%x: trying it has changed what the engines say from %v to %v", key, want[key], v)
		}
	}
	left, p.Nodes = 1000, 60
	asked = nil
	if again, err := Prove(t.Context(), b, p, by); err != nil || len(asked) != len(order)-proven ||
		again.Proven != proven {
		t.Errorf("with more nodes: %+v, %v: %d are asked about, want %d", again, err, len(asked), len(order)-proven)
	}
	p.Proofs = proven
	if enough, err := Prove(t.Context(), b, p, by); err != nil || enough.Done && proven < p.Proofs {
		t.Errorf("%+v, %v", enough, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Prove(ctx, b, p, by); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
