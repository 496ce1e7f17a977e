package crosscheck

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
)

//go:embed report.html
var reportPage string

// Heading is what the report says of the run beside its results.
type Heading struct {
	Variant games.Variant
	Model   string
	Input   string
}

// page is what the template reads.
type page struct {
	Heading
	Summary
	Options Options
	Grid    grid
	Cards   []card
	Left    int // disagreements without a board
}

// card is one disagreement.
type card struct {
	Row
	Scene *scene
	What  string // the verdict in words
}

// WriteReport writes the report: one HTML page that needs nothing else.
func (f *Findings) WriteReport(w io.Writer, h Heading) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"percent": percent,
		"signed":  func(x float64) string { return fmt.Sprintf("%+.2f", x) },
		"claim":   claimText,
		"join":    func(line []string) string { return strings.Join(line, " ") },
		"last":    func(list []int) int { return len(list) - 1 },
		"label":   func(v Verdict) string { return verdictLabels[v] },
		"name":    func(of string) string { return names[of] },
		"file": func(data []byte) template.URL {
			return template.URL("data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(data))
		},
	}).Parse(reportPage)
	if err != nil {
		return err
	}
	p := page{Heading: h, Summary: f.Summary(), Options: f.options, Grid: newGrid(h.Variant.Size), Left: f.tally.left}
	for i := range f.tally.shown {
		r := &f.tally.shown[i]
		s, err := newScene(p.Grid, h.Variant, r)
		if err != nil {
			return fmt.Errorf("row %d: %w", r.Index, err)
		}
		p.Cards = append(p.Cards, card{Row: *r, Scene: s, What: inWords(r)})
	}
	slices.SortStableFunc(p.Cards, func(a, b card) int { return gravity[b.Verdict] - gravity[a.Verdict] })
	return t.Execute(w, p)
}

// names are what the page calls whose values are calibrated.
var names = map[string]string{"network": "network", nameMCTS: "MCTS", nameAlphaBeta: "alpha-beta"}

// gravity orders the cards: what is proven comes first.
var gravity = map[Verdict]int{MCTSBlunder: 3, AlphaBetaBlunder: 2, Unproven: 1}

var verdictLabels = map[Verdict]string{
	Agree: "agree", Differ: "differ", Unproven: "unproven", MCTSBlunder: "MCTS blunder",
	AlphaBetaBlunder: "alpha-beta blunder",
}

// inWords says what was found.
func inWords(r *Row) string {
	var parts []string
	for _, e := range []struct{ name, move, kind, unproven string }{
		{"MCTS", r.MCTS.Move, r.MCTSBlunder, r.MCTSUnproven}, {"alpha-beta", r.AlphaBeta.Move, r.AlphaBetaBlunder,
			r.AlphaBetaUnproven},
	} {
		text := ""
		switch {
		case e.kind == Loses:
			text = "%s's %s loses by force"
		case e.kind == Misses:
			text = "%s's %s lets a proven win go"
		case e.unproven == Loses:
			text = "%s's %s loses by force, but perhaps every move does"
		case e.unproven == Misses:
			text = "%s's %s seems to let a proven win go"
		default:
			continue
		}
		parts = append(parts, fmt.Sprintf(text, e.name, e.move))
	}
	if len(parts) == 0 {
		return "no blunder is known of either move"
	}
	for _, p := range []struct {
		of    string
		proof *ProofView
	}{{"proof", r.Proof}, {"proof of alpha-beta's", r.AlphaBetaProof}} {
		if p.proof != nil {
			parts = append(parts, fmt.Sprintf("%s by %s, at most %d plies, %d positions answered in its replay", p.of,
				p.proof.By, p.proof.Plies, p.proof.Asked))
		}
	}
	return strings.Join(parts, "; ")
}

// claimText says what a claim is, "" for none.
func claimText(plies int) string {
	switch {
	case plies > 0:
		return fmt.Sprintf("claims a win in %d", plies)
	case plies < 0:
		return fmt.Sprintf("claims a loss in %d", -plies)
	}
	return ""
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}

// CheckReport returns an error if no report can be written to path. It leaves
// nothing behind.
func CheckReport(path string) error {
	if err := checkOwnReport(path); err != nil {
		return err
	}
	return disk.Try(path)
}

// SaveReport writes the report to a file, which is there as a whole or not at
// all. A file that is no report of ours is not replaced.
func (f *Findings) SaveReport(path string, h Heading) error {
	if err := checkOwnReport(path); err != nil {
		return err
	}
	return disk.Write(path, func(w io.Writer) error { return f.WriteReport(w, h) })
}

// reportMark stands near the start of every report.
const reportMark = "<title>Cross-check: MCTS against alpha-beta</title>"

// checkOwnReport returns an error if there is a file at path that is neither
// empty nor a report.
func checkOwnReport(path string) error {
	return disk.Check(path, "no report of this command", func(head []byte) bool {
		return bytes.Contains(head, []byte(reportMark))
	})
}
