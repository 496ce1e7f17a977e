package tactics

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Composer makes problems with long wins, which are rare in games: it lays
// stones at random and moves one after the other as long as the win becomes no
// shorter.
type Composer struct {
	Rules    gomoku.Rules
	Size     int
	Kind     vcf.Kind
	Stones   int
	Margin   int // rows and columns at every edge without stones
	Steps    int // boards that are tried for a problem
	Nodes    int // the solver's budget for a board
	MinPlies int // the shortest win that is worth keeping
	Seed     uint64

	solver *vcf.Solver
	rng    *rand.Rand
}

// shortWin is the budget of the search for a win by fours, which makes a board
// no problem of the other kind.
const shortWin = 10_000

// Check reports stones that do not go on the board.
func (c *Composer) Check() error {
	inner := c.Size - 2*c.Margin
	if c.Margin < 0 || c.Stones < 1 || inner < 5 || 2*c.Stones > inner*inner {
		return fmt.Errorf("%d stones within a margin of %d: want 1 or more, on at most half of five rows or more", c.Stones, c.Margin)
	}
	return nil
}

// Compose tries so many beginnings and returns the problems that came of them:
// wins of at least MinPlies plies that hold against every legal defence.
func (c *Composer) Compose(ctx context.Context, beginnings int) (found []Problem, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c.solver = vcf.New(vcf.Options{TableBytes: vcf.TableBytesFor(c.Nodes)})
	for i := range beginnings {
		c.rng = rand.New(rand.NewPCG(c.Seed, uint64(i)))
		p, ok, err := c.climb(ctx)
		if err != nil {
			return found, err
		}
		if ok {
			found = append(found, p)
		}
	}
	return found, nil
}

// climb returns the problem that one beginning leads to, if it is one.
func (c *Composer) climb(ctx context.Context) (best Problem, ok bool, err error) {
	moves := make([]game.Move, c.Stones)
	for i := range moves {
		moves[i] = c.cell()
	}
	for step := 0; step < c.Steps; step++ {
		if err := ctx.Err(); err != nil {
			return best, false, err
		}
		next := append([]game.Move(nil), moves...)
		next[c.rng.IntN(len(next))] = c.cell()
		b, err := c.board(next)
		if err != nil {
			return best, false, err
		}
		p := c.problem(ctx, b)
		if p.Plies >= best.Plies {
			moves, best = b.History(), p
		}
	}
	if best.Plies < c.MinPlies {
		return best, false, nil
	}
	b, err := best.Board()
	if err != nil {
		return best, false, err
	}
	if best.checkLine() != nil {
		return best, false, nil
	}
	_, ok = proof.Find(ctx, c.solver, b, proof.Limits{Nodes: c.Nodes}, c.Kind)
	return best, ok, nil
}

// cell draws a cell for a stone.
func (c *Composer) cell() game.Move {
	inner := c.Size - 2*c.Margin
	return game.Move((c.Margin+c.rng.IntN(inner))*c.Size + c.Margin + c.rng.IntN(inner))
}

// board plays the moves, and others for those that are not legal or end the
// game.
func (c *Composer) board(moves []game.Move) (*gomoku.Board, error) {
	b, err := gomoku.New(c.Rules, c.Size)
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		const tries = 20
		for range tries {
			if b.Legal(m) {
				if b.Play(m); b.Outcome() == game.Undecided {
					break
				}
				b.Undo()
			}
			m = c.cell()
		}
	}
	return b, nil
}

// problem returns the problem that a board poses, without plies if it poses none.
func (c *Composer) problem(ctx context.Context, b *gomoku.Board) (p Problem) {
	s, board := c.solver, pattern.FromBoard(b)
	if len(b.Wins(nil)) > 0 || c.Kind == vcf.VCT && s.Decide(ctx, board, vcf.VCF, shortWin).Outcome != vcf.None {
		return p
	}
	r := s.Solve(ctx, board, c.Kind, c.Nodes)
	if r.Outcome != vcf.Win {
		return p
	}
	n := gomoku.Notation{Size: c.Size}
	return Problem{Rule: c.Rules.Name, Size: c.Size, Kind: c.Kind, Outcome: vcf.Win, Plies: r.Plies,
		Position: n.FormatMoves(b.History()), Line: n.FormatMoves(r.Line)}
}
