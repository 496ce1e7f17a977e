package pn

import (
	"context"
	"errors"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
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
}

// NewHolder returns a holder that knows nothing yet. Of the options Narrow has no meaning.
func NewHolder(o Options) *Holder {
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
	if of := (subject{g.Rules(), g.Size(), side}); s.of != of {
		s.table, s.nodes, s.of = newTable(s.opts.TableBytes), 0, of
		s.table.keepDecided = true
		h.pairer = newPairer(g.Size())
	}
	s.ctx, s.board, s.path = ctx, b, s.path[:0]
	s.budget = nodes
	s.stopped = s.nodes >= nodes || ctx.Err() != nil
	s.search(g.Key(), b.ToMove() == side, unbounded)
	r := Held{Nodes: s.nodes}
	switch n := s.table.claim(g.Key(), open).numbers; {
	case ctx.Err() != nil:
	case n.pn == 0:
		r.Outcome = vcf.Win
	case n.dn == 0:
		r.Outcome = vcf.None
	}
	return r
}

// expander returns the moves of the position on the board, or a decision.
func (h *Holder) expander(holding bool) (moves []edge, n numbers) {
	s, b := &h.solver, h.solver.board
	from := len(s.list)
	defer func() { s.list = s.list[:from] }()
	s.list = b.Wins(s.list)
	wins := len(s.list) > from
	s.list = s.list[:from]
	won, lost := proven, disproven
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
	h.worth = h.pairer.worth(b.Board(), s.of.Attacker.Other(), h.worth)
	for _, m := range s.list[from:] {
		if s.stopped {
			break
		}
		if !b.Legal(m) {
			continue
		}
		key := b.Board().KeyAfter(m)
		if q := s.table.find(key); q == nil || !q.decided() {
			b.Play(m)
			o := b.Outcome()
			b.Undo()
			s.nodes++
			switch {
			case o == game.WinFor(s.of.Attacker), o == game.Draw:
				s.table.decide(s.table.claim(key, proven), proven)
			case o != game.Undecided:
				s.table.decide(s.table.claim(key, disproven), disproven)
			}
		}
		moves = append(moves, edge{key, m, h.promise(m, holding)})
	}
	if len(moves) == 0 {
		return nil, lost // no move parries a five
	}
	return moves, open
}

// promise is what is assumed of the position after a move of the side that is to move:
// the more lines of the other side, or of its own, it crosses, the less there is to prove.
func (h *Holder) promise(m game.Move, holding bool) numbers {
	most := 0
	for _, n := range h.worth {
		most = max(most, n)
	}
	n := numbers{uint32(1 + most - h.worth[m]), 1}
	if !holding {
		n = n.turned()
	}
	return n
}

// keeper plays for the side that a search has found not to lose.
func (h *Holder) keeper(ctx context.Context) certificate.Keeper {
	return func(g *gomoku.Board) (m game.Move, pairs []game.Move, ok bool) {
		if m, ok = h.solver.Move(ctx, g); !ok {
			return h.pair(g)
		}
		g.Play(m)
		defer g.Undo()
		if g.Outcome() == game.Undecided {
			pairs, _ = h.pairer.find(g)
		}
		return m, pairs, true
	}
}

// pair returns a move after which a pairing holds the other side, and its pairs. There is
// one after every move against a pairing, such as one at the start of a search.
func (h *Holder) pair(g *gomoku.Board) (m game.Move, pairs []game.Move, ok bool) {
	for _, m := range g.Moves(nil) {
		g.Play(m)
		if g.Outcome() == game.Undecided {
			pairs, ok = h.pairer.find(g)
		}
		g.Undo()
		if ok {
			return m, pairs, true
		}
	}
	return game.NoMove, nil, false
}

// beater plays for the side that beats the one of the searches so far.
func (h *Holder) beater(ctx context.Context) certificate.Strategy {
	return func(g *gomoku.Board) (m game.Move, ok bool) {
		if p := h.solver.table.find(g.Key()); p != nil && p.dn == 0 && p.win != game.NoMove {
			return p.win, true
		}
		return h.solver.followSolver(ctx, g)
	}
}

// ErrCaptures: Decide knows no rules with captures.
var ErrCaptures = errors.New("positions are not decided where stones are captured")

// Decision is the truth about a position.
type Decision struct {
	Outcome     game.Outcome // Undecided: unknown
	Nodes       int64        // moves played in all
	Certificate *certificate.Certificate
}

// Decide finds out who wins a position, or that nobody does, and certifies it;
// each of both questions, whether either side can be beaten, gets half of the nodes. b is
// the same afterwards. The error is ErrCaptures, wraps ErrUncertified or is that of ctx.
func Decide(ctx context.Context, b *pattern.Board, o Options, nodes int64) (d Decision, err error) {
	var keep [2]certificate.Keeper
	g := b.Board()
	switch {
	case g.Outcome() != game.Undecided:
		return Decision{Outcome: g.Outcome()}, nil
	case g.Rules().Captures:
		return d, ErrCaptures
	}
	for _, side := range []game.Side{b.ToMove().Other(), b.ToMove()} {
		h := NewHolder(o)
		r := h.Solve(ctx, b, side, nodes/2)
		d.Nodes += r.Nodes
		switch r.Outcome {
		case vcf.Win:
			keep[side] = h.keeper(ctx)
		case vcf.None:
			d.Certificate, err = certificate.New(ctx, g, side.Other(), h.solver.opts.Certificate, h.beater(ctx))
			d.Outcome = game.WinFor(side.Other())
			return d.certified(ctx, err)
		}
		if ctx.Err() != nil {
			return d, ctx.Err()
		}
	}
	if keep[0] == nil && keep[1] == nil {
		return d, nil
	}
	d.Certificate, err = certificate.NewHold(ctx, g, certificate.MaxNodes, keep)
	if keep[0] != nil && keep[1] != nil {
		d.Outcome = game.Draw
	}
	return d.certified(ctx, err)
}

// certified returns a decision whose certificate was written, and otherwise none.
func (d Decision) certified(ctx context.Context, err error) (Decision, error) {
	switch {
	case ctx.Err() != nil:
		return Decision{Nodes: d.Nodes}, ctx.Err()
	case err != nil:
		return Decision{Nodes: d.Nodes}, errors.Join(ErrUncertified, err)
	}
	return d, nil
}
