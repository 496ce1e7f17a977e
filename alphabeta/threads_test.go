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
