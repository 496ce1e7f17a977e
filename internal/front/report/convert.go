package report

import (
	"fmt"
	"io"

	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/record/convert"
)

// Conversion is what "convert" prints.
type Conversion struct {
	Format  string        `json:"format"`
	Out     string        `json:"out"`
	Games   int           `json:"games"`
	Files   int           `json:"files"`
	Illegal *int          `json:"illegal,omitempty"` // games, where they were checked
	Lost    []record.Lost `json:"lost"`
}

// NewConversion returns the report of a conversion to out, which checked says to
// have looked for illegal games.
func NewConversion(f record.Format, out string, checked bool, s *convert.Summary) *Conversion {
	r := &Conversion{Format: f.String(), Out: out, Games: s.Games, Files: max(1, len(s.Files)), Lost: s.Loss.Kinds}
	if checked {
		r.Illegal = &s.Illegal
	}
	if r.Lost == nil {
		r.Lost = []record.Lost{}
	}
	return r
}

// Text implements [Report].
func (r *Conversion) Text(w io.Writer) {
	out := r.Out
	if out == "-" {
		out = "standard output"
	}
	fmt.Fprintf(w, "%d games to %s, files: %d\n", r.Games, out, r.Files)
	if loss := (&record.Loss{Kinds: r.Lost}).String(); loss != "" {
		fmt.Fprintf(w, "%s has no place for: %s\n", r.Format, loss)
	}
	if r.Illegal != nil {
		fmt.Fprintf(w, "games that are not legal: %d\n", *r.Illegal)
	}
}

// Picture is what "show" prints of a picture that it has written.
type Picture struct {
	Out  string `json:"out"`
	Game string `json:"game"`
	Rule string `json:"rule"`
	Size int    `json:"size"`
	Move int    `json:"move"` // moves played in the position shown last
}

// Text implements [Report].
func (r *Picture) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: the position after %d moves\n", r.Out, r.Move)
}

// Shown is what "show" prints of a position without a picture.
type Shown struct {
	Game     string `json:"game"`
	Rule     string `json:"rule"`
	Size     int    `json:"size"`
	Move     int    `json:"move"` // moves played
	ToMove   string `json:"to_move"`
	Outcome  string `json:"outcome"`
	Reason   string `json:"reason,omitempty"`
	Position string `json:"position"` // as its moves; of a diagram none
	Board    string `json:"board"`
	Title    string `json:"title"`
	Caption  string `json:"caption,omitempty"` // the players
}

// Text implements [Report].
func (r *Shown) Text(w io.Writer) {
	fmt.Fprintf(w, "%s\n%s\n", r.Board, r.Title)
	if r.Caption != "" {
		fmt.Fprintln(w, r.Caption)
	}
}
