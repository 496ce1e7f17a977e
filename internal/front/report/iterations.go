package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// Iteration is what a classical search knew after one iteration.
type Iteration struct {
	Depth    int      `json:"depth"`
	SelDepth int      `json:"seldepth"`
	TimeMS   float64  `json:"time_ms"`
	Score    int      `json:"score"`
	Claim    string   `json:"claim"`
	Nodes    int64    `json:"nodes"`
	PV       []string `json:"pv"`

	// Of this iteration alone: its nodes by those of the one before, 0 for the first; the
	// leaves; the shares of table probes that found the position and of cut-offs by the
	// first move; and whether it chose another move than the one before.
	Branching float64 `json:"branching"`
	Leaves    int64   `json:"leaves"`
	HitRate   float64 `json:"table_hit_rate"`
	FirstCut  float64 `json:"first_cutoff_rate"`
	NewMove   bool    `json:"new_move"`

	own   int64        // nodes of this iteration alone
	total engine.Stats // up to its end
}

// newIteration returns the iteration that ended with a and followed the one before, nil for
// none.
func newIteration(n game.Notation, a *engine.Answer, before *Iteration) Iteration {
	it := iterationOf(n, a)
	var last engine.Stats
	if before != nil {
		last = before.total
		it.NewMove = len(it.PV) > 0 && len(before.PV) > 0 && it.PV[0] != before.PV[0]
	}
	it.total = a.Stats
	it.own, it.Leaves = a.Stats.Nodes-last.Nodes, a.Stats.Leaves-last.Leaves
	if before != nil && before.own > 0 {
		it.Branching = float64(it.own) / float64(before.own)
	}
	alone := engine.Stats{
		TableProbes: a.Stats.TableProbes - last.TableProbes, TableHits: a.Stats.TableHits - last.TableHits,
		Cutoffs: a.Stats.Cutoffs - last.Cutoffs, FirstCutoffs: a.Stats.FirstCutoffs - last.FirstCutoffs,
	}
	it.HitRate, it.FirstCut = alone.HitRate(), alone.FirstCutoffRate()
	return it
}

func iterationOf(n game.Notation, a *engine.Answer) Iteration {
	return Iteration{
		Depth: a.Stats.Depth, SelDepth: a.Stats.SelDepth, TimeMS: milliseconds(a.Stats.Elapsed),
		Score: a.Moves[0].Score, Claim: a.Proof.String(), Nodes: a.Stats.Nodes, PV: formatLine(n, a.Line),
	}
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
	var before *Iteration
	if len(t.rows) > 0 {
		before = &t.rows[len(t.rows)-1]
	}
	t.rows = append(t.rows, newIteration(t.notation, a, before))
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

// depths prints what each iteration alone took.
func depths(w io.Writer, rows []Iteration) {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "depth\tms\tnodes\tleaves\tbranching\ttable hits\tfirst cut-offs\tmove\t")
	began := 0.0
	for _, r := range rows {
		move := ""
		if len(r.PV) > 0 {
			move = r.PV[0]
		}
		if r.NewMove {
			move = "new: " + move
		}
		fmt.Fprintf(t, "%d\t%.1f\t%d\t%d\t%.2f\t%.1f%%\t%.1f%%\t%s\t\n",
			r.Depth, r.TimeMS-began, r.own, r.Leaves, r.Branching, 100*r.HitRate, 100*r.FirstCut, move)
		began = r.TimeMS
	}
	t.Flush()
}
