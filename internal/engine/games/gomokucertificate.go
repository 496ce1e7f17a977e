package games

import (
	"context"
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
)

// Bounds on the certificates that are written and checked: nodes, which take some 200
// bytes of memory each, and the bytes of a file.
const (
	MaxCertificateNodes = 2_000_000
	MaxCertificateBytes = certificate.MaxBytes
)

// Certified is what a certificate of gomoku says.
type Certified struct {
	Rule           string
	Size           int
	ToMove, Winner game.Side
	Plies, Nodes   int
	Holds          [2]bool // the sides that do not lose, where no win is certified; Nodes are words then
	Digest         []byte
	Board          string   // the start position as a diagram
	Hash           uint64   // that of the start position
	Line           []string // of the longest defence of a win
}

// Win reports whether the certificate is of a win.
func (c *Certified) Win() bool { return c.Holds == [2]bool{} }

// IsCertificate reports whether a file that begins with head means to be a certificate.
func IsCertificate(head []byte) bool { return certificate.Is(head) }

// CheckCertificate checks the bytes of a certificate by the rules alone. The error says
// in a line why it proves nothing, or is that of ctx.
func CheckCertificate(ctx context.Context, data []byte) (*Certified, error) {
	c, err := certificate.Decode(data)
	if err != nil {
		return nil, err
	}
	if len(c.Moves) > MaxCertificateNodes {
		return nil, fmt.Errorf("%w: %d, want at most %d", certificate.ErrNodes, len(c.Moves), MaxCertificateNodes)
	}
	var line []game.Move
	if c.Win() {
		line, err = c.Line(ctx)
	} else {
		err = c.Check(ctx)
	}
	if err != nil {
		return nil, err
	}
	start, err := c.Board()
	if err != nil {
		return nil, err
	}
	r := &Certified{
		Rule: c.Rules.Name, Size: c.Size, ToMove: start.ToMove(), Winner: c.Winner, Plies: c.Plies, Nodes: len(c.Moves), Holds: c.Holds,
		Digest: certificate.Digest(data), Board: strings.TrimRight(start.String(), "\n"), Hash: start.Hash(),
	}
	for _, m := range line {
		r.Line = append(r.Line, gomoku.Notation{Size: c.Size}.FormatMove(m))
	}
	return r, nil
}
