package report

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/games"
)

// Book is what "book show" prints of a book, and other commands of one that they have
// changed.
type Book struct {
	File     string        `json:"file"`
	ID       string        `json:"id"`
	Version  int           `json:"version"`
	Variants []BookVariant `json:"variants"`
	Done     *book.Checked `json:"done,omitempty"`
	Build    *book.Built   `json:"build,omitempty"`
	Proved   *book.Proved  `json:"proved,omitempty"`
}

// BookVariant is how much a book has of a rule set and size.
type BookVariant struct {
	Rule         string `json:"rule"`
	Size         int    `json:"size"`
	OpenRule     bool   `json:"open_rule"`
	Positions    int64  `json:"positions"`
	Values       int64  `json:"values"`
	Labelled     int64  `json:"labelled"`
	Certificates int64  `json:"certificates"`
	Expanded     int64  `json:"expanded"`
}

// NewBook returns the report of an open book.
func NewBook(b *book.Book) (*Book, error) {
	list, err := b.Variants()
	r := &Book{File: b.Path(), ID: b.ID(), Version: book.Version, Variants: []BookVariant{}}
	for _, v := range list {
		r.Variants = append(r.Variants, BookVariant{
			Rule: v.Rules.Name, Size: v.Size, OpenRule: v.Rules.OpenDistance > 0, Positions: v.Positions, Values: v.Values,
			Labelled: v.Labelled, Certificates: v.Certificates, Expanded: v.Expanded,
		})
	}
	return r, err
}

// Text implements [Report].
func (r *Book) Text(w io.Writer) {
	if d := r.Done; d != nil {
		fmt.Fprintf(w, "%d positions, %d values; %d certificates hold\n", d.Positions, d.Values, d.Certificates)
	}
	if b := r.Build; b != nil {
		fmt.Fprintf(w, "%d positions below the root, %d expanded, %d asked deeper; value %+.3f", b.Positions, b.Expanded,
			b.Deeper, b.Value)
		if b.Proof != game.Unproven {
			fmt.Fprintf(w, " %v", b.Proof)
		}
		fmt.Fprintln(w)
		if b.Done {
			fmt.Fprintln(w, "no leaf is left")
		}
	}
	if p := r.Proved; p != nil {
		fmt.Fprintf(w, "%d positions reached, %d tried: %d won by fours; %d proven with quiet moves in all\n",
			p.Reached, p.Tried, p.Fours, p.Proven)
		if p.Done {
			fmt.Fprintln(w, "no position is left to be tried")
		}
	}
	fmt.Fprintf(w, "%s  version %d  %s\n", r.File, r.Version, r.ID)
	if len(r.Variants) == 0 {
		fmt.Fprintln(w, "no positions")
		return
	}
	t := table(w, 0, "rule\tpositions\tvalues\tlabels\tcertificates\texpanded")
	for _, v := range r.Variants {
		name := fmt.Sprintf("%s %dx%d", single(v.Rule), v.Size, v.Size)
		if v.OpenRule {
			name += " open"
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\n", name, v.Positions, v.Values, v.Labelled, v.Certificates, v.Expanded)
	}
	t.Flush()
}

// BookQuery is what "book query" prints: a position and its moves in the book.
type BookQuery struct {
	Rule   string `json:"rule"`
	Size   int    `json:"size"`
	ToMove string `json:"to_move"`
	*book.View
}

// Text implements [Report].
func (r *BookQuery) Text(w io.Writer) {
	fmt.Fprintf(w, "%s %dx%d, %s to move\n", r.Rule, r.Size, r.Size, r.ToMove)
	if r.Found {
		lineOf(w, "", r.Here)
		for _, v := range r.Here.Values {
			fmt.Fprintf(w, "  %s %+.3f", strings.TrimSpace(v.Engine+" "+v.Network), v.Value)
			if v.Proof != game.Unproven {
				fmt.Fprintf(w, " %s in %d", v.Proof, v.Plies)
			}
			fmt.Fprintf(w, "  nodes %d  depth %d  best %s  %s\n", v.Nodes, v.Depth, v.Best, v.Build)
		}
	} else {
		fmt.Fprintln(w, "the position is not in the book")
	}
	if len(r.Moves) == 0 {
		fmt.Fprintln(w, "no moves in the book")
		return
	}
	for i := range r.Moves {
		lineOf(w, r.Moves[i].Move, &r.Moves[i].ViewPosition)
	}
}

// lineOf prints a position of a book in a line.
func lineOf(w io.Writer, move string, p *book.ViewPosition) {
	var parts []string
	if p.Value != nil {
		parts = append(parts, fmt.Sprintf("%+.3f", *p.Value))
	}
	if p.Proof != game.Unproven {
		parts = append(parts, p.Proof.String())
	}
	if p.Label != "" {
		parts = append(parts, "label "+p.Label)
	}
	if p.Certificate {
		parts = append(parts, "certificate")
	}
	if p.Comment != "" {
		parts = append(parts, single(p.Comment))
	}
	fmt.Fprintf(w, "%-5s%s  (%s, %s)\n", move, strings.Join(parts, "  "), single(p.Author), p.Time)
}

// Bitbase is what "bitbase" prints of a table that it has built, or
// of one that it has checked.
type Bitbase struct {
	File      string         `json:"file"`
	Cards     []string       `json:"cards"`
	Men       int            `json:"men"`
	Positions int64          `json:"positions"`
	Classes   []BitbaseClass `json:"classes"`
	Seconds   float64        `json:"seconds"`
}

// BitbaseClass says what the positions with so many men come to for the side to
// move.
type BitbaseClass struct {
	Own       int   `json:"own"` // men of the side to move, its master included
	Opponent  int   `json:"opponent"`
	Positions int64 `json:"positions"`
	Wins      int64 `json:"wins"`
	Draws     int64 `json:"draws"`
	Losses    int64 `json:"losses"`
	Longest   int   `json:"longest"` // plies
}

// Text implements [Report].
func (r *Bitbase) Text(w io.Writer) {
	fmt.Fprintf(w, "%s  %s  %d men  %d positions  %.1f s\n\n", r.File, strings.Join(r.Cards, ","), r.Men, r.Positions,
		r.Seconds)
	t := table(w, tabwriter.AlignRight, "own\topponent\tpositions\twins\tdraws\tlosses\tlongest\t")
	for _, c := range r.Classes {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", c.Own, c.Opponent, c.Positions, c.Wins, c.Draws, c.Losses, c.Longest)
	}
	t.Flush()
}

// Endgame is what "solve" prints of a position of solved endgames.
type Endgame struct {
	ToMove string      `json:"to_move"`
	Result game.Result `json:"result"` // of the side to move
	Plies  int         `json:"plies"`  // to the end, 0 for a draw
	Line   []string    `json:"line"`   // best play to the end; of a draw a move that holds it
}

// Text implements [Report].
func (r *Endgame) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n%s\n", r.ToMove, valueIn(r.Result, r.Plies), strings.Join(r.Line, "  "))
}

// valueIn returns "win in 5 plies" or "draw".
func valueIn(value game.Result, plies int) string {
	if plies == 0 {
		return value.String()
	}
	return fmt.Sprintf("%v in %d plies", value, plies)
}

// Certificate is what the certificate in a file says, or why it is refused.
type Certificate struct {
	File    string `json:"file"`
	Holds   bool   `json:"holds"`
	Refused string `json:"refused,omitempty"` // why
	*CertificateFacts

	Board string   `json:"board,omitempty"` // where that is asked for
	Line  []string `json:"line,omitempty"`  // of the longest defence, likewise
}

// CertificateFacts are what a certificate that holds says.
type CertificateFacts struct {
	Rule   string `json:"rule"`
	Size   int    `json:"size"`
	ToMove string `json:"to_move"`
	Winner string `json:"winner,omitempty"`
	Held   string `json:"held,omitempty"` // where no win is certified: first, second, or both for a draw
	Plies  int    `json:"plies"`          // of a win, against the longest defence
	Nodes  int    `json:"nodes"`          // moves of the winner, or words
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// NewCertificate returns the report of a file of so many bytes: what its certificate
// says, or why it is refused.
func NewCertificate(file string, bytes int, c *games.Certified, refused error) Certificate {
	if refused != nil {
		return Certificate{File: file, Refused: refused.Error()}
	}
	facts := &CertificateFacts{
		Rule: c.Rule, Size: c.Size, ToMove: c.ToMove.String(), Plies: c.Plies, Nodes: c.Nodes,
		Bytes: bytes, SHA256: hex.EncodeToString(c.Digest),
	}
	switch {
	case c.Win():
		facts.Winner = c.Winner.String()
	case c.Holds[0] && c.Holds[1]:
		facts.Held = "both"
	case c.Holds[0]:
		facts.Held = game.First.String()
	default:
		facts.Held = game.Second.String()
	}
	return Certificate{File: file, Holds: true, CertificateFacts: facts}
}

// said is what a certificate that holds proves, in words.
func (f *CertificateFacts) said() string {
	switch f.Held {
	case "":
		return fmt.Sprintf("%s wins in %d plies", f.Winner, f.Plies)
	case "both":
		return "a draw"
	}
	return f.Held + " does not lose"
}

// Text implements [Report].
func (r Certificate) Text(w io.Writer) {
	if !r.Holds {
		fmt.Fprintf(w, "%s: refused: %s\n", single(r.File), single(r.Refused))
		return
	}
	of := "nodes"
	if r.Held != "" {
		of = "words"
	}
	fmt.Fprintf(w, "%s: %s: %s %dx%d, %s to move, %d %s, %d bytes\n",
		single(r.File), r.said(), r.Rule, r.Size, r.Size, r.ToMove, r.Nodes, of, r.Bytes)
	if r.Board != "" {
		fmt.Fprintf(w, "SHA-256 %s\n\n%s\n", r.SHA256, r.Board)
	}
	if len(r.Line) > 0 {
		fmt.Fprintf(w, "\nlongest defence: %s\n", strings.Join(r.Line, " "))
	}
}

// Certificates is what "certificate check" prints.
type Certificates []Certificate

// Text implements [Report].
func (r Certificates) Text(w io.Writer) {
	for _, c := range r {
		c.Text(w)
	}
}
