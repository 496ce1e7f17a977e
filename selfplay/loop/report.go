package loop

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/carozero/carozero/internal/support/chart"
	"github.com/carozero/carozero/internal/support/outfile"
)

//go:embed report.html
var reportPage string

// reportMark stands near the start of every report.
const reportMark = "<title>CaroZero: a loop of learning</title>"

// page is what the template reads.
type page struct {
	*Status
	Charts []chart.Chart
	Rows   []reportRow
	Config string
}

// reportRow is a row of the table, in words.
type reportRow struct {
	Result
	LossText, EloText, TacticsText, BlundersText, Verdict string
}

// WriteReport writes the report of a loop as one self-contained HTML page. config is the
// text of its configuration.
func (st *Status) WriteReport(w io.Writer, config string) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"hours": func(x float64) string { return fmt.Sprintf("%.2f", x) },
	}).Parse(chart.Templates + reportPage)
	if err != nil {
		return err
	}
	p := page{Status: st, Charts: st.charts(), Config: config}
	for _, r := range st.List {
		p.Rows = append(p.Rows, reportRow{r, r.loss(), r.elo(), r.tactics(), r.blunders(), r.verdict(st.Next)})
	}
	return t.Execute(w, p)
}

// SaveReport writes the report to a file atomically. It does not replace a file that is
// not a loop's report.
func (st *Status) SaveReport(path, config string) error {
	err := outfile.Check(path, "no report of a loop", func(head []byte) bool {
		return bytes.Contains(head, []byte(reportMark))
	})
	if err != nil {
		return err
	}
	return outfile.Write(path, func(w io.Writer) error { return st.WriteReport(w, config) })
}

// charts draws what changes over the rounds.
func (st *Status) charts() []chart.Chart {
	return []chart.Chart{
		chart.New("Elo over the first network, with its 95% error", "%.0f", true, st.line("candidates", eloPoint), st.line("promoted", promotedPoint)),
		chart.New("Loss on held-out games", "%.3f", false, st.lossLine("all", func(l *Loss) float64 { return l.Total }),
			st.lossLine("policy", func(l *Loss) float64 { return l.Policy }), st.lossLine("value", func(l *Loss) float64 { return l.Value })),
		chart.New("Blunders in 1,000 fixed positions", "%.0f", true, st.line("candidates", func(r *Result) (chart.Point, bool) {
			if r.Blunders == nil {
				return chart.Point{}, false
			}
			return chart.Point{Y: *r.Blunders}, true
		})),
		chart.New("Proven positions solved, %", "%.0f", false, st.line("candidates", func(r *Result) (chart.Point, bool) {
			if r.Asked == nil || *r.Asked == 0 {
				return chart.Point{}, false
			}
			return chart.Point{Y: 100 * (1 - float64(*r.Missed)/float64(*r.Asked))}, true
		})),
		chart.New("Moves of a game", "%.0f", true, st.gamesLine("mean", func(r *Result) float64 { return r.Plies })),
		chart.New("Drawn games, %", "%.1f", true, st.gamesLine("draws", func(r *Result) float64 { return 100 * r.Draws })),
		chart.New("Entropy of the policy targets, nats", "%.2f", true, st.gamesLine("mean", func(r *Result) float64 { return r.Entropy })),
		chart.New("Brier score of expected results", "%.3f", true, st.gamesLine("search", func(r *Result) float64 { return r.Search }),
			st.gamesLine("network or evaluation", func(r *Result) float64 { return r.Net })),
		st.calibration(),
		chart.New("CPU-hours of a round", "%.3g", true, st.line("hours", func(r *Result) (chart.Point, bool) { return chart.Point{Y: r.CPUHours}, true })),
	}
}

// line returns the line of the points that take returns for the rounds.
func (st *Status) line(name string, take func(*Result) (chart.Point, bool)) chart.Line {
	out := chart.Line{Name: name}
	for i := range st.List {
		if p, ok := take(&st.List[i]); ok {
			p.X = float64(st.List[i].Round)
			out.Points = append(out.Points, p)
		}
	}
	return out
}

func eloPoint(r *Result) (chart.Point, bool) {
	if r.Elo == nil {
		return chart.Point{}, false
	}
	return chart.Point{Y: *r.Elo, Bound: *r.EloError}, true
}

func promotedPoint(r *Result) (chart.Point, bool) {
	p, ok := eloPoint(r)
	p.Bound = 0
	return p, ok && r.Promoted
}

func (st *Status) gamesLine(name string, take func(*Result) float64) chart.Line {
	return st.line(name, func(r *Result) (chart.Point, bool) { return chart.Point{Y: take(r)}, r.Games > 0 })
}

func (st *Status) lossLine(name string, take func(*Loss) float64) chart.Line {
	return st.line(name, func(r *Result) (chart.Point, bool) {
		if r.Loss == nil {
			return chart.Point{}, false
		}
		return chart.Point{Y: take(r.Loss)}, true
	})
}

// calibration draws the results of positions against their expected results, for the first
// and the last round.
func (st *Status) calibration() chart.Chart {
	var lines []chart.Line
	for i, r := range st.List {
		if i > 0 && i < len(st.List)-1 && st.List[i+1].Games > 0 || r.Games == 0 {
			continue
		}
		l := chart.Line{Name: fmt.Sprintf("round %d", r.Round)}
		for _, b := range r.Calibration {
			if b.N > 0 {
				l.Points = append(l.Points, chart.Point{X: b.Expected, Y: b.Result})
			}
		}
		lines = append(lines, l)
	}
	ideal := chart.Line{Name: "ideal", Points: []chart.Point{{}, {X: 1, Y: 1}}}
	return chart.Draw("Calibration of the search: result over expectation", "%.2f", true, 0, append(lines, ideal)...)
}
