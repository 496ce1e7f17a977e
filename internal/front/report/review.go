package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/front/review"
)

// Review is what "review" prints.
type Review struct {
	Game     string       `json:"game"` // its variant
	Title    string       `json:"title"`
	Black    ReviewSide   `json:"black"`
	White    ReviewSide   `json:"white"`
	Moves    []ReviewMove `json:"moves"`
	Unjudged int          `json:"unjudged"`
	Out      string       `json:"out,omitempty"` // the file that was written

	sums [2]string
}

// ReviewSide is what the moves of a side amount to.
type ReviewSide struct {
	Moves    int            `json:"moves"`    // judged, without those that no player chose
	Accuracy float64        `json:"accuracy"` // in 0..100
	Classes  map[string]int `json:"classes"`
}

// ReviewMove is a move as it is judged.
type ReviewMove struct {
	Number int      `json:"number"`
	Player string   `json:"player"` // B or W
	Move   string   `json:"move"`
	Class  string   `json:"class"` // "": nothing is known
	Loss   float64  `json:"loss"`  // of expected result, in 0..1
	Best   string   `json:"best,omitempty"`
	Line   []string `json:"line,omitempty"`
	Proven string   `json:"proven,omitempty"` // win, loss or draw, of the position before the move
	Remark string   `json:"-"`
}

// NewReview returns the report of a review, written to a file unless out is "".
func NewReview(r *review.Report, out string) *Review {
	p := &Review{Game: r.Game.Variant.String(), Title: single(r.Game.Title), Moves: []ReviewMove{}, Out: out}
	for side := range r.Sides {
		s := &r.Sides[side]
		shown := ReviewSide{Moves: s.Moves, Accuracy: s.Accuracy, Classes: map[string]int{}}
		for c := review.Best; c <= review.Blunder; c++ {
			shown.Classes[c.String()] = s.Counts[c]
		}
		*[]*ReviewSide{&p.Black, &p.White}[side] = shown
		p.sums[side] = r.Sum(game.Side(side))
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		shown := ReviewMove{Number: m.Number, Player: [2]string{"B", "W"}[m.Side], Move: m.Text, Class: m.Class.String(), Loss: m.Loss, Best: m.Best, Line: m.Line, Remark: m.Remark()}
		if m.Proven != nil {
			shown.Proven = m.Proven.Result
		}
		if m.Class == review.Unjudged {
			p.Unjudged++
		}
		p.Moves = append(p.Moves, shown)
	}
	return p
}

// Text implements [Report]: the moves that were no good ones, and both sides.
func (r *Review) Text(w io.Writer) {
	fmt.Fprintf(w, "%s, %d moves", r.Game, len(r.Moves))
	if r.Title != "" {
		fmt.Fprintf(w, ": %s", r.Title)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range r.Moves {
		if m.Remark != "" {
			fmt.Fprintf(t, "%d.\t%s\t%s\t%s\n", m.Number, m.Player, m.Move, m.Remark)
		}
	}
	_ = t.Flush() // what could not be written, the program's standard output remembers
	for _, sum := range r.sums {
		fmt.Fprintln(w, sum)
	}
	if r.Unjudged > 0 {
		fmt.Fprintf(w, "%d moves are not judged: an engine said nothing of their positions\n", r.Unjudged)
	}
	if r.Out != "" {
		fmt.Fprintln(w, r.Out)
	}
}
