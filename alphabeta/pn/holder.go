package pn

import (
	"context"

	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Holder finds out whether a side can be beaten: every move of either side counts, so that
// what it says is the truth. It belongs to one goroutine.
//
// It is a df-pn search as that of [Solver], of which the aim is not to lose. With the other
// side to move a position is won for the aim where a pairing holds that side (pairer), or
// where it has no line of five left; it is lost where that side wins by fours, or by fours
// and threes. Moves that cross many open lines are tried first.
type Holder struct {
	solver Solver
	pairer *pairer
	worth  []int

	symmetries []int // of the position that is being expanded
}

// NewHolder returns a holder that knows nothing yet. Of the options Adviser has no meaning.
func NewHolder(o Options) *Holder {
	o.Adviser = nil
	h := &Holder{solver: *New(o)}
	h.solver.expander = h.expander
	return h
}

// Held says whether a side can be beaten.
type Held struct {
	Outcome vcf.Outcome // Win: the side does not lose; None: it loses; Unknown
	Nodes   int64       // moves that were played in all
}

// Solve finds out whether a side can be beaten on b, whoever is to move, and plays about so
// many moves at most, those of earlier calls about the same side and rules included. When
// ctx is done, the outcome is Unknown. b is the same afterwards.
func (h *Holder) Solve(ctx context.Context, b *pattern.Board, side game.Side, nodes int64) Held {
	s, g := &h.solver, b.Board()
	h.begin(subject{g.Rules(), g.Size(), side})
	s.ctx, s.board, s.path = ctx, b, s.path[:0]
	s.budget = nodes
	s.stopped = s.nodes >= nodes || ctx.Err() != nil
	s.search(g.Key(), b.ToMove() == side, proofnumber.Unbounded)
	r := Held{Nodes: s.nodes}
	switch n := s.table.claim(g.Key(), proofnumber.Open).Numbers; {
	case ctx.Err() != nil:
	case n.PN == 0:
		r.Outcome = vcf.Win
	case n.DN == 0:
		r.Outcome = vcf.None
	}
	return r
}

// begin prepares a search, and forgets what belongs to another subject.
func (h *Holder) begin(of subject) {
	if s := &h.solver; s.of != of {
		s.table, s.foreign, s.nodes, s.of = newTable(s.opts.TableBytes), false, 0, of
		s.table.dropProven = true
		h.pairer = newPairer(of.Size)
	}
}

// expander returns the moves of the position on the board, or a decision.
func (h *Holder) expander(holding bool) (moves []edge, n proofnumber.Numbers) {
	s, b := &h.solver, h.solver.board
	from := len(s.list)
	defer func() { s.list = s.list[:from] }()
	s.list = b.Wins(s.list)
	wins := len(s.list) > from
	s.list = s.list[:from]
	won, lost := proofnumber.Proven, proofnumber.Disproven
	if !holding {
		won, lost = lost, won
	}
	if wins || s.won(vcf.VCF, s.opts.Fours) || !holding && s.won(vcf.VCT, s.opts.Threes) {
		return nil, won
	}
	if !holding {
		if _, ok := h.pairer.find(b.Board()); ok {
			return nil, lost
		}
	}
	list, forced := s.leaf.DefencesAtOnce(b, s.list)
	if !forced {
		list = b.Moves(s.list)
	}
	s.list = list
	h.symmetries = symmetries(b.Board(), h.symmetries)
	h.worth = h.pairer.worth(b.Board(), s.of.Attacker.Other(), h.worth)
	for _, m := range s.list[from:] {
		if s.stopped {
			break
		}
		if !b.Legal(m) || h.mirrored(m) {
			continue
		}
		key := b.Board().KeyAfter(m)
		if q := s.table.find(key); q == nil || !q.Decided() {
			b.Play(m)
			o := b.Outcome()
			b.Undo()
			s.nodes++
			switch {
			case o == game.WinFor(s.of.Attacker), o == game.Draw:
				s.table.decide(s.table.claim(key, proofnumber.Proven), proofnumber.Proven)
			case o != game.Undecided:
				s.table.decide(s.table.claim(key, proofnumber.Disproven), proofnumber.Disproven)
			}
		}
		moves = append(moves, edge{key, m, h.promise(m, holding)})
	}
	if len(moves) == 0 {
		return nil, lost // no move parries a five
	}
	return moves, proofnumber.Open
}

// promise is what is assumed of the position after a move of the side that is to move:
// the more lines of the other side, or of its own, it crosses, the less there is to prove.
func (h *Holder) promise(m game.Move, holding bool) proofnumber.Numbers {
	most := 0
	for _, n := range h.worth {
		most = max(most, n)
	}
	n := proofnumber.Numbers{PN: uint32(1 + most - h.worth[m]), DN: 1}
	if !holding {
		n = n.Turned()
	}
	return n
}

// symmetries returns the symmetries, but for the identity, that leave a position as it is.
func symmetries(b *gomoku.Board, buf []int) []int {
	size := b.Size()
	buf = buf[:0]
	for sym := 1; sym < gomoku.Symmetries; sym++ {
		same := true
		for c := 0; same && c < size*size; c++ {
			same = b.At(c) == b.At(gomoku.Transform(size, sym, c))
		}
		if same {
			buf = append(buf, sym)
		}
	}
	return buf
}

// mirrored reports whether a symmetry of the position takes the move to one of a lower
// number.
func (h *Holder) mirrored(m game.Move) bool {
	for _, sym := range h.symmetries {
		if gomoku.Transform(h.solver.of.Size, sym, int(m)) < int(m) {
			return true
		}
	}
	return false
}
