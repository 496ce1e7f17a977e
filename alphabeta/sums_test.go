package alphabeta

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/carozero/carozero/game"
)

// Counts of threads are summed, each one; the longest path is the longer one.
func TestStatsAdd(t *testing.T) {
	var a, b Stats
	x, y := reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem()
	counts := 0
	for i := range x.NumField() {
		if x.Field(i).Kind() == reflect.Int64 && x.Type().Field(i).Type.Name() == "int64" {
			x.Field(i).SetInt(int64(100 + i))
			y.Field(i).SetInt(int64(7 + i))
			counts++
		}
	}
	if counts != 9 {
		t.Errorf("%d counts, want 9", counts)
	}
	a.SelDepth, b.SelDepth = 12, 9
	a.add(&b)
	for i := range x.NumField() {
		if f := x.Type().Field(i); f.Type.Name() == "int64" && x.Field(i).Int() != int64(107+2*i) {
			t.Errorf("%s: %d, want %d", f.Name, x.Field(i).Int(), 107+2*i)
		}
	}
	if b.add(&a); a.SelDepth != 12 || b.SelDepth != 12 {
		t.Errorf("the longest paths are %d and %d, want 12", a.SelDepth, b.SelDepth)
	}
}

// The zero Options are what their comments say.
func TestDefaults(t *testing.T) {
	want := Options{
		Threads: 1, TableMiB: 16, Aspiration: 40, InternalReduction: 4, LateMoves: 100, LatePruning: 30, PriorDepth: 2,
		PriorReduction: 300, ReverseFutility: 6, Extensions: 16, SolverNodes: 200,
	}
	if got := (Options{}).WithDefaults(Plain{}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	given := Options{
		Threads: 3, TableMiB: 1, Aspiration: 2, InternalReduction: 3, LateMoves: 4, LatePruning: 5, PriorDepth: 6,
		PriorReduction: 7, ReverseFutility: 8, Extensions: 9, SolverNodes: 10,
	}
	if got := given.WithDefaults(Plain{}); !reflect.DeepEqual(got, given) {
		t.Errorf("%+v, %+v was given", got, given)
	}
}

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

// What was learned counts half in the next search, of either sign.
func TestHistoryAges(t *testing.T) {
	figures := []int16{0, 1, 2, 101, -2, -101, 1<<15 - 1, -1 << 15}
	halve(figures)
	if want := []int16{0, 0, 1, 50, -1, -50, 1<<14 - 1, -1 << 14}; !reflect.DeepEqual(figures, want) {
		t.Errorf("%v, want %v", figures, want)
	}
}

// A cutoff by the first move counts as one, by a later one it does not.
func TestFirstCutoffs(t *testing.T) {
	w := &worker{}
	e := &ScoredMove{Kind: Quiet + 1}
	for count := 1; count <= 4; count++ {
		w.noteCutoff(&node{}, e, count)
	}
	if w.stats.Cutoffs != 4 || w.stats.FirstCutoffs != 1 {
		t.Errorf("%d cut-offs, %d by the first move, want 4 and 1", w.stats.Cutoffs, w.stats.FirstCutoffs)
	}
}

// Of two nodes, one the child of the other, a thread that is cut off at both leaves
// the parent, whichever it hears of first.
func TestCutoffOfParentAndChild(t *testing.T) {
	for _, order := range [][2]int{{4, 3}, {3, 4}} {
		w := atNode(5, 3)
		w.stack[4].node = node{alpha: 10, beta: 11, depth: 1, ply: 4}
		w.active.nodes[4].Store(6)
		for _, hash := range []uint64{5, 6} {
			w.table.store(hash, ttEntry{move: noMove, score: 20, depth: 3, bound: lower})
		}
		for _, ply := range order {
			w.active.cutoff(ply, w.active.nodes[ply].Load())
		}
		if !w.cutoffOccurred() || w.unwind.ply != 3 {
			t.Errorf("cut off at plies %v, the thread goes to %d", order, w.unwind.ply)
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
	}{{0, MaxClaim - 1, true}, {0, MaxClaim, true}, {0, MaxClaim + 1, false}, {3, MaxClaim - 3, true}, {3, MaxClaim - 2, false}} {
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
			r.moves = append(r.moves, rootMove{ScoredMove: ScoredMove{Move: e.move}, current: e.current, resistance: e.resistance})
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
