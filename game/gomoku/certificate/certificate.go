package certificate

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Sentinel errors. Returned errors wrap one of them in a line that says what is wrong.
var (
	// ErrFormat: the bytes are no certificate of this format.
	ErrFormat = errors.New("no certificate")
	// ErrRefuted: the moves do not prove what the header says.
	ErrRefuted = errors.New("refuted")
	// ErrNodes: the proof has more nodes than the limit.
	ErrNodes = errors.New("too many nodes")
)

// Limits of the format.
const (
	MaxNodes  = 1 << 24
	MaxBytes  = maxHeader + 2*MaxNodes + sha256.Size
	maxHeader = 4096
)

// Certificate says that a side wins from a position, or that one or both sides do not
// lose, and how.
type Certificate struct {
	Rules gomoku.Rules
	Size  int
	Start gomoku.Setup

	// Of a win, format 1.
	Winner game.Side
	Plies  int // to the end of the game at most

	// Holds are the sides that do not lose, by game.Side, format 2. Neither: a win is
	// certified. Both: a draw is.
	Holds [2]bool

	// Moves are those of the winner, one a node, in the order of the walk. In format 2
	// they are the words of the file: moves and pairings.
	Moves []game.Move
}

// Win reports whether the certificate is of a win.
func (c *Certificate) Win() bool { return c.Holds == [2]bool{} }

// Encode returns the bytes of the certificate. c must have come from Decode or New.
func (c *Certificate) Encode() []byte {
	data := append(c.header(len(c.Moves)), '\n')
	for _, m := range c.Moves {
		if c.width() == 2 {
			data = append(data, byte(m>>8))
		}
		data = append(data, byte(m))
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// Digest returns the SHA-256 at the end of an encoded certificate.
func Digest(data []byte) []byte { return data[max(0, len(data)-sha256.Size):] }

// Is reports whether a file that begins with head means to be a certificate.
func Is(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic+"1\n")) || bytes.HasPrefix(head, []byte(magic+"2\n"))
}

// Decode reads a certificate. It checks the form, the digest and that the rules and
// the start position are possible, but not the proof: see Check. What it takes of memory
// is in proportion to data. Its errors wrap ErrFormat.
func Decode(data []byte) (*Certificate, error) {
	head, _, found := bytes.Cut(data[:min(len(data), maxHeader)], []byte("\n\n"))
	if !Is(data) {
		return nil, malformed("it does not begin with %q or %q", magic+"1", magic+"2")
	}
	if !found {
		return nil, malformed("the header does not end within %d bytes", maxHeader)
	}
	c, nodes, err := parseHeader(string(head) + "\n")
	if err != nil {
		return nil, err
	}
	body := data[len(head)+2:]
	width := c.width()
	if want := nodes*width + sha256.Size; len(body) != want {
		return nil, malformed("%d bytes follow the header: %d of %d bytes each and the digest take %d", len(body), nodes, width, want)
	}
	end := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return nil, malformed("the digest is not that of the content")
	}
	c.Moves = make([]game.Move, nodes)
	for i := range c.Moves {
		m := 0
		for _, b := range body[i*width : (i+1)*width] {
			m = m<<8 | int(b)
		}
		if m >= c.Size*c.Size && (c.Win() || m != int(c.pairing())) {
			return nil, malformed("move %d is %d: the board has %d cells", i+1, m, c.Size*c.Size)
		}
		c.Moves[i] = game.Move(m)
	}
	if _, err := c.Board(); err != nil {
		return nil, err
	}
	return c, nil
}

// Board returns the start position. The error wraps ErrFormat.
func (c *Certificate) Board() (*gomoku.Board, error) {
	b, err := gomoku.NewSetup(c.Rules, c.Size, c.Start)
	switch {
	case err != nil:
		return nil, malformed("%w", err)
	case b.Outcome() != game.Undecided:
		return nil, malformed("the game is over at the start: %v (%s)", b.Outcome(), b.Reason())
	}
	return b, nil
}

// width is the bytes of a move.
func (c *Certificate) width() int {
	if c.Size <= 15 || c.Size == 16 && c.Win() {
		return 1
	}
	return 2
}

// pairing is the word that begins a pairing of format 2.
func (c *Certificate) pairing() game.Move { return 1<<(8*c.width()) - 1 }

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrFormat, fmt.Errorf(format, args...))
}
