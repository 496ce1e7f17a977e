package pn

import (
	"context"
	"math"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Decider finds out who wins a position, or that nobody does: whether either side can be
// beaten, by a [Holder] for each. It belongs to one goroutine.
type Decider struct {
	opts    Options
	holders [2]*Holder // by the side that is to be held
}

// NewDecider returns a decider that knows nothing yet. Of the options Adviser has no meaning;
// TableBytes bounds both tables together.
func NewDecider(o Options) *Decider {
	o.TableBytes = New(o).opts.TableBytes / 2
	return &Decider{o, [2]*Holder{NewHolder(o), NewHolder(o)}}
}

// Decision is the truth about a position, as far as it was found.
type Decision struct {
	Outcome game.Outcome // Undecided: unknown
	Holds   [2]bool      // the sides that were found not to lose
	Nodes   int64        // moves played in all
}

// Found reports whether there is something to certify.
func (d Decision) Found() bool { return d.Outcome != game.Undecided || d.Holds != [2]bool{} }

// Solve finds out who wins b, or that nobody does. Each of both questions gets half of the
// nodes, what earlier calls about the same rules and size have played included, so that
// calls with growing numbers of nodes go on. b is the same afterwards. The error is that of
// ctx.
func (d *Decider) Solve(ctx context.Context, b *pattern.Board, nodes int64) (r Decision, err error) {
	if o := b.Outcome(); o != game.Undecided {
		return Decision{Outcome: o}, nil
	}
	for _, side := range []game.Side{b.ToMove().Other(), b.ToMove()} {
		held := d.holders[side].Solve(ctx, b, side, nodes/2)
		r.Nodes += held.Nodes
		if ctx.Err() != nil {
			return Decision{Nodes: r.Nodes}, ctx.Err()
		}
		switch held.Outcome {
		case vcf.Win:
			r.Holds[side] = true
		case vcf.None:
			r.Outcome, r.Holds = game.WinFor(side.Other()), [2]bool{}
			return r, nil
		}
	}
	if r.Holds == [2]bool{true, true} {
		r.Outcome = game.Draw
	}
	return r, nil
}

// Certify writes the certificate of a decision that the last call of Solve about b has
// found. The error wraps ErrUncertified or is that of ctx.
func (d *Decider) Certify(ctx context.Context, b *pattern.Board, r Decision) (c *certificate.Certificate, err error) {
	g := b.Board()
	if r.Holds == [2]bool{} {
		winner := game.First
		if r.Outcome == game.WinFor(game.Second) {
			winner = game.Second
		}
		c, err = certificate.New(ctx, g, winner, d.holders[0].solver.opts.Certificate, d.holders[winner.Other()].beater(ctx))
	} else {
		var keep [2]certificate.Keeper
		for side, holds := range r.Holds {
			if holds {
				keep[side] = d.holders[side].keeper(ctx)
			}
		}
		c, err = certificate.NewHold(ctx, g, certificate.MaxNodes, keep)
	}
	return certified(ctx, c, err)
}

// keeper plays for the side that a search has found not to lose.
func (h *Holder) keeper(ctx context.Context) certificate.Keeper {
	return func(g *gomoku.Board) (m game.Move, pairs []game.Move, ok bool) {
		if m, ok = h.answer(ctx, g); !ok {
			return m, nil, false
		}
		g.Play(m)
		defer g.Undo()
		if g.Outcome() == game.Undecided {
			pairs, _ = h.pairer.find(g)
		}
		return m, pairs, true
	}
}

// beater plays for the side that beats the one of the searches so far.
func (h *Holder) beater(ctx context.Context) certificate.Strategy {
	return func(g *gomoku.Board) (game.Move, bool) { return h.answer(ctx, g) }
}

// answer returns a move that decides g for the side to move: one that a search has found
// there, or in an image of g, or finds anew because the table has dropped it.
func (h *Holder) answer(ctx context.Context, g *gomoku.Board) (m game.Move, ok bool) {
	p, inverse := h.image(g)
	if p == nil {
		h.again(ctx, g)
		p, inverse = h.image(g)
	}
	if p != nil && p.win != game.NoMove {
		m := game.Move(gomoku.Transform(g.Size(), inverse, int(p.win)))
		return m, g.Legal(m)
	}
	return h.solver.followSolver(ctx, g)
}

// leastAgain is how many moves at least may be played to decide a position again.
const leastAgain = 1_000_000

// again decides a position that a proof leads to, which takes no more moves than the whole
// search did.
func (h *Holder) again(ctx context.Context, g *gomoku.Board) {
	s := &h.solver
	s.ctx, s.board, s.path = ctx, pattern.FromBoard(g), s.path[:0]
	before := s.nodes
	s.budget, s.stopped = before+max(leastAgain, before), ctx.Err() != nil
	s.search(g.Key(), g.ToMove() == s.of.Attacker, alphabeta.Unbounded)
	s.nodes = before
}

// image returns what the table has of a decided position under one of its symmetries, nil
// for nothing, and the symmetry that takes the moves there back.
func (h *Holder) image(g *gomoku.Board) (p *position, inverse int) {
	if p = h.solver.table.find(g.Key()); p != nil && p.Decided() {
		return p, 0
	}
	for sym := 1; sym < gomoku.Symmetries; sym++ {
		of, err := gomoku.NewSetup(g.Rules(), g.Size(), g.Setup(sym))
		if err != nil {
			panic(err) // an image of a position is one
		}
		if p = h.solver.table.find(of.Key()); p != nil && p.Decided() {
			if inverse = sym; sym < 4 {
				inverse = (4 - sym) % 4
			}
			return p, inverse
		}
	}
	return nil, 0
}

// A round begins with advice on the root, of rootAdvice moves in the first one and
// roundGrowth times as many in each of the next, up to lastRound, and ends when roundShare
// times as many more have been played.
const (
	rootAdvice  = 250_000
	roundGrowth = 4
	roundShare  = 8
	lastRound   = 4
)

// rootShare bounds the advice on the root where few moves are left: they are worth more in
// the search.
const rootShare = 4

// Advice on other positions takes leastAdvice moves at first. It is asked for anew, with
// adviceGrowth times as many, when all work on the position has become openShare times
// what the last one might take, or wonShare times if that said that the position is won.
const (
	leastAdvice  = 5_000
	adviceGrowth = 4
	openShare    = 8
	wonShare     = 16
)

// What is assumed of the position after a move of the attacker: one that is thought to
// win is open, one that is only thought best is better than the others.
var (
	advisable = alphabeta.ProofNumbers{PN: 5, DN: 1}
	unlikely  = alphabeta.ProofNumbers{PN: 30, DN: 1}
)

// round is a part of a search that begins with advice on its root.
type round struct {
	Root   [2]uint64 // key
	Number int
	End    int64 // when that many moves have been played in all
}

// beginRound begins a round of the search for the root.
func (s *Solver) beginRound(root [2]uint64, number int) {
	s.round = round{root, number, math.MaxInt64}
	if s.opts.Adviser != nil {
		s.opts.Adviser.Forget()
		s.round.End = s.nodes + (1+roundShare)*s.rootAdvice()
	}
}

// nextRound drops what was not proven, which hangs on the advice of the round before, and
// begins another one.
func (s *Solver) nextRound() {
	s.table.keepProven()
	s.cut = false
	s.beginRound(s.round.Root, s.round.Number+1)
}

// rootAdvice returns how many moves the advice on the root takes.
func (s *Solver) rootAdvice() int64 {
	nodes := s.firstAdvice
	for range min(s.round.Number, lastRound) {
		nodes *= roundGrowth
	}
	return nodes
}

// adviceDue reports whether p, on which that many moves have been spent and in which the
// attacker is to move, is worth advice.
func (s *Solver) adviceDue(p *position, work uint64) bool {
	switch {
	case s.opts.Adviser == nil:
		return false
	case p.advice > 0 && len(s.path) == 1:
		return false
	case p.claimed:
		return work >= wonShare*p.advice
	}
	return work >= openShare*p.advice
}

// advise asks for advice on p, the position on the board, and keeps it there.
func (s *Solver) advise(p *position) {
	nodes, left := max(leastAdvice, adviceGrowth*p.advice), s.budget-s.nodes
	if len(s.path) == 1 {
		nodes, left = uint64(s.rootAdvice()), max(1, left/rootShare)
	}
	a := s.opts.Adviser.Advise(s.ctx, s.board, int(min(int64(nodes), left)))
	s.spend(int64(a.Nodes))
	if s.ctx.Err() != nil {
		return
	}
	p.advice, p.claimed = nodes, a.Wins
	e := edge{s.board.Board().KeyAfter(a.Move), a.Move, advisable}
	if a.Wins {
		e.promise = alphabeta.Open
	}
	if q := s.table.find(e.key); q != nil && q.idle {
		q.idle, q.ProofNumbers = false, e.promise
	}
	if i := slices.IndexFunc(p.moves, func(o edge) bool { return o.move == e.move }); i >= 0 {
		p.moves[i].promise = e.promise
	} else {
		s.table.setMoves(p, append(slices.Clip(p.moves), e))
	}
}

// spend counts moves, and stops the search when its budget is spent or ctx is done.
func (s *Solver) spend(nodes int64) {
	s.nodes += nodes
	s.stopped = s.nodes >= s.budget || s.ctx.Err() != nil
}
