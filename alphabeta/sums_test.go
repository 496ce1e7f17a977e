package alphabeta

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// tuned is a game with techniques of its own.
type tuned struct {
	Plain
	own Options
}

func (t tuned) Techniques() Options { return t.own }

// The techniques of a game stand for those that are zero, one by one, and for no others;
// what a user sets stays.
func TestTechniquesOfTheGame(t *testing.T) {
	usual := (Options{}).WithDefaults(Plain{})
	fields := reflect.TypeFor[Options]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		if name == "Clock" {
			continue
		}
		var own, set Options
		reflect.ValueOf(&own).Elem().Field(i).SetInt(Off)
		reflect.ValueOf(&set).Elem().Field(i).SetInt(77)
		want, kept := usual, usual
		reflect.ValueOf(&kept).Elem().Field(i).SetInt(77)
		if name != "Threads" && name != "TableMiB" {
			reflect.ValueOf(&want).Elem().Field(i).SetInt(Off)
		}
		if got := (Options{}).WithDefaults(tuned{own: own}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s off in the game: %+v, want %+v", name, got, want)
		}
		if got := set.WithDefaults(tuned{own: own}); !reflect.DeepEqual(got, kept) {
			t.Errorf("%s off in the game and set to 77: %+v, want %+v", name, got, kept)
		}
	}
}

// claimer is a solver that finds the same everywhere.
type claimer Solution

func (c claimer) Solve(int, int) Solution { return Solution(c) }

// A solver's win counts up to the longest that a score can tell of.
func TestLongestWinOfASolver(t *testing.T) {
	for _, c := range []struct {
		ply, plies int
		want       bool
	}{{0, MaxClaim - 1, true}, {0, MaxClaim, true}, {
		0, MaxClaim + 1, false,
	}, {3, MaxClaim - 3, true}, {3, MaxClaim - 2, false}} {
		w := &worker{table: newTable(1), left: 100}
		w.opts = &Options{SolverNodes: 10}
		w.heuristics = Heuristics{Solver: claimer{Won: true, Move: 4, Plies: c.plies, Nodes: 7}}
		score, ok := w.solve(&node{ply: c.ply}, 1<<63|9, &ttEntry{})
		if ok != c.want || ok && score != WinIn(c.ply+c.plies) {
			t.Errorf("in %d plies from ply %d: %v, %t, want %t", c.plies, c.ply, score, ok, c.want)
		}
		if w.left != 93 || w.stats.Nodes != 7 || w.stats.SolverNodes != 7 {
			t.Errorf("%d nodes are left, %d and %d counted", w.left, w.stats.Nodes, w.stats.SolverNodes)
		}
	}
}

// Moves of the root are put in the order of their scores; of those that lose equally
// late the one comes first that resists most. Others of one score, and those that have
// none, stay as they stand.
func TestOrderOfTheRoot(t *testing.T) {
	type entry struct {
		move       game.Move
		current    Score
		resistance int
	}
	for _, c := range []struct {
		list []entry
		want string
	}{
		{[]entry{{1, 5, 0}, {2, 9, 0}, {3, -4, 0}, {4, WinIn(3), 0}}, "[4 2 1 3]"},
		{[]entry{{1, -3, 0}, {2, -5, 0}, {3, -4, 0}}, "[1 3 2]"},
		{[]entry{{1, 7, 1}, {2, 7, 9}, {3, 7, 5}}, "[1 2 3]"},
		{[]entry{{1, WinIn(5), 1}, {2, WinIn(5), 9}}, "[1 2]"},
		{[]entry{{1, LossIn(6), 1}, {2, LossIn(6), 9}, {3, LossIn(6), 5}}, "[2 3 1]"},
		{[]entry{{1, LossIn(6), 9}, {2, LossIn(8), 1}, {3, LossIn(4), 20}}, "[2 1 3]"},
		{[]entry{{1, -infinity, 1}, {2, -infinity, 9}, {3, LossIn(2), 0}, {4, -infinity, 5}}, "[3 1 2 4]"},
	} {
		var r root
		for _, e := range c.list {
			r.moves = append(r.moves, rootMove{ScoredMove: ScoredMove{Move: e.move}, current: e.current,
				resistance: e.resistance})
		}
		r.sort(0, len(r.moves))
		var got []game.Move
		for _, m := range r.moves {
			got = append(got, m.Move)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v, want %s", c.list, got, c.want)
		}
	}
}

// Rows that catch up with the halvings they missed are as if all had been halved each time.
func TestHistoryCatchesUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const slots = 5
		var lazy, eager history
		lazy.resize(slots)
		eager.resize(slots)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "age") {
				for range rapid.SampledFrom([]int{1, 2, 13, 14, 15, 40}).Draw(t, "times") {
					lazy.age()
					for i := range eager.continuation {
						halve(eager.continuation[i])
					}
				}
				continue
			}
			i, earlier, slot := rapid.IntRange(
				0, len(continuationPlies)-1,
			).Draw(t, "number"), rapid.IntRange(0, slots).Draw(t, "earlier"), rapid.IntRange(0, slots-1).Draw(t, "slot")
			value := int16(rapid.IntRange(-HistoryRange, HistoryRange).Draw(t, "figure"))
			lazy.after(i, earlier)[slot], eager.continuation[i][earlier*slots+slot] = value, value
		}
		for i := range continuationPlies {
			for earlier := range slots + 1 {
				if got, want := lazy.after(i, earlier), eager.continuation[i][earlier*slots:][:slots]; !slices.Equal(got, want) {
					t.Fatalf("row %d of %d: %v, want %v", earlier, i, got, want)
				}
			}
		}
	})
}

func TestTimeManager(t *testing.T) {
	steady, restless, sinking := timeManager{}, timeManager{}, timeManager{}
	for _, p := range []*timeManager{&steady, &restless, &sinking} {
		p.reset(100)
	}
	for i := range 8 {
		steady.update(1, 50)
		restless.update(game.Move(i), 50)
		sinking.update(1, Score(-150*i))
	}
	s, r, f := steady.factor(), restless.factor(), sinking.factor()
	if s != 0.5 || r < 1.5 || f <= s || f >= r {
		t.Errorf("steady %v, restless %v, sinking %v", s, r, f)
	}
}

func TestTimeManagerStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p timeManager
		p.reset(Score(rapid.IntRange(-5, 500).Draw(t, "unit")))
		for range rapid.IntRange(0, 40).Draw(t, "iterations") {
			p.update(game.Move(rapid.IntRange(0, 3).Draw(t, "move")),
				Score(rapid.IntRange(-int(Win), int(Win)).Draw(t, "score")))
			if f := p.factor(); f < 0.5 || f > 2.5 {
				t.Fatalf("%v from %+v", f, p)
			}
		}
	})
}
