package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
)

// Classical is what "search" prints of a classical search.
type Classical struct {
	Searched
	Score       int             `json:"score"`
	Claim       string          `json:"claim"` // "win in n", "loss in n" or empty
	Proven      string          `json:"proven"`
	ProofPly    int             `json:"proof_plies"`
	PV          []string        `json:"pv"`
	Playouts    int             `json:"playouts"` // always 0: this engine has none
	Evals       int             `json:"evals"`    // of a network: always 0
	Nodes       int64           `json:"nodes"`
	SolverNodes int64           `json:"solver_nodes"`
	QuietNodes  int64           `json:"quiescence_nodes"`
	Depth       int             `json:"depth"`
	SelDepth    int             `json:"seldepth"`
	TimeMS      float64         `json:"time_ms"`
	NodesPerS   float64         `json:"nodes_per_s"`
	TableFill   float64         `json:"table_fill"`
	TableHits   float64         `json:"table_hit_rate"`
	FirstCut    float64         `json:"first_cutoff_rate"`
	Branching   float64         `json:"branching"` // nodes^(1/depth)
	Model       string          `json:"model"`     // always empty: this engine has none
	Iterations  []Iteration     `json:"iterations"`
	Children    []ClassicalMove `json:"children"`

	// Depths shows what each iteration alone took.
	Depths bool `json:"-"`

	shown bool // the iterations were, as they came
}

// ClassicalMove is one of the best moves; what only playouts have is 0.
type ClassicalMove struct {
	Move   string   `json:"move"`
	Visits int      `json:"visits"`
	Prior  float32  `json:"prior"`
	Q      float32  `json:"q"`
	Proven string   `json:"proven"`
	Score  int      `json:"score"`
	Claim  string   `json:"claim"`
	Depth  int      `json:"depth"`
	PV     []string `json:"pv"`
}

// What is proven of a result.
const (
	provenWin = "win"
	unproven  = "unknown"
)

// Prove replaces what the search claimed by a proven win.
func (r *Classical) Prove(n game.Notation, w proof.Win) {
	r.Move, r.PV = n.FormatMove(w.Line[0]), formatLine(n, w.Line)
	r.Proven, r.ProofPly = provenWin, w.Plies
	for i := range r.Children {
		if r.Children[i].Move == r.Move {
			r.Children[i].Proven = provenWin
		}
	}
}

// NewClassical returns the report of a search from pos with its iterations,
// without the position. A win in it is claimed, not proven.
func NewClassical(v games.Variant, pos game.Position, a *engine.Answer, t *Iterations) *Classical {
	n, s := v.Notation(), &a.Stats
	report := &Classical{
		Searched: newSearched(players.AlphaBeta, v, pos, a), Score: a.Moves[0].Score, Claim: a.Proof.String(),
		Proven: unproven, PV: formatLine(n, a.Line),
		Nodes: s.Nodes, SolverNodes: s.SolverNodes, QuietNodes: s.QuiescenceNodes, Depth: s.Depth, SelDepth: s.SelDepth,
		TimeMS: milliseconds(s.Elapsed), NodesPerS: s.NodesPerSecond(),
		TableFill: s.TableFill, TableHits: s.HitRate(), FirstCut: s.FirstCutoffRate(), Branching: s.Branching,
		Iterations: append([]Iteration{}, t.rows...), shown: t.shown,
	}
	for _, o := range a.Moves {
		report.Children = append(report.Children, ClassicalMove{
			Move: n.FormatMove(o.Move), Q: o.Value, Proven: unproven,
			Score: o.Score, Claim: o.Proof.String(), Depth: o.Depth, PV: formatLine(n, o.Line),
		})
	}
	return report
}

// Text implements [Report]. It has the table of iterations, if that was not shown
// as they came.
func (r *Classical) Text(w io.Writer) {
	if !r.shown {
		t := Iterations{out: w}
		for _, row := range r.Iterations {
			t.row(row)
		}
		t.Flush()
	}
	fmt.Fprintf(w, "%s  value %+.3f  winrate %.1f%%  %s\n", r.Move, r.Value, 100*r.Winrate, r.verdict())
	fmt.Fprintf(w, "pv %s\n", strings.Join(r.PV, " "))
	for i, c := range r.Children {
		if len(r.Children) > 1 {
			fmt.Fprintf(w, "%3d. %s  depth %d  %s\n", i+1, scoreText(c.Score, c.Claim), c.Depth, strings.Join(c.PV, " "))
		}
	}
	fmt.Fprintf(w, "%d nodes (%d quiescence, %d solver)  depth %d/%d  %.0f ms  %.0f nodes/s\n",
		r.Nodes, r.QuietNodes, r.SolverNodes, r.Depth, r.SelDepth, r.TimeMS, r.NodesPerS)
	fmt.Fprintf(w, "table %.1f%% full, hit rate %.1f%%  first-move cutoffs %.1f%%  branching factor %.2f\n",
		100*r.TableFill, 100*r.TableHits, 100*r.FirstCut, r.Branching)
	if r.Depths {
		depths(w, r.Iterations)
	}
	r.certificate(w)
}

// verdict returns the score, what it claims, and what is proven.
func (r *Classical) verdict() string {
	switch {
	case r.Proven == provenWin:
		return fmt.Sprintf("proven win in %d plies", r.ProofPly)
	case r.Claim != "":
		return "claims " + r.Claim
	}
	return "score " + scoreText(r.Score, "")
}

// scoreText returns a claim, or the score in the evaluation's units.
func scoreText(score int, claim string) string {
	if claim != "" {
		return claim
	}
	return fmt.Sprintf("%+d", score)
}
