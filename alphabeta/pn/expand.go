package pn

import (
	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
)

// progressStep is how many positions are expanded between two reports of progress.
const progressStep = 100

// expand finds out what is left to search of the position on the board, or decides it.
// It does neither if the search was stopped on the way.
func (s *Solver) expand(p *position, attacking bool) {
	if s.table.full() {
		s.table.shrink(s.onPath)
	}
	if s.expanded++; s.opts.Progress != nil && s.expanded%progressStep == 0 {
		root := s.table.find(s.path[0])
		s.opts.Progress(Progress{s.nodes, len(s.table.positions), root.PN, root.DN})
	}
	var (
		moves []edge
		n     proofnumber.Numbers
	)
	switch o := s.board.Outcome(); {
	case o != game.Undecided:
		n = s.ended(o)
	case s.expander != nil:
		moves, n = s.expander(attacking)
	case attacking:
		moves, n = s.threats()
	default:
		moves, n = s.replies(p)
	}
	switch {
	case s.stopped:
	case n.Decided():
		s.table.decide(p, n)
	default:
		s.table.setMoves(p, moves)
	}
}

// ended returns what the end of a game is worth: a draw is a success of a holder alone.
func (s *Solver) ended(o game.Outcome) proofnumber.Numbers {
	if o == game.WinFor(s.of.Attacker) || o == game.Draw && s.expander != nil {
		return proofnumber.Proven
	}
	return proofnumber.Disproven
}

// threats returns the moves of the attacker, who is to move, that may be threats, or a
// decision. With an adviser there may be none yet.
func (s *Solver) threats() (moves []edge, n proofnumber.Numbers) {
	if s.won(vcf.VCF, s.opts.Fours) || s.won(vcf.VCT, s.opts.Threes) {
		return nil, proofnumber.Proven
	}
	b := s.board
	from := len(s.list)
	list, forced := s.leaf.DefencesAtOnce(b, s.list)
	if !forced {
		near := b.Candidates()
		list = near.Append(s.list)
	}
	s.list = list
	for _, m := range s.list[from:] {
		if !b.Legal(m) {
			continue
		}
		key := b.Board().KeyAfter(m)
		if q := s.table.find(key); q == nil || q.DN != 0 {
			moves = append(moves, edge{key, m, unlikely})
		}
	}
	s.list = s.list[:from]
	if len(moves) == 0 && s.opts.Adviser == nil {
		return nil, proofnumber.Disproven
	}
	return moves, proofnumber.Open
}

// replies returns the moves of the defender, who is to move in the position p on the board,
// that the attacker has no answer to by fours, or a decision.
func (s *Solver) replies(p *position) (moves []edge, n proofnumber.Numbers) {
	b := s.board
	from := len(s.list)
	defer func() { s.list = s.list[:from] }()
	if s.list = b.Wins(s.list); len(s.list) > from {
		return nil, proofnumber.Disproven
	}
	if !s.advised && !b.Board().Pending() && !s.couldWin() {
		p.idle = !s.stopped
		return nil, proofnumber.Disproven
	}
	s.list = b.Moves(s.list)
	for _, m := range s.list[from:] {
		if s.stopped {
			break
		}
		key := b.Board().KeyAfter(m)
		if q := s.table.find(key); q != nil && q.Decided() {
			if q.DN == 0 {
				return nil, proofnumber.Disproven
			}
			continue
		}
		b.Play(m)
		outcome := b.Outcome()
		lost := outcome == game.WinFor(b.ToMove()) || outcome == game.Undecided && s.won(vcf.VCF, s.opts.Fours)
		b.Undo()
		s.nodes++
		switch {
		case outcome == game.Draw:
			return nil, proofnumber.Disproven
		case !lost:
			moves = append(moves, edge{key, m, proofnumber.Open})
		}
	}
	if len(moves) == 0 {
		return nil, proofnumber.Proven
	}
	return moves, proofnumber.Open
}

// couldWin reports whether the attacker, whose move was the last, would win should the
// defender pass.
func (s *Solver) couldWin() bool {
	s.board.Pass()
	yes := s.won(vcf.VCF, s.opts.Fours) || s.won(vcf.VCT, s.opts.Threes)
	s.board.Pass()
	return yes
}

// won reports whether the solver finds a win of the side to move.
func (s *Solver) won(kind vcf.Kind, nodes int) bool {
	if s.stopped {
		return false
	}
	r := s.leaf.Decide(s.ctx, s.board, kind, nodes)
	s.spend(int64(r.Nodes) + 1)
	s.cut = s.cut || r.Outcome == vcf.Unknown
	return r.Outcome == vcf.Win
}
