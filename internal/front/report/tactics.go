package report

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/tactics"
)

// Tactics is what "tactics" prints.
type Tactics struct {
	Scores []tactics.Score `json:"scores"`
	Missed []string        `json:"missed"`
	Each   []TacticsAnswer `json:"each,omitempty"`
}

// TacticsAnswer is the answer to one problem.
type TacticsAnswer struct {
	Rule    string  `json:"rule"`
	Size    int     `json:"size"`
	Kind    string  `json:"kind"`
	Result  string  `json:"result"`
	Plies   int     `json:"plies"`
	Nodes   int     `json:"nodes"`
	Seconds float64 `json:"seconds"`
}

// NewTactics returns the report of a suite, with a row for each problem if each.
func NewTactics(scores []tactics.Score, answers []tactics.Answer, each bool) Tactics {
	r := Tactics{Scores: scores, Missed: []string{}}
	for _, a := range answers {
		p := a.Problem
		if !a.Solved() {
			r.Missed = append(r.Missed, p.String())
		}
		if each {
			r.Each = append(r.Each, TacticsAnswer{p.Rule, p.Size, p.Kind.String(), a.Outcome.String(), a.Plies, a.Nodes, a.Seconds})
		}
	}
	return r
}

// Text implements [Report].
func (r Tactics) Text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(r.Each) > 0 {
		fmt.Fprintln(t, "rule\tsize\tkind\tresult\tplies\tnodes\tms\t")
		for _, a := range r.Each {
			fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%d\t%d\t%.1f\t\n", a.Rule, a.Size, a.Kind, a.Result, a.Plies, a.Nodes, 1000*a.Seconds)
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	fmt.Fprintln(t, "rule\tproblems\twins\tsolved\tnodes\tms\tM nodes/s\t")
	var sum tactics.Score
	for _, s := range r.Scores {
		tacticsRow(t, s.Rule, s)
		sum.Problems += s.Problems
		sum.Wins += s.Wins
		sum.Solved += s.Solved
		sum.Nodes += s.Nodes
		sum.Seconds += s.Seconds
	}
	tacticsRow(t, "all", sum)
	t.Flush()
	for _, m := range r.Missed {
		fmt.Fprintln(w, "missed:", m)
	}
}

func tacticsRow(w io.Writer, name string, s tactics.Score) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.1f\t%.2f\t\n", name, s.Problems, s.Wins, s.Solved, s.Nodes, 1000*s.Seconds, perSecond(s.Nodes, time.Duration(s.Seconds*1e9))/1e6)
}

// TacticsMoves is what "tactics mcts" prints.
type TacticsMoves struct {
	Playouts int                `json:"playouts"`
	Nodes    games.SolverNodes  `json:"solver_nodes"`
	With     tactics.MoveScore  `json:"with_solvers"`
	Without  *tactics.MoveScore `json:"without_solvers,omitempty"`
	Missed   []string           `json:"missed"` // with solvers
}

// Text implements [Report].
func (r TacticsMoves) Text(w io.Writer) {
	row := func(name string, s tactics.MoveScore) {
		fmt.Fprintf(w, "%s: won %d of %d, held %d of %d; %.0f playouts, %.0f solver nodes at the root (at most %d)\n",
			name, s.Won, s.Wins, s.Held, s.Holds, s.Playouts, s.Solver, s.SolverMost)
	}
	row("with solvers", r.With)
	if r.Without != nil {
		row("without", *r.Without)
	}
	for _, m := range r.Missed {
		fmt.Fprintln(w, "missed:", m)
	}
}
