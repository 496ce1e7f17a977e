package bench

import (
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
)

func freestyle(t *testing.T) games.Variant {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle"})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The positions are what their file says: many, different, undecided, without a
// forced win by fours, the first ones in the order of a game.
func TestQuietPositions(t *testing.T) {
	v := freestyle(t)
	texts, list, err := quietPositions(v)
	if err != nil || len(list) < 50 || len(texts) != len(list) {
		t.Fatalf("%d positions, %v", len(list), err)
	}
	seen := map[uint64]bool{}
	for i, pos := range list {
		if pos.Outcome() != game.Undecided || len(pos.Wins(nil)) > 0 || seen[pos.Hash()] {
			t.Errorf("%s is decided, or there twice", texts[i])
		}
		seen[pos.Hash()] = true
		if c, ok := v.Certify(t.Context(), pos, 100_000); ok {
			t.Errorf("%s is won in %d plies", texts[i], c.Plies)
		}
		if i > 0 && i < AlphaBetaPositions && pos.Ply() <= list[i-1].Ply() {
			t.Errorf("position %d has %d stones, the one before %d", i+1, pos.Ply(), list[i-1].Ply())
		}
	}
}

// Other variants are measured on other positions.
func TestEveryVariantHasPositions(t *testing.T) {
	for _, o := range []games.VariantOptions{{Rule: "school42", Size: 19}, {Rule: "caro", Size: 15}, {Game: games.Onitama}} {
		v, err := games.NewVariant(o)
		if err != nil {
			t.Fatal(err)
		}
		texts, list, err := quietPositions(v)
		if err != nil || len(list) < Positions || len(texts) != len(list) {
			t.Errorf("%+v: %d positions, %v", o, len(list), err)
		}
	}
}

var small = AlphaBetaOptions{Search: alphabeta.Options{Threads: 1, TableMiB: 1}, Depth: 3}

func TestTheSignatureIsTheSameOnEveryRun(t *testing.T) {
	steps := 0
	first, err := MeasureAlphaBeta(t.Context(), freestyle(t), small, func() { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	again, err := MeasureAlphaBeta(t.Context(), freestyle(t), small, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if first.Signature != again.Signature || first.Signature != first.Nodes || first.Signature == 0 {
		t.Errorf("signatures %d and %d, %d nodes", first.Signature, again.Signature, first.Nodes)
	}
	if len(first.Positions) != AlphaBetaPositions || steps != AlphaBetaPositions || first.MoveUndoPerS <= 0 ||
		first.QuiescenceNodes+first.SolverNodes > first.Nodes {
		t.Errorf("%+v", first)
	}
}

func TestSMPRatios(t *testing.T) {
	o := small
	o.Depth, o.Search.Threads = 2, 2
	r, err := MeasureSMP(t.Context(), freestyle(t), o, func() {})
	if err != nil || r.Positions < 50 || r.Speed <= 0 || r.Time <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTimeToSolution(t *testing.T) {
	r, err := MeasureTactics(t.Context(), small, 300, func() {})
	if err != nil || r.Problems < 100 || r.Solved < r.Problems/4 || r.Solved > r.Problems || len(r.Rules) < 5 {
		t.Errorf("%+v, %v", r, err)
	}
	s, err := MeasureSettled(t.Context(), freestyle(t), small, time.Millisecond, func() {})
	if err != nil || s.Positions < 50 || s.MedianMS < 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// The time to solution is that of the first iteration that agrees with all
// later ones and the result.
func TestSettledAfter(t *testing.T) {
	it := func(m game.Move, score int, at time.Duration) *engine.Answer {
		return &engine.Answer{Move: m, Moves: []engine.Opinion{{Move: m, Score: score}}, Stats: engine.Stats{Elapsed: at}}
	}
	for _, c := range []struct {
		list []*engine.Answer
		want time.Duration
	}{
		{nil, 9},
		{[]*engine.Answer{it(1, 0, 1), it(1, 10, 2)}, 1},
		{[]*engine.Answer{it(1, 0, 1), it(2, 0, 2), it(1, 0, 3), it(1, 5, 4)}, 3},
		{[]*engine.Answer{it(1, 99, 1), it(1, 0, 2)}, 2},
		{[]*engine.Answer{it(1, 0, 1), it(2, 0, 2)}, 9},
	} {
		if got := settledAfter(it(1, 0, 9), c.list); got != c.want {
			t.Errorf("%v: after %v, want %v", c.list, got, c.want)
		}
	}
}
