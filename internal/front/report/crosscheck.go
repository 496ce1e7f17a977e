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
	for _, c := range r.Calibration {
		fmt.Fprintf(w, "%s: Brier score %.4f over %d positions\n", c.Of, c.Brier, c.N)
	}
	for _, path := range []string{r.Rows, r.Out} {
		if path != "" {
			fmt.Fprintln(w, "written:", path)
		}
	}
}
