package games

import (
	"context"

	"github.com/carozero/carozero/alphabeta"
	abgomoku "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/pn"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// gomokuAdviser implements [pn.Adviser] with the classical search, one thread of it, and
// the evaluation that is fitted to games. Positions of one proof have much in common, so
// the table of the search is kept from one to the next.
type gomokuAdviser struct{ searcher *alphabeta.Searcher }

// The adviser's table gets a share of the memory of both, and no more than it can fill.
const (
	adviserShare = 4
	mostAdviser  = 256 << 20
)

// newAdvisedSolver returns a solver with an adviser, and that many bytes for the tables of
// both, or about so many.
func newAdvisedSolver(bytes int64, o pn.Options) *pn.Solver {
	own := min(bytes/adviserShare, mostAdviser)
	s, err := alphabeta.New(abgomoku.Game{}, alphabeta.Options{TableMiB: int(max(1, own>>20))})
	if err != nil {
		panic(err) // there is no room for mostAdviser
	}
	o.TableBytes, o.Adviser = bytes-own, &gomokuAdviser{s}
	return pn.New(o)
}

// Advise implements [pn.Adviser].
func (a *gomokuAdviser) Advise(ctx context.Context, b *pattern.Board, nodes int64) pn.Advice {
	r, err := a.searcher.Search(ctx, b.Board(), alphabeta.Limits{Nodes: nodes, Won: true})
	if err != nil && ctx.Err() == nil {
		panic(err) // a board of gomoku can be searched unless the game is over
	}
	_, claimed := r.Score.Claim()
	return pn.Advice{Move: r.Move, Wins: claimed && r.Score > 0, Nodes: r.Stats.Nodes}
}

// Forget implements [pn.Adviser].
func (a *gomokuAdviser) Forget() { a.searcher.Clear() }
