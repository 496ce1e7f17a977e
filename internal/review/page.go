package review

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

//go:embed page.html
var pageText string

// PageMark stands near the start of every page.
const PageMark = `<meta name="generator" content="carozero review">`

// shown is what the script draws; Boards are the stones after each turn, row by row from the
// bottom, b, w or a dot. Size 0: the game has no board of cells.
type shown struct {
	Size   int        `json:"size"`
	Boards []string   `json:"boards"`
	Moves  []string   `json:"moves"`
	Lines  [][]string `json:"lines"` // what was better, by turn
	Sides  []int      `json:"sides"` // to move, by turn
}

// escape makes a text one of the page, in which it has no places to fill either.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+", "&#43;",
	"{", "&#123;").Replace

// fill puts texts into their places, {{name}}: pairs are names and texts.
func fill(page string, pairs ...string) string {
	for i := range pairs {
		if pairs[i] = escape(pairs[i]); i%2 == 0 {
			pairs[i] = "{{" + pairs[i] + "}}"
		}
	}
	return strings.NewReplacer(pairs...).Replace(page)
}

// repeat has a part of a page, from {{name}} to {{/name}}, as often as that, each filled.
func repeat(page, name string, times int, filled func(part string, i int) string) string {
	before, rest, _ := strings.Cut(page, "{{"+name+"}}")
	part, after, _ := strings.Cut(rest, "{{/"+name+"}}")
	var b strings.Builder
	b.WriteString(before)
	for i := range times {
		b.WriteString(filled(part, i))
	}
	b.WriteString(after)
	return b.String()
}

// only has a part of a page where something holds.
func only(page, name string, holds bool) string {
	times := 0
	if holds {
		times = 1
	}
	return repeat(page, name, times, func(part string, _ int) string { return part })
}

// WritePage writes the report as an HTML page that needs nothing else and asks nobody.
func (r *Report) WritePage(out io.Writer, language string) error {
	w, shown := wordsOf(language), r.shown()
	about := r.Game.Variant.String()
	if r.Game.Result != "" {
		about += " · " + r.Game.Result
	}
	script, err := json.Marshal(shown)
	if err != nil {
		return err
	}
	page := only(pageText, "board", shown.Size > 0)
	heads := w.Classes[Best:]
	page = repeat(page, "heads", len(heads), func(part string, i int) string { return fill(part, "text", heads[i]) })
	page = repeat(page, "sums", len(r.Sides), func(part string, side int) string { return r.sums(w, part, side) })
	page = repeat(page, "moves", len(r.Moves), func(part string, i int) string { return r.Moves[i].show(w, part) })
	page = fill(strings.Replace(page, "{{Mark}}", PageMark, 1),
		"Language", w.Language, "Title", w.Title, "Name", r.name(w), "About", about, "First", w.First,
		"Back", w.Back, "Forward", w.Forward, "Chances", w.Chances, "Curve", r.curve(), "Accuracy", w.Accuracy,
		"Explained", w.Explained, "MoveList", w.MoveList)
	_, err = io.WriteString(out, strings.Replace(page, "{{Shown}}", string(script), 1)) // last: its texts are no places
	return err
}

// sums fills the line of a side in the table of both.
func (r *Report) sums(w *words, part string, side int) string {
	s := &r.Sides[side]
	name, accuracy := w.Sides[side], "–"
	if player := [2]string{r.Game.Black, r.Game.White}[side]; player != "" {
		name += " · " + player
	}
	if s.Moves > 0 {
		accuracy = fmt.Sprintf("%.1f%%", s.Accuracy)
	}
	counts := s.Counts[Best:]
	part = repeat(part, "counts", len(counts), func(part string, i int) string {
		return fill(part, "text", strconv.Itoa(counts[i]))
	})
	return fill(part, "side", sideClass(game.Side(side)), "name", name, "accuracy", accuracy)
}

// show fills the line of a move.
func (m *Move) show(w *words, part string) string {
	loss, instead := "", "" // nothing was better
	if m.Class >= Inaccuracy {
		loss = "−" + percent(m.Loss)
		if m.Best != "" {
			instead = w.instead(m)
		}
	}
	part = only(only(only(part, "told", instead != ""), "lost", loss != ""), "better", instead != "")
	return fill(part, "number", strconv.Itoa(m.Number), "side", sideClass(m.Side), "text", m.Text,
		"class", m.Class.String(), "name", w.Classes[m.Class], "loss", loss, "Hidden", w.Hidden, "instead", instead)
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
		stones := []byte{}
		for _, stone := range v.Stones(pos) {
			stones = append(stones, ".bw"[stone])
		}
		s.Boards = append(s.Boards, string(stones))
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
