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

// atNode returns a worker that is at a node with that hash, which its parent has
// asked for a cutoff at depth 3.
func atNode(hash uint64, ply int) *worker {
	w := &worker{table: newTable(1)}
	w.stack[ply].node = node{alpha: 10, beta: 11, depth: 3, ply: ply}
	w.active.nodes[ply].Store(hash)
	return w
}

func TestCutoffBetweenThreads(t *testing.T) {
	const hash, ply = 1<<63 | 77, 4
	tests := []struct {
		name string
		ply  int
		hash uint64
		know ttEntry
		want bool
	}{
		{"the node is decided", ply, hash, ttEntry{score: 20, depth: 3, bound: lower}, true},
		{"so it is from below", ply, hash, ttEntry{score: 10, depth: 4, bound: upper}, true},
		{"not deep enough", ply, hash, ttEntry{score: 20, depth: 2, bound: lower}, false},
		{"another window", ply, hash, ttEntry{score: 20, depth: 3, bound: upper}, false},
		{"another node", ply, hash + 1, ttEntry{score: 20, depth: 3, bound: lower}, false},
		{"another path", ply + 1, hash, ttEntry{score: 20, depth: 3, bound: lower}, false},
	}
	for _, tt := range tests {
		w := atNode(hash, ply)
		tt.know.move = noMove
		w.table.store(hash, tt.know)
		w.active.cutoff(tt.ply, tt.hash)
		if got := w.cutoffOccurred(); got != tt.want || w.stopped != tt.want {
			t.Errorf("%s: cut off %t, void %t, want %t", tt.name, got, w.stopped, tt.want)
			continue
		}
		if w.cutoffOccurred() {
			t.Errorf("%s: a cut-off occurs twice", tt.name)
		}
		if !tt.want {
			continue
		}
		if w.endUnwind(ply + 2); !w.stopped {
			t.Errorf("%s: the search goes on below the node", tt.name)
		}
		if score := w.endUnwind(ply); score != tt.know.score || w.stopped {
			t.Errorf("%s: %v, void %t; want %v", tt.name, score, w.stopped, tt.know.score)
		}
	}
}

// A thread that is cut off at two nodes leaves the one nearer the root, and one
// that has left the node by then stays where it is.
func TestCutoffOfTwoNodes(t *testing.T) {
	w := atNode(5, 3)
	w.stack[6].node = node{alpha: 10, beta: 11, depth: 1, ply: 6}
	w.active.nodes[6].Store(6)
	for _, hash := range []uint64{5, 6} {
		w.table.store(hash, ttEntry{move: noMove, score: WinIn(2), depth: 3, bound: lower})
	}
	for _, ply := range []int{6, 3, 6} {
		w.active.cutoff(ply, w.active.nodes[ply].Load())
	}
	if !w.cutoffOccurred() || w.unwind.ply != 3 || w.endUnwind(6) != 0 {
		t.Errorf("cut off at plies 3 and 6, the thread goes to %d", w.unwind.ply)
	}
	if score := w.endUnwind(3); score != WinIn(5) {
		t.Errorf("a win two plies from ply 3 is a %v at the root", score)
	}
	w.active.cutoff(3, 5)
	w.active.nodes[3].Store(0)
	if w.cutoffOccurred() {
		t.Error("the thread leaves a node that it is not at")
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
