package games

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	onitamasearch "github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/alphabeta/shift"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/game/onitama"
)

// classicalBy returns the classical search with an evaluation.
func classicalBy(t testing.TB, v Variant, o Evaluation) alphabeta.Game {
	t.Helper()
	g, err := v.ClassicalBy(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// evaluate returns what an evaluation says of a position.
func evaluate(t *testing.T, v Variant, o Evaluation, pos game.Position) int {
	t.Helper()
	h, err := classicalBy(t, v, o).Bind(pos.Clone())
	if err != nil {
		t.Fatal(err)
	}
	return int(h.Evaluation.Evaluate())
}

// counts are by how much each weight moves the score of a position, times the whole phase,
// as the definition of the features says.
func counts(pos game.Position) (by map[string]int, whole int) {
	by = map[string]int{}
	add := func(name func(int) string, phase int) func(feature, count int) {
		return func(feature, count int) {
			by[shift.Early(name(feature))] += count * (whole - phase)
			by[shift.Late(name(feature))] += count * phase
		}
	}
	switch b := pos.(type) {
	case *onitama.Board:
		whole = onitamasearch.FullPhase
		onitamasearch.Features(b, add(onitamasearch.FeatureName, onitamasearch.Phase(b)))
	case *gomoku.Board:
		p := pattern.FromBoard(b)
		whole = gomokusearch.FullPhase
		gomokusearch.Features(p, add(gomokusearch.FeatureName, gomokusearch.Phase(p)))
	}
	return by, whole
}

// Every weight that counts in a position of a random game has its name, and its shift moves
// the evaluation as the definition says.
func TestShiftedWeights(t *testing.T) {
	for _, o := range append(everyRule(), VariantOptions{Game: Onitama}, VariantOptions{Game: Onitama, Cards: "all"}) {
		v := variant(t, o)
		names := v.WeightNames()
		if sorted := slices.Sorted(slices.Values(names)); len(slices.Compact(sorted)) != len(names) || len(names) == 0 {
			t.Fatalf("%v: %d names, not all different", o, len(names))
		}
		known := map[string]bool{}
		for _, n := range names {
			known[n] = true
		}
		rng := rand.New(rand.NewPCG(3, 9))
		for range 2 {
			pos, err := v.Of().Start(v, rng)
			if err != nil {
				t.Fatal(err)
			}
			for pos.Outcome() == game.Undecided && pos.Ply() < 40 {
				by, whole := counts(pos)
				for name, n := range by {
					if n != 0 && !known[name] {
						t.Fatalf("%v: %s counts in\n%v", o, name, pos)
					}
				}
				// The rounding of the usual score may move the difference by one.
				name := names[rng.IntN(len(names))]
				if counting := slices.Sorted(maps.Keys(by)); rng.IntN(4) > 0 {
					name = counting[rng.IntN(len(counting))]
				}
				const shifted = 600
				d := evaluate(t, v, Evaluation{Shifts: shift.Shifts{{Weight: name, By: shifted}}}, pos) - evaluate(t, v, Evaluation{}, pos)
				if want := shifted * by[name] / whole; d < want-1 || d > want+1 {
					t.Fatalf("%v: %s+%d moves the score by %d, by definition %d, of\n%v", o, name, shifted, d, want, pos)
				}
				moves := pos.Moves(nil)
				pos.Play(moves[rng.IntN(len(moves))])
			}
		}
	}
}

func TestShiftsOfNoWeight(t *testing.T) {
	for _, c := range []struct {
		o  VariantOptions
		by shift.Shifts
	}{
		{VariantOptions{}, shift.Shifts{{Weight: "tempo.early", By: 1}}},
		{VariantOptions{Game: Onitama}, shift.Shifts{{Weight: "tempo", By: 1}}},
		{VariantOptions{Game: Onitama}, shift.Shifts{{Weight: "students.c3.late", By: 32767}}},
	} {
		if g, err := variant(t, c.o).ClassicalBy(Evaluation{Shifts: c.by}); err == nil {
			t.Errorf("%v: %v makes %v", c.o, c.by, g)
		}
	}
}
