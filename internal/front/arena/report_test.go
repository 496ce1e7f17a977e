package arena

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

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
	s := report.Summary()
	if s.ASlowestMS != 1200 || s.ALate == 0 || s.ALate != moves || s.BSlowestMS != 0 || s.BLate != 0 || s.Forfeits != 0 {
		t.Errorf("%+v", s)
	}
	again, resumed := run(t, opts)
	if !reflect.DeepEqual(again, results) || resumed.Summary() != s {
		t.Errorf("%+v from the journal, %+v before", resumed.Summary(), s)
	}
}

// Every forfeit is reported with its player and cause.
func TestTheReportExplainsForfeits(t *testing.T) {
	opts := options(2, entrant("bad", play(0, errBroken)), entrant("good", firstMove))
	_, report := run(t, opts)
	want := []Forfeited{
		{Game: 1, Player: "bad", Fault: Failed, Text: "move 1: broken"},
		{Game: 2, Player: "bad", Fault: Failed, Text: "move 2: broken"},
	}
	if !reflect.DeepEqual(report.Forfeits, want) || report.Games() != 2 {
		t.Errorf("%+v", report.Forfeits)
	}
	if clone := report.clone(); &clone.Forfeits[0] == &report.Forfeits[0] {
		t.Error("a clone shares its forfeits")
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
		if s := report.Summary(); len(different) != 2 || s.Games != 6 || s.Repeats != 4 || s.Pairs != [5]int{2: 1} {
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
		var tally Tally
		tally.add(1, false, c.again[0])
		tally.add(0, true, c.again[1])
		if tally.Pairs != c.pairs || tally.Wins != 1 || tally.Draws != 1 {
			t.Errorf("again %v: %+v, want %v", c.again, tally, c.pairs)
		}
	}
}
