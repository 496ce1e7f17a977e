package review

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
)

//go:embed page.html
var pageText string

// PageMark stands near the start of every page.
const PageMark = `<meta name="generator" content="carozero review">`

// page is what the template reads.
type page struct {
	*words
	Mark  template.HTML
	Name  string // of the game
	About string
	Sums  []pageSum
	Heads []string // of the counts
	Moves []pageMove
	Shown shown
	Curve string // points of the curve, in 1000 by 100
}

// pageSum is a line of the table of both sides.
type pageSum struct {
	Side, Name, Accuracy string
	Counts               []int
}

// pageMove is a move as the page has it.
type pageMove struct {
	Number            int
	Side, Text, Class string
	Name, Loss        string
	Instead           string // "": nothing was better
}

// shown is what the script draws; Boards are the stones after each turn, row by row from the
// bottom, b, w or a dot. Size 0: the game has no board of cells.
type shown struct {
	Size   int        `json:"size"`
	Boards []string   `json:"boards"`
	Moves  []string   `json:"moves"`
	Lines  [][]string `json:"lines"` // what was better, by turn
	Sides  []int      `json:"sides"` // to move, by turn
}

// WritePage writes the report as an HTML page that needs nothing else and asks nobody.
func (r *Report) WritePage(out io.Writer, language string) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	w := wordsOf(language)
	p := page{
		words: w, Mark: PageMark, Name: r.name(w), About: r.Game.Variant.String(), Heads: w.Classes[Best:], Curve: r.curve(),
	}
	if r.Game.Result != "" {
		p.About += " · " + r.Game.Result
	}
	for side := range r.Sides {
		s := &r.Sides[side]
		line := pageSum{Side: sideClass(game.Side(side)), Name: w.Sides[side], Accuracy: "–", Counts: s.Counts[Best:]}
		if name := [2]string{r.Game.Black, r.Game.White}[side]; name != "" {
			line.Name += " · " + name
		}
		if s.Moves > 0 {
			line.Accuracy = fmt.Sprintf("%.1f%%", s.Accuracy)
		}
		p.Sums = append(p.Sums, line)
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		shown := pageMove{
			Number: m.Number, Side: sideClass(m.Side), Text: m.Text, Class: m.Class.String(), Name: w.Classes[m.Class],
		}
		if m.Class >= Inaccuracy {
			shown.Loss = "−" + percent(m.Loss)
			if m.Best != "" {
				shown.Instead = w.instead(m)
			}
		}
		p.Moves = append(p.Moves, shown)
	}
	p.Shown = r.shown()
	return t.Execute(out, &p)
}

// name returns how the game is called.
func (r *Report) name(w *words) string {
	g := r.Game
	switch {
	case g.Title != "":
		return g.Title
	case g.Black != "" || g.White != "":
		return g.Black + " – " + g.White
	}
	return w.Title
}

func sideClass(s game.Side) string { return [2]string{"black", "white"}[s] }

// shown returns what the script draws.
func (r *Report) shown() shown {
	v := r.Game.Variant
	s := shown{Size: v.Columns(), Boards: []string{}, Moves: []string{}, Lines: [][]string{}, Sides: []int{}}
	if s.Size == 0 {
		return s
	}
	pos := r.Game.Start.Clone()
	for i := 0; ; i++ {
		s.Boards = append(s.Boards, drawn(v.Stones(pos)))
		s.Sides = append(s.Sides, int(pos.ToMove()))
		line := []string{}
		if i < len(r.Moves) && r.Moves[i].Class >= Inaccuracy {
			line = append(line, r.Moves[i].Line...)
		}
		s.Lines = append(s.Lines, line)
		if i == len(r.Moves) {
			return s
		}
		s.Moves = append(s.Moves, r.Moves[i].Text)
		pos.Play(r.Game.Moves[i])
	}
}

// drawn returns stones as letters.
func drawn(stones []games.Stone) string {
	var b strings.Builder
	for _, s := range stones {
		b.WriteByte(".bw"[s])
	}
	return b.String()
}

// curve returns the points of Black's chances by turn, as SVG has them; pieces where some
// are unknown are joined.
func (r *Report) curve() string {
	var b strings.Builder
	last := float64(max(1, len(r.values)-1))
	for i, v := range r.values {
		if !math.IsNaN(v) {
			fmt.Fprintf(&b, "%.1f,%.1f ", 1000*float64(i)/last, 100*(1-v))
		}
	}
	return strings.TrimSpace(b.String())
}
