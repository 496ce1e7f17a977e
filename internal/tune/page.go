package tune

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"

	"github.com/carozero/carozero/internal/chart"
	"github.com/carozero/carozero/internal/disk"
)

//go:embed page.html
var pageText string

// pageMark stands near the start of every page.
const pageMark = "<title>CaroZero: a tuning</title>"

// CheckPage returns an error if path has a file that is not such a page.
func CheckPage(path string) error {
	return disk.Check(path, "no page of a tuning",
		func(head []byte) bool { return bytes.Contains(head, []byte(pageMark)) })
}

// SavePage writes the course of a tuning of so many trials as one HTML page that needs
// nothing else. A file that is no page of a tuning is not replaced.
func (r *Result) SavePage(path string, of int, setup []Item) error {
	if err := CheckPage(path); err != nil {
		return err
	}
	t, err := template.New("page").Funcs(template.FuncMap{"number": number}).Parse(chart.Templates + pageText)
	if err != nil {
		return err
	}
	page := struct {
		*Result
		Of     int
		Setup  []Item
		Charts []chart.Chart
	}{r, of, setup, r.charts()}
	return disk.Write(path, func(w io.Writer) error { return t.Execute(w, page) })
}

// charts draws what was best of each parameter after some of the trials.
func (r *Result) charts() []chart.Chart {
	var charts []chart.Chart
	for i, e := range r.Estimates {
		line := chart.Line{Name: e.Name, Points: []chart.Point{{Y: e.Start}}}
		for _, reached := range r.Course {
			line.Points = append(line.Points, chart.Point{X: float64(r.Pairs * reached.Trials), Y: reached.Values[i]})
		}
		charts = append(charts, chart.New(e.Name+" over pairs of games", "%.4g", false, line))
	}
	return charts
}
