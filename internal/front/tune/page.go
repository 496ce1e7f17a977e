package tune

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"

	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/chart"
	"github.com/carozero/carozero/internal/support/outfile"
)

//go:embed page.html
var pageText string

// pageMark stands near the start of every page.
const pageMark = "<title>CaroZero: a tuning</title>"

// page is what the template reads.
type page struct {
	*Result
	Of        int
	Setup     []Item
	Charts    []chart.Chart
	Told      bool // every error is known
	MatchText string
}

// WritePage writes the course of a tuning of so many trials: one HTML page that needs
// nothing else.
func (r *Result) WritePage(w io.Writer, of int, setup []Item) error {
	t, err := template.New("page").Funcs(template.FuncMap{"number": number, "bound": bound}).Parse(chart.Templates + pageText)
	if err != nil {
		return err
	}
	p := page{Result: r, Of: of, Setup: setup, Charts: r.charts(), Told: true, MatchText: r.MatchText()}
	for _, e := range r.Estimates {
		p.Told = p.Told && !math.IsInf(e.Error, 1)
	}
	return t.Execute(w, p)
}

// CheckPage returns an error if path has a file that is not such a page.
func CheckPage(path string) error {
	return outfile.Check(path, "no page of a tuning", func(head []byte) bool { return bytes.Contains(head, []byte(pageMark)) })
}

// SavePage writes the page to a file, which is there as a whole or not at all. A file
// that is no page of a tuning is not replaced.
func (r *Result) SavePage(path string, of int, setup []Item) error {
	if err := CheckPage(path); err != nil {
		return err
	}
	return outfile.Write(path, func(w io.Writer) error { return r.WritePage(w, of, setup) })
}

// number formats a value with all its digits.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// bound formats an error.
func bound(x float64) string {
	if math.IsInf(x, 1) {
		return "not known"
	}
	return fmt.Sprintf("%.2g", x)
}

// MatchText describes the match of the result against the start in a line.
func (r *Result) MatchText() string {
	pairs := 0
	for _, n := range r.Match {
		pairs += n
	}
	switch {
	case r.Openings == 0:
		return "no match was asked for"
	case r.Verdict == arena.NoTest:
		return "no match was played"
	}
	elo, bound := arena.EstimateElo(r.Match[:])
	return fmt.Sprintf("result against start: %d games, Elo %+.0f +- %.0f; SPRT %s, LLR %.2f", 2*pairs, elo, bound, r.Verdict, r.LLR)
}

// charts draws the course of every parameter: what was best after some of the trials, with
// the error where it is known.
func (r *Result) charts() []chart.Chart {
	var lines []chart.Line
	for i, e := range r.Estimates {
		line := chart.Line{Name: e.Name, Points: []chart.Point{{Y: e.Start}}}
		for _, reached := range r.Course {
			p := chart.Point{X: float64(r.Pairs * reached.Trials), Y: reached.Values[i], Bound: reached.Errors[i]}
			if math.IsInf(p.Bound, 1) {
				p.Bound = 0
			}
			line.Points = append(line.Points, p)
		}
		lines = append(lines, line)
	}
	var charts []chart.Chart
	for i, e := range r.Estimates {
		result := chart.Line{Name: "result"}
		if n := r.Trials; n > 0 {
			result.Points = []chart.Point{{X: float64(r.Pairs * n), Y: e.Result}}
			if !math.IsInf(e.Error, 1) {
				result.Points[0].Bound = e.Error
			}
		}
		charts = append(charts, chart.New(e.Name+" over pairs of games", "%.4g", false, lines[i], result))
	}
	return charts
}
