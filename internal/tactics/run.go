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
