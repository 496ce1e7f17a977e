package report

import (
	"fmt"
	"io"

	"github.com/carozero/carozero/internal/front/crosscheck"
)

// Crosscheck is what "crosscheck" prints.
type Crosscheck struct {
	Rule  string `json:"rule"`
	Size  int    `json:"size"`
	Model string `json:"model"`
	crosscheck.Summary
	Rows string `json:"rows,omitempty"`
	Out  string `json:"out,omitempty"`
}

// Text implements [Report].
func (r *Crosscheck) Text(w io.Writer) {
	fmt.Fprintf(w, "%s %dx%d with %s: %d of %d positions\n", r.Rule, r.Size, r.Size, r.Model, r.Positions, r.Of)
	fmt.Fprintf(w, "agree %d, differ %d, unproven %d, MCTS blunders %d (%d lose, %d miss a win), alpha-beta blunders %d (%d lose, %d miss a win; %d beside MCTS's)\n",
		r.Agree, r.Differ, r.Unproven, r.MCTSBlunders, r.MCTSLoses, r.MCTSMisses,
		r.AlphaBetaBlunder+r.BothBlunders, r.AlphaBetaLoses, r.AlphaBetaMisses, r.BothBlunders)
	if t := r.Third; t != nil {
		fmt.Fprintf(w, "third player %s: where the three differ, proven blunders (unproven): third %d (%d), mcts %d (%d), alphabeta %d (%d)\n",
			t.Player, t.Blunders.Third, t.Unproven.Third, t.Blunders.MCTS, t.Unproven.MCTS, t.Blunders.AlphaBeta, t.Unproven.AlphaBeta)
		fmt.Fprintf(w, "%-20s  %6s  %8s  %-15s  %-15s  %7s\n", "who is right", "differ", "by proof", "by mcts", "by alphabeta", "unclear")
		for _, p := range t.Pairs {
			right := func(of crosscheck.Right) string { return fmt.Sprintf("%d-%d", of.A, of.B) }
			fmt.Fprintf(w, "%-20s  %6d  %8s  %-15s  %-15s  %7d\n", p.A+" - "+p.B, p.Differ, right(p.Proof), right(p.MCTS), right(p.Alpha), p.Unclear)
		}
		fmt.Fprintf(w, "weighed with %d playouts and %d nodes\n", t.Playouts, t.Nodes)
	}
	for _, c := range r.Calibration {
		fmt.Fprintf(w, "%s: Brier score %.4f over %d positions\n", c.Of, c.Brier, c.N)
	}
	for _, path := range []string{r.Rows, r.Out} {
		if path != "" {
			fmt.Fprintln(w, "written:", path)
		}
	}
}
