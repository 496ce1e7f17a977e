package main

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/think"
)

// iterationRow is what a classical search knew after one iteration.
type iterationRow struct {
	Depth    int      `json:"depth"`
	SelDepth int      `json:"seldepth"`
	TimeMS   float64  `json:"time_ms"`
	Score    int      `json:"score"`
	Claim    string   `json:"claim"`
	Nodes    int64    `json:"nodes"`
	PV       []string `json:"pv"`
}

func newIterationRow(n game.Notation, a *think.Answer) iterationRow {
	return iterationRow{
		Depth: a.Stats.Depth, SelDepth: a.Stats.SelDepth, TimeMS: milliseconds(a.Stats.Elapsed),
		Score: a.Moves[0].Score, Claim: a.Proof.String(), Nodes: a.Stats.Nodes, PV: formatLine(n, a.Line),
	}
}

// iterationTable shows the iterations of a search as chess programs do.
type iterationTable struct {
	out      io.Writer
	notation game.Notation
	live     bool // rows are shown as they come
	shown    bool // the heading was printed
	rows     []iterationRow
}

// newIterationTable returns a table that shows rows on out as they come if
// live, and otherwise nothing.
func newIterationTable(out io.Writer, n game.Notation, live bool) *iterationTable {
	return &iterationTable{out: out, notation: n, live: live}
}

// report is called after each iteration.
func (t *iterationTable) report(a *think.Answer) {
	t.rows = append(t.rows, newIterationRow(t.notation, a))
	if t.live {
		t.row(t.rows[len(t.rows)-1])
	}
}

// shownLine is how many moves of a line a row shows.
const shownLine = 14

func (t *iterationTable) row(r iterationRow) {
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

// flush ends the table.
func (t *iterationTable) flush() {
	if t.shown {
		fmt.Fprintln(t.out)
	}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}
