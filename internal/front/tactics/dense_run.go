package tactics

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// DenseScore is how an engine did on the boards of one rule set.
type DenseScore struct {
	Rule   string `json:"rule"`
	Boards int    `json:"boards"`
	Won    int    `json:"won"` // boards on which it played a winning move
}

// RunDense asks an engine for its move on so many boards with a short win, and
// returns how it did and the boards that it missed. A move wins if it is the
// proof's, or if every reply to it is proven to lose: by the solver with at
// most nodes moves a reply or, where captures count, by brute force.
func RunDense(ctx context.Context, d *Dense, boards, nodes int, choose func(game.Position) (Choice, error)) (s DenseScore, missed []Missed, err error) {
	s.Rule = d.Rules.Name
	judge := judge{solver: vcf.New(vcf.Options{}), nodes: nodes}
	for range boards {
		short, err := d.NextShort(ctx)
		if err != nil {
			return s, missed, err
		}
		c, err := choose(short.Board.Copy())
		if err != nil {
			return s, missed, err
		}
		s.Boards++
		if c.Move == short.Line[0] || judge.winning(ctx, short.Board, c.Move) {
			s.Won++
		} else {
			missed = append(missed, Missed{short, c.Move})
		}
	}
	return s, missed, nil
}

// Missed is a board on which an engine did not play a winning move.
type Missed struct {
	Short
	Played game.Move
}

// String returns the board's diagram, what wins and what was played.
func (m Missed) String() string {
	n := gomoku.Notation{Size: m.Board.Size()}
	return "played " + n.FormatMove(m.Played) + ": " + m.Short.String()
}

// winning reports whether every reply to m is proven to lose.
func (j *judge) winning(ctx context.Context, b *gomoku.Board, m game.Move) bool {
	board := pattern.FromBoard(b)
	side := board.ToMove()
	if !board.Legal(m) {
		return false
	}
	board.Play(m)
	if o := board.Outcome(); o != game.Undecided {
		return o == game.WinFor(side)
	}
	for _, reply := range board.Moves(nil) {
		board.Play(reply)
		won := board.Outcome() == game.WinFor(side)
		if board.Outcome() == game.Undecided {
			won = j.forced(ctx, board)
		}
		board.Undo()
		if !won {
			return false
		}
	}
	return true
}

// forced reports whether the side to move is proven to win.
func (j *judge) forced(ctx context.Context, b *pattern.Board) bool {
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		if j.solver.Solve(ctx, b, kind, j.nodes).Outcome == vcf.Win {
			return true
		}
	}
	if !b.Board().Rules().Captures {
		return false
	}
	_, ok := newBrute(b.Board().Copy()).wins(shortest)
	return ok
}
