package alphabeta

import "testing"

// atNode returns a worker that is at a node with that hash, which its parent has
// asked for a cut-off at depth 3.
func atNode(hash uint64, ply int) *worker {
	w := &worker{table: newTable(1)}
	w.stack[ply].asked = node{alpha: 10, beta: 11, depth: 3, ply: ply}
	w.posts.nodes[ply].Store(hash)
	return w
}

func TestRelief(t *testing.T) {
	const hash, ply = 1<<63 | 77, 4
	tests := []struct {
		name string
		ply  int
		hash uint64
		know entry
		want bool
	}{
		{"the node is decided", ply, hash, entry{score: 20, depth: 3, bound: lower}, true},
		{"so it is from below", ply, hash, entry{score: 10, depth: 4, bound: upper}, true},
		{"not deep enough", ply, hash, entry{score: 20, depth: 2, bound: lower}, false},
		{"another window", ply, hash, entry{score: 20, depth: 3, bound: upper}, false},
		{"another node", ply, hash + 1, entry{score: 20, depth: 3, bound: lower}, false},
		{"another path", ply + 1, hash, entry{score: 20, depth: 3, bound: lower}, false},
	}
	for _, tt := range tests {
		w := atNode(hash, ply)
		tt.know.move = noMove
		w.table.store(hash, tt.know)
		w.posts.relieve(tt.ply, tt.hash)
		if got := w.relieved(); got != tt.want || w.stopped != tt.want {
			t.Errorf("%s: relieved %t, void %t, want %t", tt.name, got, w.stopped, tt.want)
			continue
		}
		if w.relieved() {
			t.Errorf("%s: a call is answered twice", tt.name)
		}
		if !tt.want {
			continue
		}
		if w.arrive(ply + 2); !w.stopped {
			t.Errorf("%s: the search goes on below the node", tt.name)
		}
		if score := w.arrive(ply); score != tt.know.score || w.stopped {
			t.Errorf("%s: %v, void %t; want %v", tt.name, score, w.stopped, tt.know.score)
		}
	}
}

// A thread that is called away from two nodes leaves the one nearer the root,
// and one that is gone when the call comes stays where it is.
func TestReliefFromTwoNodes(t *testing.T) {
	w := atNode(5, 3)
	w.stack[6].asked = node{alpha: 10, beta: 11, depth: 1, ply: 6}
	w.posts.nodes[6].Store(6)
	for _, hash := range []uint64{5, 6} {
		w.table.store(hash, entry{move: noMove, score: WinIn(2), depth: 3, bound: lower})
	}
	for _, ply := range []int{6, 3, 6} {
		w.posts.relieve(ply, w.posts.nodes[ply].Load())
	}
	if !w.relieved() || w.leave.ply != 3 || w.arrive(6) != 0 {
		t.Errorf("called away from plies 3 and 6, the thread goes to %d", w.leave.ply)
	}
	if score := w.arrive(3); score != WinIn(5) {
		t.Errorf("a win two plies from ply 3 is a %v at the root", score)
	}
	w.posts.relieve(3, 5)
	w.posts.nodes[3].Store(0)
	if w.relieved() {
		t.Error("the thread leaves a node that it is not at")
	}
}

// On a principal variation an exact result counts only if another thread may
// have found it.
func TestAnswers(t *testing.T) {
	one, many := &worker{}, &worker{roads: new(roads)}
	open, empty := node{alpha: 0, beta: 100, depth: 2, pv: true}, node{alpha: 0, beta: 1, depth: 2}
	tests := []struct {
		name      string
		nd        node
		know      entry
		one, many bool
	}{
		{"exact", open, entry{score: 50, depth: 2, bound: exact}, false, true},
		{"shallow", open, entry{score: 50, depth: 1, bound: exact}, false, false},
		{"a bound", open, entry{score: 150, depth: 2, bound: lower}, false, false},
		{"solved", open, entry{score: WinIn(9), depth: solved, bound: exact}, true, true},
		{"a cut-off elsewhere", empty, entry{score: 1, depth: 2, bound: lower}, true, true},
	}
	for _, tt := range tests {
		if _, got := one.answers(&tt.nd, &tt.know); got != tt.one {
			t.Errorf("%s, one thread: %t", tt.name, got)
		}
		if _, got := many.answers(&tt.nd, &tt.know); got != tt.many {
			t.Errorf("%s, several threads: %t", tt.name, got)
		}
	}
}
