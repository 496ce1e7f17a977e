package report

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// Certificate is what the certificate in a file says, or why it is refused.
type Certificate struct {
	File    string `json:"file"`
	Holds   bool   `json:"holds"`
	Refused string `json:"refused,omitempty"` // why
	*CertificateFacts
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
}

// Certificates is what "certificate check" prints.
type Certificates []Certificate

// Text implements [Report].
func (r Certificates) Text(w io.Writer) {
	for _, c := range r {
		c.Text(w)
	}
}

// ShownCertificate is what "certificate show" prints of a certificate that holds.
type ShownCertificate struct {
	Certificate
	Board string   `json:"board"`
	Line  []string `json:"line"` // of the longest defence
}

// Text implements [Report].
func (r ShownCertificate) Text(w io.Writer) {
	r.Certificate.Text(w)
	fmt.Fprintf(w, "SHA-256 %s\n\n%s\n", r.SHA256, r.Board)
	if len(r.Line) > 0 {
		fmt.Fprintf(w, "\nlongest defence: %s\n", strings.Join(r.Line, " "))
	}
}
