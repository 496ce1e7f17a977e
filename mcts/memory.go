package mcts

// Memory is the size of a Searcher's tree.
type Memory struct {
	Nodes     int
	Edges     int     // legal moves of all expanded nodes, visited or not
	NodeBytes float64 // bytes in use for each node, its entry among its parent's visited edges and unused room there included
	EdgeBytes float64 // bytes in use for each edge, visited or not
	Reserved  int64   // bytes that the Searcher holds for its trees
}

// Memory measures the current tree.
func (s *Searcher) Memory() Memory {
	t := &s.tree
	nodes := float64(len(t.nodes))
	return Memory{
		Nodes:     len(t.nodes),
		Edges:     len(t.moves),
		NodeBytes: nodeBytes + kidBytes*float64(len(t.kids))/nodes,
		EdgeBytes: edgeBytes,
		Reserved:  t.reserved() + s.spare.reserved(),
	}
}
