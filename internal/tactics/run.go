package tactics

import (
	"context"
	"time"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/internal/engine"
)

// Score is what a solver did with the problems of one rule set.
type Score struct {
	Rule     string  `json:"rule"`
	Problems int     `json:"problems"`
	Wins     int     `json:"wins"` // problems with a win
	Solved   int     `json:"solved"`
	Nodes    int     `json:"nodes"`
	Seconds  float64 `json:"seconds"`
}

// Answer is what a solver said of one problem.
type Answer struct {
	Problem Problem
	Outcome vcf.Outcome
	Plies   int
	Nodes   int
	Seconds float64
}

// Solved reports whether the answer is the proven one. A win must take no more
// plies than the problem says.
func (a Answer) Solved() bool {
	return a.Outcome == a.Problem.Outcome && a.Plies <= a.Problem.Plies
}

// Run solves problems with at most nodes moves each and returns a score per
// rule set, in the order in which they first occur, and the answer to each
// problem. The clock is an argument; it decides nothing.
func Run(ctx context.Context, problems []Problem, nodes int, now func() time.Time) ([]Score, []Answer, error) {
	solver := vcf.New(vcf.Options{TableBytes: vcf.TableBytesFor(nodes)})
	var scores []Score
	var answers []Answer
	index := map[string]int{}
	for _, p := range problems {
		if err := ctx.Err(); err != nil {
			return scores, answers, err
		}
		b, err := p.Board()
		if err != nil {
			return scores, answers, err
		}
		board := pattern.FromBoard(b)
		start := now()
		r := solver.Solve(ctx, board, p.Kind, nodes)
		if err := ctx.Err(); err != nil {
			return scores, answers, err
		}
		a := Answer{Problem: p, Outcome: r.Outcome, Plies: r.Plies, Nodes: r.Nodes, Seconds: now().Sub(start).Seconds()}
		answers = append(answers, a)
		i, ok := index[p.Rule]
		if !ok {
			i = len(scores)
			index[p.Rule] = i
			scores = append(scores, Score{Rule: p.Rule})
		}
		scores[i].add(a)
	}
	return scores, answers, nil
}

func (s *Score) add(a Answer) {
	s.Problems++
	s.Nodes += a.Nodes
	s.Seconds += a.Seconds
	if a.Problem.Outcome == vcf.Win {
		s.Wins++
	}
	if a.Solved() {
		s.Solved++
	}
}

// LongestWin is the length of the wins that RunMoves asks for, in plies.
const LongestWin = 15

// Choice is the move that an engine plays.
type Choice struct {
	Move        game.Move
	Playouts    int // of its search
	SolverNodes int // that its solvers played at the root
}

// ChoiceOf returns what an engine's answer plays, unless there is an error.
func ChoiceOf(a *engine.Answer, err error) (Choice, error) {
	if err != nil {
		return Choice{}, err
	}
	return Choice{Move: a.Move, Playouts: int(a.Stats.Nodes), SolverNodes: int(a.Stats.SolverNodes)}, nil
}

// JudgeNodes is the usual budget of the judge of moves, for a reply.
const JudgeNodes = 200_000

// MoveScore is how an engine's moves did.
type MoveScore struct {
	Wins       int     `json:"wins"` // positions with a win within LongestWin plies
	Won        int     `json:"won"`  // of them, those in which it played a winning move
	Holds      int     `json:"holds"`
	Held       int     `json:"held"`
	Playouts   float64 `json:"playouts"` // mean
	Solver     float64 `json:"root_solver_nodes"`
	SolverMost int     `json:"root_solver_nodes_most"`
}

// Choose asks an engine for its move in a position of a rule set. It may play on
// pos.
type Choose func(rule string, size int, pos game.Position) (Choice, error)

// RunMoves asks an engine for its move in the problems with a win of at most
// LongestWin plies and in the positions with one holding move, and returns
// how it did and what it missed. A move wins if the solver, with at most nodes
// moves a position, proves a win against every legal reply to it.
func RunMoves(
	ctx context.Context, problems []Problem, holds []Hold, nodes int, choose Choose,
) (s MoveScore, missed []string, err error) {
	missed = []string{}
	judge := judge{solver: vcf.New(vcf.Options{}), nodes: nodes}
	ask := func(rule string, size int, pos game.Position) (game.Move, error) {
		if err := ctx.Err(); err != nil {
			return game.NoMove, err
		}
		c, err := choose(rule, size, pos)
		s.Playouts += float64(c.Playouts)
		s.Solver += float64(c.SolverNodes)
		s.SolverMost = max(s.SolverMost, c.SolverNodes)
		return c.Move, err
	}
	for _, p := range problems {
		if p.Outcome != vcf.Win || p.Plies > LongestWin {
			continue
		}
		b, err := p.Board()
		if err != nil {
			return s, missed, err
		}
		m, err := ask(p.Rule, p.Size, b)
		if err != nil {
			return s, missed, err
		}
		s.Wins++
		won := judge.wins(ctx, p, b, m)
		if err := ctx.Err(); err != nil {
			return s, missed, err
		}
		if won {
			s.Won++
		} else {
			missed = append(missed, p.String()+" played "+gomoku.Notation{Size: p.Size}.FormatMove(m))
		}
	}
	for _, h := range holds {
		b, err := h.Board()
		if err != nil {
			return s, missed, err
		}
		m, err := ask(h.Rule, h.Size, b)
		if err != nil {
			return s, missed, err
		}
		s.Holds++
		if only, err := h.Only(); err == nil && m == only {
			s.Held++
		} else {
			missed = append(missed, h.String()+" played "+gomoku.Notation{Size: h.Size}.FormatMove(m))
		}
	}
	if asked := float64(s.Wins + s.Holds); asked > 0 {
		s.Playouts /= asked
		s.Solver /= asked
	}
	return s, missed, nil
}

// judge tells winning moves from others.
type judge struct {
	solver *vcf.Solver
	nodes  int
}

// wins reports whether m is proven to win the problem.
func (j *judge) wins(ctx context.Context, p Problem, b *gomoku.Board, m game.Move) bool {
	moves, err := gomoku.Notation{Size: p.Size}.ParseMoves(p.Line)
	if err == nil && len(moves) > 0 && moves[0] == m {
		return true
	}
	return j.winning(ctx, b, m)
}

// Least returns the smaller of the shares of winning and of holding moves that
// were played, in 0..1.
func (s MoveScore) Least() float64 {
	least := 1.0
	if s.Wins > 0 {
		least = float64(s.Won) / float64(s.Wins)
	}
	if s.Holds > 0 {
		least = min(least, float64(s.Held)/float64(s.Holds))
	}
	return least
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
	return false
}
