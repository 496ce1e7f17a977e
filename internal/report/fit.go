package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/carozero/carozero/alphabeta/fit"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// Fit is what "fit" prints.
type Fit struct {
	Rule      string `json:"rule"`
	Method    string `json:"method"`
	Out       string `json:"out"`
	Games     int    `json:"games"`
	Skipped   int    `json:"skipped"` // games without a result on the board
	Positions int    `json:"positions"`
	Held      int    `json:"held_out"` // positions
	fit.Result
}

// Text implements [Report].
func (r *Fit) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d games, %d quiet positions and %d held out, %d games without a result; by %s; written to %s\n",
		r.Rule, r.Games, r.Positions, r.Held, r.Skipped, r.Method, r.Out)
	t := table(w, tabwriter.AlignRight, "loss\tfitted to\theld out\t")
	fmt.Fprintf(t, "fitted\t%.4f\t%.4f\t\n", r.Loss[0], r.Loss[1])
	fmt.Fprintf(t, "by hand\t%.4f\t%.4f\t\n", r.HandLoss[0], r.HandLoss[1])
	t.Flush()
}

// Iteration is what a classical search knew after one iteration.
type Iteration struct {
	Depth    int      `json:"depth"`
	SelDepth int      `json:"seldepth"`
	TimeMS   float64  `json:"time_ms"`
	Score    int      `json:"score"`
	Claim    string   `json:"claim"`
	Nodes    int64    `json:"nodes"`
	PV       []string `json:"pv"`
}

// Iterations shows the iterations of a search as chess programs do.
type Iterations struct {
	out      io.Writer
	notation game.Notation
	live     bool // rows are shown as they come
	shown    bool // the heading was printed
	rows     []Iteration
}

// NewIterations returns a table that shows rows on out as they come if
// live, and otherwise nothing.
func NewIterations(out io.Writer, n game.Notation, live bool) *Iterations {
	return &Iterations{out: out, notation: n, live: live}
}

// Add takes in what is known after an iteration.
func (t *Iterations) Add(a *engine.Answer) {
	t.rows = append(t.rows, Iteration{
		Depth: a.Stats.Depth, SelDepth: a.Stats.SelDepth, TimeMS: milliseconds(a.Stats.Elapsed),
		Score: a.Moves[0].Score, Claim: a.Proof.String(), Nodes: a.Stats.Nodes, PV: game.Texts(t.notation, a.Line),
	})
	if t.live {
		t.row(t.rows[len(t.rows)-1])
	}
}

// shownLine is how many moves of a line a row shows.
const shownLine = 14

func (t *Iterations) row(r Iteration) {
	if !t.shown {
		fmt.Fprintf(t.out, "%7s %9s %12s %12s  line\n", "depth", "time", "score", "nodes")
		t.shown = true
	}
	line := r.PV
	if len(line) > shownLine {
		line = append(line[:shownLine:shownLine], "...")
	}
	fmt.Fprintf(t.out, "%4d/%-2d %8.2fs %12s %12d  %s\n",
		r.Depth, r.SelDepth, r.TimeMS/1000, scoreText(r.Score, r.Claim), r.Nodes, strings.Join(line, " "))
}

// Flush ends the table.
func (t *Iterations) Flush() {
	if t.shown {
		fmt.Fprintln(t.out)
	}
}
