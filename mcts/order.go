package mcts

import (
	"math"
	"slices"

	"github.com/carozero/carozero/game"
)

// Selection needs only the first unvisited edge in prior order, which is by descending
// prior and then by ascending move. Most nodes have few visits, so a node's edges are
// sorted in three steps, each when all edges sorted so far have been visited: the first
// rung1 on expansion, then rung2 in total, then the rest. Edges not yet sorted stay in
// move order. A node that can be asked for its edges again keeps the first rung2 only,
// sorted, until they have been visited; see playout.go.
const (
	rung1 = 4
	rung2 = 16
)

// reach returns how many of nd's first edges selection may look at: rung2 until all of
// these have been visited, then all.
func (nd *node) reach() int {
	if nd.nKids < rung2 {
		return min(int(nd.n), rung2)
	}
	return int(nd.n)
}

// order takes the next sorting step of nd if it is due.
func (t *tree) order(nd *node) {
	visited := int(nd.nKids)
	if visited != 0 && visited != rung1 && visited != rung2 {
		return
	}
	from, to := int(nd.edges)+visited, int(nd.edges)+int(nd.n)
	moves, priors := t.moves[from:to], t.priors[from:to]
	switch {
	case visited == 0:
		front(moves, priors, rung1)
	case visited == rung1:
		front(moves, priors, rung2-rung1)
	default:
		t.sortEdges(moves, priors)
	}
}

// front brings the first m edges of the prior order, m <= rung2, to the front
// and leaves the others in the order they had.
func front(moves []game.Move, priors []float32, m int) {
	var top [rung2]int
	n := best(priors, m, &top)
	lift(moves, top[:n])
	lift(priors, top[:n])
}

// best sets top to the indices of the first m edges in prior order, m <= rung2, and
// returns how many there are. Most priors of a policy are small, and it looks at them only
// if there are fewer than m others.
func best(priors []float32, m int, top *[rung2]int) (n int) {
	m = min(m, len(priors))
	var found [rung2]float32 // the priors of top
	small, infinity := 1/float32(4*len(priors)+1), float32(math.Inf(1))
	for _, bounds := range [...][2]float32{{small, infinity}, {-infinity, small}} {
		if n == m {
			break
		}
		least, most := bounds[0], bounds[1]
		for i, p := range priors {
			if p <= least || p > most {
				continue
			}
			if n < m {
				n++
			}
			j := n - 1
			for ; j > 0 && p > found[j-1]; j-- {
				found[j], top[j] = found[j-1], top[j-1]
			}
			found[j], top[j] = p, i
			if n == m {
				least = found[m-1]
			}
		}
	}
	return n
}

// lift moves the elements of s at the distinct indices of top to its front, in
// that order, and keeps the order of the others. len(top) <= rung2.
func lift[T any](s []T, top []int) {
	var lifted [rung2]T
	var at [rung2]int
	for i, j := range top {
		lifted[i] = s[j]
		at[i] = j
	}
	rising := at[:len(top)]
	slices.Sort(rising)
	for i := len(rising) - 1; i >= 0; i-- {
		begin, end := 0, rising[i]
		if i > 0 {
			begin = rising[i-1] + 1
		}
		copy(s[begin+len(rising)-i:], s[begin:end])
	}
	copy(s, lifted[:len(top)])
}

// sortEdges puts edges in prior order.
func (t *tree) sortEdges(moves []game.Move, priors []float32) {
	keys := t.keys[:0]
	for i, p := range priors {
		keys = append(keys, uint64(^math.Float32bits(p+0))<<16|uint64(moves[i]))
	}
	slices.Sort(keys)
	for i, k := range keys {
		moves[i] = game.Move(k)
		priors[i] = math.Float32frombits(^uint32(k >> 16))
	}
	t.keys = keys
}
