package alphabeta

import (
	"testing"

	"github.com/carozero/carozero/game"
)

// voter returns a worker that has completed a depth with a move and its score.
func voter(depth int, m game.Move, s Score) *worker {
	w := &worker{}
	w.timeManager.reset(50)
	w.root.completed = depth
	w.root.moves = []rootMove{{ScoredMove: ScoredMove{Move: m}, score: s}}
	return w
}

func TestElection(t *testing.T) {
	tests := []struct {
		name    string
		workers []*worker
		last    int
		want    int
	}{
		{"alone", []*worker{voter(3, 1, 0)}, 9, 0},
		{"nothing completed", []*worker{voter(0, 1, 0), voter(0, 2, 50)}, 9, 0},
		{"the same move, the deepest", []*worker{voter(8, 1, 0), voter(9, 1, -10)}, 20, 1},
		{"two of three agree", []*worker{voter(9, 1, 10), voter(8, 2, 10), voter(8, 2, 15)}, 20, 1},
		{"the first of equals", []*worker{voter(8, 1, 5), voter(8, 2, 5)}, 20, 0},
		{"a much better score counts more", []*worker{voter(9, 1, -200), voter(8, 2, 100)}, 20, 1},
		{"the last iteration decides", []*worker{voter(19, 1, 500), voter(20, 2, 0), voter(19, 1, 500)}, 20, 1},
		{"a claim decides", []*worker{voter(8, 1, 0), voter(8, 1, 0), voter(9, 2, LossIn(6))}, 20, 2},
	}
	for _, tt := range tests {
		if got := bestWorker(tt.workers, tt.last); got != tt.workers[tt.want] {
			t.Errorf("%s: %d with %v is elected", tt.name, got.root.moves[0].Move, got.root.moves[0].score)
		}
	}
}

// On a principal variation an exact result counts only if another thread may
// have found it.
func TestTableCutoff(t *testing.T) {
	one, many := &worker{}, &worker{searching: new(currentlySearching)}
	open, empty := node{alpha: 0, beta: 100, depth: 2, pv: true}, node{alpha: 0, beta: 1, depth: 2}
	tests := []struct {
		name      string
		nd        node
		know      ttEntry
		one, many bool
	}{
		{"exact", open, ttEntry{score: 50, depth: 2, bound: exact}, false, true},
		{"shallow", open, ttEntry{score: 50, depth: 1, bound: exact}, false, false},
		{"a bound", open, ttEntry{score: 150, depth: 2, bound: lower}, false, false},
		{"solved", open, ttEntry{score: WinIn(9), depth: solved, bound: exact}, true, true},
		{"a cut-off elsewhere", empty, ttEntry{score: 1, depth: 2, bound: lower}, true, true},
	}
	for _, tt := range tests {
		if _, got := one.tableCutoff(&tt.nd, &tt.know); got != tt.one {
			t.Errorf("%s, one thread: %t", tt.name, got)
		}
		if _, got := many.tableCutoff(&tt.nd, &tt.know); got != tt.many {
			t.Errorf("%s, several threads: %t", tt.name, got)
		}
	}
}

func TestCurrentlySearching(t *testing.T) {
	searching := new(currentlySearching)
	mine, theirs := deferral{searching: searching, hash: 7}, deferral{searching: searching, hash: 7}
	elsewhere := deferral{searching: searching, hash: 8}
	if mine.deferMove(3) {
		t.Error("a move is deferred before anybody searches it")
	}
	mine.startSearch(3)
	if !theirs.deferMove(3) || theirs.deferMove(4) || elsewhere.deferMove(3) {
		t.Errorf("move 3 of one position is being searched: %t, another move %t, another position %t",
			theirs.deferMove(3), theirs.deferMove(4), elsewhere.deferMove(3))
	}
	mine.finishSearch()
	if theirs.deferMove(3) {
		t.Error("a move is deferred after it was searched")
	}
	mine.finishSearch()
	var none deferral
	none.startSearch(3)
	if none.deferMove(3) {
		t.Error("with one thread a move is deferred")
	}
	none.finishSearch()
}

// A move that another thread searches comes last, with the number and the
// depth that it had in its turn; the first is never deferred.
func TestMovesAreDeferred(t *testing.T) {
	searching, f := new(currentlySearching), new(frame)
	other := deferral{searching: searching, hash: 9}
	for _, m := range []game.Move{1, 3} {
		other.startSearch(m)
	}
	loop := moveLoop{deferral: deferral{searching: searching, hash: 9}}
	var got []game.Move
	for i := 1; i <= 4; i++ {
		next := countedMove{ScoredMove: ScoredMove{Move: game.Move(i)}, count: i, reduced: i}
		if !loop.deferIfSearched(f, &next) {
			got = append(got, next.Move)
			loop.finishSearch()
		}
	}
	for {
		next, ok := loop.resume(f)
		if !ok {
			break
		}
		if next.count != int(next.Move) || next.reduced != next.count {
			t.Errorf("move %d comes back as number %d, reduced by %d", next.Move, next.count, next.reduced)
		}
		got = append(got, next.Move)
		loop.finishSearch()
	}
	if len(got) != 4 || got[0] != 1 || got[1] != 2 || got[2] != 4 || got[3] != 3 {
		t.Errorf("searched in the order %v, want 1 2 4 3", got)
	}
}
