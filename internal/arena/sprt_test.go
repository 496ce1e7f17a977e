package arena

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"pgregory.net/rapid"
)

// The counts of the first three rows are those that the Stockfish testing
// framework checks its own formula with; all figures were computed from the
// definition with 50 decimal digits.
func TestLLRFigures(t *testing.T) {
	for _, c := range []struct {
		counts     []int
		elo0, elo1 float64
		want       float64
	}{
		{[]int{10789, 19328, 33806, 19402, 10543}, -3, 1, 2.131067811787},
		{[]int{39, 2226, 31451, 2412, 40}, 0.2, 0.9, 2.162542580046},
		{[]int{1187, 7410, 13475, 7378, 1164}, -3, 1, 2.861527180593},
		{[]int{591, 2163, 716}, 0, 6, 4.361801249289},
		{[]int{3, 10, 30, 15, 8}, 0, 20, 1.259815472673},
		{[]int{0, 0, 0, 0, 10}, 0, 5, 0.142904432544},
		{[]int{0, 0, 10, 0, 0}, 0, 5, -0.13942763881},
		{[]int{0, 0, 0, 0, 0}, 0, 5, 0},
	} {
		got := SPRT{Elo0: c.elo0, Elo1: c.elo1}.LLR(c.counts)
		if math.Abs(got-c.want) > 1e-7 {
			t.Errorf("LLR of %v for %g,%g = %.10f, want %.10f", c.counts, c.elo0, c.elo1, got, c.want)
		}
	}
}

// With three scores a distribution of a given mean has one free parameter, so
// the likeliest one can be searched for directly.
func TestLLRAgainstDirectMaximum(t *testing.T) {
	likelihood := func(counts []int, s float64) float64 {
		at := func(draw float64) float64 {
			win := s - draw/2
			loss := 1 - draw - win
			return float64(counts[0])*math.Log(loss) + float64(counts[1])*math.Log(draw) + float64(counts[2])*math.Log(win)
		}
		low, high := 0.0, 2*min(s, 1-s)
		for range 200 {
			a, b := low+(high-low)/3, high-(high-low)/3
			if at(a) < at(b) {
				low = a
			} else {
				high = b
			}
		}
		return at((low + high) / 2)
	}
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 500)
		counts := []int{count.Draw(t, "losses"), count.Draw(t, "draws"), count.Draw(t, "wins")}
		test := SPRT{Elo0: rapid.Float64Range(-50, 50).Draw(t, "elo0")}
		test.Elo1 = test.Elo0 + rapid.Float64Range(1, 100).Draw(t, "width")
		want := likelihood(counts, Score(test.Elo1)) - likelihood(counts, Score(test.Elo0))
		if got := test.LLR(counts); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
			t.Fatalf("LLR of %v for %+v = %.9f, directly %.9f", counts, test, got, want)
		}
	})
}

func TestVerdicts(t *testing.T) {
	for llr, want := range map[float64]Verdict{
		-2.945: AcceptH0, -2.944: Continue, 0: Continue, 2.944: Continue, 2.945: AcceptH1,
	} {
		if got := (SPRT{Elo1: 5}).Decide(llr); got != want {
			t.Errorf("verdict at %g is %s, want %s", llr, got, want)
		}
	}
}

// How players use their clocks is in the report, also of games that a journal
// brings back; a player without a clock has nothing there.
func TestTheReportTellsOfClocks(t *testing.T) {
	clock := &fakeTime{}
	late := entrant("late", slow(clock, 1200*time.Millisecond+300*time.Microsecond))
	late.Control = TimeControl{Turn: time.Second}
	free := entrant("free", slow(clock, time.Hour))
	opts := options(4, late, free)
	opts.Time, opts.Journal = clock, filepath.Join(t.TempDir(), "m.jsonl")
	results, report := run(t, opts)
	moves := 0
	for _, r := range results {
		moves += r.Timing[0].Late + r.Timing[1].Late
	}
	s := report
	if s.ASlowestMS != 1200 || s.ALate == 0 || s.ALate != moves || s.BSlowestMS != 0 || s.BLate != 0 || s.Forfeits != 0 {
		t.Errorf("%+v", s)
	}
	again, resumed := run(t, opts)
	if !reflect.DeepEqual(again, results) || !reflect.DeepEqual(figures(resumed), figures(s)) {
		t.Errorf("%+v from the journal, %+v before", resumed, s)
	}
}

// Games that equal an earlier one of the same players are told of, with a journal
// too; those with colours swapped are others.
func TestTheReportCountsRepeats(t *testing.T) {
	opts := options(6, entrant("a", firstMove), entrant("b", firstMove))
	opts.Journal = filepath.Join(t.TempDir(), "m.jsonl")
	for range 2 {
		results, report := run(t, opts)
		different := map[string]bool{}
		for _, r := range results {
			different[fmt.Sprint(r.Players, r.Moves)] = true
		}
		if s := report; len(different) != 2 || s.Games != 6 || s.Repeats != 4 || s.Pairs != [5]int{2: 1} {
			t.Errorf("%d different games, %+v", len(different), s)
		}
	}
}

// A pair counts unless both of its games equal earlier ones.
func TestOnlyPairsWithSomethingNewCount(t *testing.T) {
	for _, c := range []struct {
		again [2]bool
		pairs [5]int
	}{
		{[2]bool{false, false}, [5]int{3: 1}}, {[2]bool{true, false}, [5]int{3: 1}},
		{[2]bool{false, true}, [5]int{3: 1}}, {[2]bool{true, true}, [5]int{}},
	} {
		var r Report
		r.addPair(1, false, c.again[0])
		r.addPair(0, true, c.again[1])
		if r.Pairs != c.pairs {
			t.Errorf("again %v: %+v, want %v", c.again, r.Pairs, c.pairs)
		}
	}
}

// What a player that fails says of it is one line, whatever it says.
func TestForfeitsAreOneLine(t *testing.T) {
	var r table
	r.forfeit(game.First, Failed, "move 3:\n\tpanic: \r\n  nothing  left\n")
	if f := r.result.Forfeit; f == nil || f.Text != "move 3: panic: nothing left" || f.Side != game.First ||
		f.Fault != Failed {
		t.Errorf("%+v", r.result.Forfeit)
	}
	if r.result.Outcome != game.SecondWins || r.result.Reason != game.Forfeit {
		t.Errorf("%v by %v", r.result.Outcome, r.result.Reason)
	}
}
