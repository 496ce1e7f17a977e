package mcts

import "github.com/carozero/carozero/game"

// The board of a Searcher stays where the last playout has left it: the next one
// usually begins with the same moves. Select brings it back to the root before it
// returns.

// stand brings the board to the end of a path.
func (s *Searcher) stand(path []step) {
	t := &s.tree
	same := 0
	for same < len(path) && same < len(s.trail) && t.moveAt(path[same]) == s.trail[same] {
		same++
	}
	s.back(same)
	for _, st := range path[same:] {
		m := t.moveAt(st)
		s.pos.Play(m)
		s.trail = append(s.trail, m)
	}
}

// home brings the board back to the root.
func (s *Searcher) home() { s.back(0) }

// back takes moves back until so many are left.
func (s *Searcher) back(plies int) {
	for range len(s.trail) - plies {
		s.pos.Undo()
	}
	s.trail = s.trail[:plies]
}

// moveAt returns the move of a step.
func (t *tree) moveAt(st step) game.Move {
	return t.moves[t.nodes[st.node].edges+uint32(st.edge)]
}
