package report

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/carozero/carozero/internal/engine/games"
)

// Certificate is what the certificate of a win in a file says, or why it is refused.
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
	Winner string `json:"winner"`
	Plies  int    `json:"plies"` // against the longest defence
	Nodes  int    `json:"nodes"` // moves of the winner
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// NewCertificate returns the report of a file of so many bytes: what its certificate
// says, or why it is refused.
func NewCertificate(file string, bytes int, c *games.Certified, refused error) Certificate {
	if refused != nil {
		return Certificate{File: file, Refused: refused.Error()}
	}
	return Certificate{File: file, Holds: true, CertificateFacts: &CertificateFacts{
		Rule: c.Rule, Size: c.Size, ToMove: c.ToMove.String(), Winner: c.Winner.String(),
		Plies: c.Plies, Nodes: c.Nodes, Bytes: bytes, SHA256: hex.EncodeToString(c.Digest),
	}}
}

// Text implements [Report].
func (r Certificate) Text(w io.Writer) {
	if !r.Holds {
		fmt.Fprintf(w, "%s: refused: %s\n", single(r.File), single(r.Refused))
		return
	}
	fmt.Fprintf(w, "%s: %s wins in %d plies: %s %dx%d, %s to move, %d nodes, %d bytes\n",
		single(r.File), r.Winner, r.Plies, r.Rule, r.Size, r.Size, r.ToMove, r.Nodes, r.Bytes)
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
	fmt.Fprintf(w, "SHA-256 %s\n\n%s\n\nlongest defence: %s\n", r.SHA256, r.Board, strings.Join(r.Line, " "))
}
