package mcts

// A playout of a network that answers at once costs less than the way to its leaf: at
// every node on it all visited edges are scored, and nearly always the same one wins as
// the playout before. So playouts in a row keep to a choice, as long as
//
//   - they are at most Options.Stride times as many as the visits of the chosen move
//     before them,
//   - the move's score would still be the best if its mean and all other scores stayed
//     as they were, and
//   - nothing on the way was proven meanwhile.
//
// A choice that is made below another one holds no longer than that one. Which path a
// playout takes is a function of the tree and of the number of playouts launched, as
// ever. Rapfi's tree search (commit af7013f) backs up several visits of one descent
// likewise.

// stay is the path of the last playout, with how long each of its choices holds.
type stay struct {
	path   []step
	until  []int // the run.launched at which a choice must be made anew; never grows with the depth
	proofs int   // tree.proofs when the path was last searched for proven nodes
}

// cut leaves the first n steps; with none the next playout starts at the root.
func (y *stay) cut(n int) { y.path, y.until = y.path[:n], y.until[:n] }

// add appends a step that holds until so many playouts have been launched.
func (y *stay) add(st step, until int) {
	if n := len(y.until); n > 0 {
		until = min(until, y.until[n-1])
	}
	y.path, y.until = append(y.path, st), append(y.until, until)
}

// resume returns the beginning of the last playout's path that the next one follows
// too. All its nodes are visited and unproven.
func (s *Searcher) resume() []step {
	y, t := &s.stay, &s.tree
	n := len(y.path)
	for n > 0 && y.until[n-1] <= s.run.launched {
		n--
	}
	if t.proofs != y.proofs {
		y.proofs = t.proofs
		for i, st := range y.path[:n] {
			if t.nodes[t.kidOf(st).node].proof() != Unknown {
				n = i
				break
			}
		}
	}
	y.cut(n)
	return y.path
}

// times returns how many playouts in a row, the present one included, may follow st,
// which was chosen at nd. It is 1 where something other than the scores has chosen.
func (s *Searcher) times(nd *node, st step, c *choice) int {
	if int(st.edge) != c.edge || st.edge >= nd.nKids || st.node == 0 && s.run.steered {
		return 1
	}
	k := s.tree.kidOf(st)
	if s.tree.nodes[k.node].proof() != Unknown {
		return 1
	}
	most := float32(s.stride * float32(k.visits))
	if gap := c.second - k.q; gap > 0 {
		// The score is q + scale*P/(1+n), at least the second up to this n.
		bonus := float32(c.scale * s.tree.priors[nd.edges+uint32(st.edge)])
		most = min(most, float32(bonus/gap)-float32(k.visits))
	}
	return int(max(1, most))
}

// kidOf returns the record of the edge that a step follows, which has been visited.
func (t *tree) kidOf(st step) *kid {
	return &t.kids[t.nodes[st.node].kids+uint32(st.edge)]
}
