package tactics

import (
	"context"
	"time"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game/gomoku/pattern"
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

// Run solves problems with at most nodes moves each and returns a score per
// rule set, in the order in which they first occur, and the problems that were
// not solved. A win counts as solved only in as many plies as the problem says, or
// fewer. The clock is an argument; it decides nothing.
func Run(ctx context.Context, problems []Problem, nodes int, now func() time.Time) ([]Score, []Problem, error) {
	solver := vcf.New(vcf.Options{})
	var scores []Score
	var missed []Problem
	index := map[string]int{}
	for _, p := range problems {
		if err := ctx.Err(); err != nil {
			return scores, missed, err
		}
		i, ok := index[p.Rule]
		if !ok {
			i = len(scores)
			index[p.Rule] = i
			scores = append(scores, Score{Rule: p.Rule})
		}
		b, err := p.Board()
		if err != nil {
			return scores, missed, err
		}
		board := pattern.FromBoard(b)
		start := now()
		r := solver.Solve(ctx, board, p.Kind, nodes)
		if err := ctx.Err(); err != nil {
			return scores, missed, err
		}
		s := &scores[i]
		s.Seconds += now().Sub(start).Seconds()
		s.Problems++
		s.Nodes += r.Nodes
		if p.Outcome == vcf.Win {
			s.Wins++
		}
		if r.Outcome == p.Outcome && r.Plies <= p.Plies {
			s.Solved++
		} else {
			missed = append(missed, p)
		}
	}
	return scores, missed, nil
}
