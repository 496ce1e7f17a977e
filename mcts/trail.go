package mcts

import "github.com/carozero/carozero/game"

// A Searcher's board stays where the last playout left it, because the next one usually
// begins with the same moves. Select brings it back to the root before it returns.

// walkTo brings the board to the end of a path.
func (s *Searcher) walkTo(path []step) {
	t := &s.tree
	same := 0
	for same < len(path) && same < len(s.trail) && t.moveAt(path[same]) == s.trail[same] {
		same++
	}
	s.undoTo(same)
	for _, st := range path[same:] {
		m := t.moveAt(st)
		s.pos.Play(m)
		s.trail = append(s.trail, m)
	}
}

// toRoot brings the board back to the root.
func (s *Searcher) toRoot() { s.undoTo(0) }

// undoTo undoes moves until that many plies are left.
func (s *Searcher) undoTo(plies int) {
	for range len(s.trail) - plies {
		s.pos.Undo()
	}
	s.trail = s.trail[:plies]
}

// moveAt returns the move of a step.
func (t *tree) moveAt(st step) game.Move {
	return t.moves[t.nodes[st.node].edges+uint32(st.edge)]
}
