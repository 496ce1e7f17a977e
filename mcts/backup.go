package mcts

// backupOldest backs up the oldest playout, which has its result.
func (s *Searcher) backupOldest() {
	p := s.queue.pop()
	s.run.count(len(p.path))

	t := &s.tree
	leaf := &t.nodes[p.leaf]
	if p.asked {
		p.moves, p.result.Priors = s.run.limits.Restrict.filter(len(p.path), p.side, p.moves, p.result.Priors)
	}
	proven := p.fresh && p.proof != Unknown && leaf.proof() == Unknown
	if proven {
		leaf.setProof(p.proof, p.plies)
	}
	if p.leaf == 0 && p.fresh {
		s.expandRoot(p)
	} else if p.asked {
		t.expand(p.leaf, p.moves, p.result.Priors, p.result.Value())
	} else if p.valueOnly {
		leaf.setLazy(p.value)
	} else if proven {
		leaf.setWinningMove(p.move)
	}
	if len(p.path) > 0 && p.path[0].held {
		s.root.credit(p.drawn, int(p.path[0].edge))
	}
	t.backup(p.path, p.leaf, fixed(leaf.value), proven)
	if s.opts.EarlyStop && s.run.quota > 0 && !s.halving.on {
		s.run.stopped = s.run.stopped || s.leadIsFinal()
	}
}

// leadIsFinal reports whether the remaining playouts cannot change which move of the
// root has the most visits. Playouts in flight count for the move that they follow.
func (s *Searcher) leadIsFinal() bool {
	var most, second uint32
	nd := &s.tree.nodes[0]
	for _, k := range s.tree.kids[nd.kids:][:nd.nKids] {
		switch {
		case s.tree.nodes[k.node].proof() == Draw:
			return false
		case k.lost():
		case k.visits > most:
			most, second = k.visits, most
		case k.visits > second:
			second = k.visits
		}
	}
	return int64(most)-int64(second) > int64(s.run.left())
}

// backup adds one visit and the value, for the leaf's side to move, to the leaf and to
// all nodes on the path to it. A proven node's sum is set to its proven value times its
// visits. The difference is passed on to the nodes above, so that their means no longer
// contain the values that the proof refuted; it stops at a node with a drawn child,
// whose held visits never were part of the node's sum. proven says that the leaf has
// just been proven. A proof below a proven node is passed up as long as it shortens the
// proofs there.
func (t *tree) backup(path []step, leaf uint32, value int64, proven bool) {
	child := &t.nodes[leaf]
	square := squareOf(value)
	if child.proof() != Unknown {
		square = squareOf(fixed(child.proof().Value()))
	}
	for i := len(path) - 1; ; i-- {
		child.visits++
		if child.proof() == Unknown {
			child.sum += value
			child.addSquare(square)
		} else {
			sum := int64(child.visits) * fixed(child.proof().Value())
			value = sum - child.sum
			child.sum = sum
		}
		if i < 0 {
			return
		}
		parent := &t.nodes[path[i].node]
		k := &t.kids[parent.kids+uint32(path[i].edge)]
		if child.proof() == Win {
			k.lose()
		} else {
			k.q = -child.mean()
		}
		proven = proven && (parent.proof() == Unknown && t.proveParent(parent, child, i) || t.shorten(parent, child))
		if child.proof() != Unknown && t.mayHold(parent, child) {
			value = fixed(child.proof().Value())
		}
		value = -value
		if path[i].held {
			value, square = 0, 0
		}
		child = parent
	}
}

// mayHold reports whether visits of child, a child of nd, may have been held: nd
// has another child that is a proven draw.
func (t *tree) mayHold(nd, child *node) bool {
	for _, k := range t.kids[nd.kids:][:nd.nKids] {
		if c := &t.nodes[k.node]; c != child && c.proof() == Draw {
			return true
		}
	}
	return false
}

// squareOf returns the square of a value in fixed point.
func squareOf(value int64) float32 {
	v := float32(value) / one
	return float32(v * v)
}

// proveParent tries to prove nd, ply plies below the root, after one of its children
// was proven. One lost child proves a win; a loss or a draw needs a proof of every
// legal move.
func (t *tree) proveParent(nd, child *node, ply int) bool {
	if child.proof() == Loss {
		t.proofs++
		nd.setProof(Win, child.plies()+1)
		return true
	}
	if nd.nKids < nd.n || ply < t.partial {
		return false
	}
	proof := Loss
	var lost, drawn int // longest
	for _, k := range t.kids[nd.kids:][:nd.nKids] {
		switch c := &t.nodes[k.node]; c.proof() {
		case Unknown:
			return false
		case Draw:
			proof, drawn = Draw, max(drawn, c.plies())
		default:
			lost = max(lost, c.plies())
		}
	}
	t.proofs++
	longest := lost
	if proof == Draw {
		longest = drawn
	}
	nd.setProof(proof, longest+1)
	return true
}

// shorten shortens the proof of nd by the new proof of its child, and reports whether
// it could. Playouts that were in flight below nd when it was proven may find a faster
// win.
func (t *tree) shorten(nd, child *node) bool {
	plies := 0
	switch {
	case nd.proof() == Win && child.proof() == Loss:
		plies = child.plies() + 1
	case nd.proof() == Loss && nd.nKids == nd.n:
		for _, k := range t.kids[nd.kids:][:nd.nKids] {
			plies = max(plies, t.nodes[k.node].plies()+1)
		}
	}
	if plies == 0 || plies >= nd.plies() {
		return false
	}
	nd.setProof(nd.proof(), plies)
	return true
}

// takeBack undoes the launch of p, the latest playout in flight.
func (s *Searcher) takeBack(p *playout) {
	t := &s.tree
	for _, st := range p.path {
		t.kids[t.nodes[st.node].kids+uint32(st.edge)].visits--
	}
	if n := len(p.path); p.fresh && n > 0 {
		t.dropKid(p.path[n-1].node)
	}
}
