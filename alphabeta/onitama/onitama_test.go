package onitama_test

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// drawPosition returns a position after some random moves of a random deal
// that is not over.
func drawPosition(tb testing.TB, t *rapid.T) *rules.Board {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	b, err := rules.New(rules.BaseDeck.Random(rng))
	if err != nil {
		tb.Fatal(err)
	}
	for range rapid.IntRange(0, 30).Draw(t, "plies") {
		moves := b.Moves(nil)
		b.Play(moves[rng.IntN(len(moves))])
		if b.Outcome() != game.Undecided {
			b.Undo()
			break
		}
	}
	return b
}

func bind(tb testing.TB, pos game.Position) alphabeta.Heuristics {
	tb.Helper()
	heuristics, err := onitama.Game{}.Bind(pos)
	if err != nil {
		tb.Fatal(err)
	}
	return heuristics
}

// searcher returns a new Searcher for Onitama.
func searcher(tb testing.TB, o alphabeta.Options) *alphabeta.Searcher {
	tb.Helper()
	s, err := alphabeta.New(onitama.Game{}, o)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// The stages list every legal move once, of the right kind, as Describe says.
func TestStagesListEveryMove(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := drawPosition(t, rt)
		heuristics := bind(t, b)
		var listed []game.Move
		for n, more := 0, true; more; n++ {
			var list []alphabeta.ScoredMove
			list, more = heuristics.Picker.Stage(n, nil)
			for _, e := range list {
				if e != heuristics.Picker.Describe(e.Move) || int(e.Slot) >= heuristics.Slots {
					rt.Fatalf("%+v is described as %+v", e, heuristics.Picker.Describe(e.Move))
				}
				if (e.Kind == alphabeta.Tactical) != b.Captures(e.Move) {
					rt.Fatalf("%+v: captures is %v", e, b.Captures(e.Move))
				}
				listed = append(listed, e.Move)
			}
		}
		slices.Sort(listed)
		if want := b.Moves(nil); !slices.Equal(listed, want) {
			rt.Fatalf("%v, want %v", listed, want)
		}
	})
}

// mirror turns the board by half a turn and swaps the sides.
func mirror(tb testing.TB, b *rules.Board) *rules.Board {
	var s rules.Setup
	for _, side := range []game.Side{game.First, game.Second} {
		s.Masters[side.Other()] = rules.Squares - 1 - b.Master(side)
		students := b.Pieces(side) &^ (1 << b.Master(side))
		s.Students[side.Other()] = bits.Reverse32(students) >> (32 - rules.Squares)
	}
	s.Deal = rules.Deal{First: b.Hand(game.Second), Second: b.Hand(game.First), Side: b.SideCard()}
	s.ToMove = b.ToMove().Other()
	m, err := rules.NewSetup(s)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// The tables of a deal give what the features do, whatever the weights.
func TestEvaluationIsTheSumOfFeatures(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := drawPosition(t, rt)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "weights"), 1))
		w := new(onitama.Weights)
		for f := range onitama.NumFeatures {
			w.Early[f], w.Late[f] = int16(rng.IntN(400)-200), int16(rng.IntN(400)-200)
		}
		for _, weights := range []*onitama.Weights{w, onitama.HandWeights(), onitama.FittedWeights()} {
			heuristics, err := onitama.Game{Weights: weights}.Bind(b)
			if err != nil {
				rt.Fatal(err)
			}
			if got, want := heuristics.Evaluation.Evaluate(), alphabeta.Score(weights.Score(b)); got != want {
				rt.Fatalf("%v, want %v", got, want)
			}
		}
	})
}

// The evaluation is the same for both sides and within its bounds.
func TestEvaluationIsSymmetric(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := drawPosition(t, rt)
		here, there := bind(t, b).Evaluation.Evaluate(), bind(t, mirror(t, b)).Evaluation.Evaluate()
		if here != there || here > alphabeta.MaxEval || here < -alphabeta.MaxEval {
			rt.Fatalf("%v, and %v for the other side", here, there)
		}
	})
}

// minimax is the plain twin of an exhaustive search.
func minimax(heuristics *alphabeta.Heuristics, depth, ply int, noisy bool) alphabeta.Score {
	pos := heuristics.Position
	if pos.Outcome() != game.Undecided {
		return alphabeta.LossIn(ply)
	}
	if ply > 0 && len(pos.Wins(nil)) > 0 {
		return alphabeta.WinIn(ply + 1)
	}
	best := -alphabeta.Win
	moves := pos.Moves(nil)
	if depth <= 0 || noisy {
		best, noisy = heuristics.Evaluation.Evaluate(), true
		moves = slices.DeleteFunc(moves, func(m game.Move) bool { return !pos.(*rules.Board).Captures(m) })
	}
	for _, m := range moves {
		pos.Play(m)
		best = max(best, -minimax(heuristics, depth-1, ply+1, noisy))
		pos.Undo()
	}
	return best
}

func TestExhaustiveSearchEqualsMinimax(t *testing.T) {
	options := []alphabeta.Options{
		{TableMiB: 1},
		{TableMiB: alphabeta.Off},
		{TableMiB: 1, Scout: alphabeta.Off},
		{TableMiB: 1, Aspiration: alphabeta.Off},
		{TableMiB: alphabeta.Off, History: alphabeta.Off, Continuation: alphabeta.Off},
	}
	rapid.Check(t, func(rt *rapid.T) {
		b := drawPosition(t, rt)
		depth := rapid.IntRange(1, 3).Draw(rt, "depth")
		heuristics := bind(t, b.Clone())
		want := minimax(&heuristics, depth, 0, false)
		for i, o := range options {
			r, err := searcher(t, o.Exhaustive()).Search(context.Background(), b, alphabeta.Limits{Depth: depth})
			if err != nil {
				rt.Fatal(err)
			}
			if r.Score != want && !(r.Depth < depth && (r.Score > alphabeta.MaxEval || r.Score < -alphabeta.MaxEval)) {
				rt.Fatalf("options %d: %v at depth %d, want %v", i, r.Score, depth, want)
			}
		}
	})
}

// Passes are searched like other moves. The first player has filled the last
// row and holds cards that lead forward and sideways only.
func TestPasses(t *testing.T) {
	b, err := rules.NewSetup(rules.Setup{
		Students: [2]uint32{0b11110 << 20, 0},
		Masters:  [2]int{20, 7},
		Deal: rules.Deal{First: [2]rules.Card{rules.Boar, rules.Elephant},
			Second: [2]rules.Card{rules.Tiger, rules.Horse}, Side: rules.Crab},
	})
	if err != nil {
		t.Fatal(err)
	}
	moves := b.Moves(nil)
	if len(moves) != 2 || !rules.IsPass(moves[0]) {
		t.Fatalf("moves %v, want two passes", moves)
	}
	r, err := searcher(t, alphabeta.Options{TableMiB: 1}).Search(context.Background(), b,
		alphabeta.Limits{Depth: 6, Lines: 2})
	if err != nil || len(r.Lines) != 2 || !slices.Contains(moves, r.Move) {
		t.Fatalf("%v of %v, %v", r.Lines, moves, err)
	}
	heuristics := bind(t, b.Clone())
	want := minimax(&heuristics, 3, 0, false)
	r, err = searcher(t, alphabeta.Options{}.Exhaustive()).Search(context.Background(), b, alphabeta.Limits{Depth: 3})
	if err != nil || r.Score != want {
		t.Errorf("%v, %v; want %v", r.Score, err, want)
	}
}

// The signature of the search from the start, one thread, an empty table: reverse futility
// is off unless it is asked for.
func TestSignature(t *testing.T) {
	b, err := rules.ParsePosition(start)
	if err != nil {
		t.Fatal(err)
	}
	for depth, nodes := range map[int]int64{0: 18932, alphabeta.Off: 18932, 6: 18007} {
		r, err := searcher(t, alphabeta.Options{ReverseFutility: depth}).Search(context.Background(), b,
			alphabeta.Limits{Depth: 10})
		if err != nil || r.Stats.Nodes != nodes {
			t.Errorf("reverse futility %d: %d nodes, %v; want %d", depth, r.Stats.Nodes, err, nodes)
		}
	}
}

// start is the position of the speed figures.
const start = "Monkey,Crane/Tiger,Crab/Dragon"
