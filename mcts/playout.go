package mcts

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// step is one edge of a playout's path: the edge's index within its node. A step is
// held if its node has a proven draw and the playout only checks whether another move
// is better: the node and those above it count the visit as a draw.
type step struct {
	node uint32
	edge uint16
	held bool
}

// playout is one descent from its selection to its backup.
type playout struct {
	path  []step // from the root to the leaf
	leaf  uint32
	fresh bool // the leaf has no result yet: this playout evaluates it
	drawn int  // the root's drawn edge that a held first step replaces
	ready bool // the result has arrived

	// Result of assessing a fresh leaf.
	proof     Proof
	plies     int
	move      game.Move // first move of a win
	asked     bool      // the evaluator was asked: moves and result count
	side      game.Side
	moves     []game.Move
	result    nn.Result
	priorBuf  []float32
	valueOnly bool    // the evaluator was asked only for the value
	value     float32 // its answer
}

// launch starts one playout. It reports false and changes nothing if every path leads
// to a node whose evaluation is pending.
func (s *Searcher) launch() bool {
	p := s.queue.free()
	if !s.descend(p) {
		return false
	}
	t := &s.tree
	for _, st := range p.path {
		t.kids[t.nodes[st.node].kids+uint32(st.edge)].visits++
	}
	s.run.launched++
	if s.halving.on && len(p.path) > 0 {
		s.halving.count(int(p.path[0].edge))
	}
	p.asked, p.valueOnly, p.proof, p.ready = false, false, Unknown, true
	if p.fresh {
		s.walkTo(p.path)
		s.assess(p)
	}
	s.queue.push()
	return true
}

// assess evaluates the fresh leaf of p, whose position is on the board. The game may be
// over there, won at once, or proven by the solver; else the evaluator is asked. The root
// is evaluated even if it is won.
func (s *Searcher) assess(p *playout) {
	pos := s.pos
	s.proveLeaf(p)
	if p.proof != Unknown && len(p.path) > 0 {
		return
	}
	s.run.evals++
	if s.instant != nil && len(p.path) > 0 {
		p.valueOnly, p.value = true, s.instant.Value(pos)
		return
	}
	p.moves, p.side = pos.Moves(p.moves[:0]), pos.ToMove()
	p.result.Priors = p.priorBuf[:len(p.moves)]
	p.asked = true
	p.ready = s.eval.Add(pos, s.eval.Tag(pos), p.moves, &p.result)
}

// proveLeaf looks for a proof at the fresh leaf of p, whose position is on the
// board.
func (s *Searcher) proveLeaf(p *playout) {
	pos := s.pos
	if o := pos.Outcome(); o != game.Undecided {
		p.proof, p.plies, p.move = proofOf(o, pos.ToMove()), 0, game.NoMove
		return
	}
	ply, restrict := len(p.path), s.run.limits.Restrict
	if s.moves = restrict.permitted(ply, pos.ToMove(), pos.Wins(s.moves[:0])); len(s.moves) > 0 {
		p.proof, p.plies, p.move = Win, 1, s.moves[0]
		return
	}
	if restrict.at(ply) {
		return
	}
	if f := s.solver.Leaf(s.run.ctx, pos); f.Found() {
		p.proof, p.plies, p.move = f.Proof, f.Plies, f.Move
	}
}

// proofOf states the outcome of a finished game for side.
func proofOf(o game.Outcome, side game.Side) Proof {
	switch o.Value(side) {
	case 1:
		return Win
	case -1:
		return Loss
	}
	return Draw
}
