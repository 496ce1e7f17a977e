package pn

import (
	"context"
	"math"
	"slices"

	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Adviser looks for the move that wins, in its own way. The advice says what is searched
// first, and proves nothing. Equal calls since Forget get equal advice.
type Adviser interface {
	// Advise searches for the side to move on b, which is not over, and plays that many
	// moves at most. It leaves b as it is.
	Advise(ctx context.Context, b *pattern.Board, nodes int64) Advice

	// Forget drops all that earlier calls have left behind.
	Forget()
}

// Advice is what an Adviser thinks of a position.
type Advice struct {
	Move  game.Move // the best one, legal
	Wins  bool      // it is thought to win
	Nodes int64     // moves played to find out
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
	advisable = proofnumber.Numbers{PN: 5, DN: 1}
	unlikely  = proofnumber.Numbers{PN: 30, DN: 1}
)

// round is a part of a search that begins with advice on its root.
type round struct {
	Root   [2]uint64 // key
	Number int
	End    int64 // when that many moves have been played in all
}

// beginRound begins a round of the search for the root.
func (s *Solver) beginRound(root [2]uint64, number int) error {
	s.round = round{root, number, math.MaxInt64}
	if s.opts.Adviser != nil {
		s.opts.Adviser.Forget()
		s.round.End = s.nodes + (1+roundShare)*s.rootAdvice()
	}
	if s.opts.Round == nil {
		return nil
	}
	return s.opts.Round()
}

// nextRound drops what was not proven, which hangs on the advice of the round before, and
// begins another one.
func (s *Solver) nextRound() error {
	s.table.keepProven()
	s.cut = false
	return s.beginRound(s.round.Root, s.round.Number+1)
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
	a := s.opts.Adviser.Advise(s.ctx, s.board, min(int64(nodes), left))
	s.spend(a.Nodes)
	if s.ctx.Err() != nil {
		return
	}
	p.advice, p.claimed = nodes, a.Wins
	e := edge{s.board.Board().KeyAfter(a.Move), a.Move, advisable}
	if a.Wins {
		e.promise = proofnumber.Open
	}
	if q := s.table.find(e.key); q != nil && q.idle {
		q.idle, q.Numbers = false, e.promise
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
