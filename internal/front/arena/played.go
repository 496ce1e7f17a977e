package arena

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/game"
)

// Played reads the games of a journal, which may be of a match that goes on.
type Played struct {
	// Setting is Options.Setting, and Start the hash of Options.Start, of the match.
	Setting string
	Start   string

	// Identity tells matches apart: the digest of the journal's header and of the game
	// that ended first. It stays the same while the journal grows.
	Identity string

	players []headerPlayer
	in      *bufio.Reader
	ahead   []byte // the first game's line; nil: read
	line    int
	seen    map[int]bool
}

// IsJournal reports whether a file that begins with head is the journal of a match.
func IsJournal(head []byte) bool {
	return bytes.HasPrefix(head, []byte(`{"format":"`+journalFormat+`"`))
}

// NewPlayed reads the beginning of a journal. The error is io.EOF for one without games.
func NewPlayed(in io.Reader) (*Played, error) {
	p := &Played{in: bufio.NewReaderSize(in, maxLine), seen: map[int]bool{}}
	first, err := p.next()
	if err != nil {
		return nil, err
	}
	var h header
	if err := unpack(first, &h); err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	if h.Format != journalFormat || h.Version != journalVersion {
		return nil, fmt.Errorf("line 1: a journal of version %d, want %d", h.Version, journalVersion)
	}
	p.Setting, p.Start, p.players = h.Setting, h.Start, h.Players
	sum := sha256.New()
	sum.Write(first)
	second, err := p.next()
	if err != nil {
		return nil, err
	}
	p.ahead = second
	sum.Write(second)
	p.Identity = hex.EncodeToString(sum.Sum(nil))
	return p, nil
}

// next returns a line with its end, and io.EOF after the last whole one: another process
// may be writing the one behind it.
func (p *Played) next() ([]byte, error) {
	line, err := p.in.ReadSlice('\n')
	p.line++
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("line %d: more than %d bytes", p.line, maxLine)
	case err != nil:
		return nil, err
	}
	return bytes.Clone(line), nil
}

// unpack reads a line that has no keys but those of a value.
func unpack(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// Next returns the next game, whose moves are in a notation, not checked by the rules, and
// the names of the players by side. The error is io.EOF after the last one.
func (p *Played) Next(n game.Notation) (*Result, [2]string, error) {
	var names [2]string
	line := p.ahead
	if p.ahead = nil; line == nil {
		var err error
		if line, err = p.next(); err != nil {
			return nil, names, err
		}
	}
	var r row
	err := unpack(line, &r)
	var result *Result
	if err == nil {
		result, err = r.result(n)
	}
	for side, player := range r.Players {
		if err == nil && (player < 0 || player >= len(p.players)) {
			err = fmt.Errorf("a player %d of %d", player, len(p.players))
		}
		if err == nil {
			names[side] = p.players[player].Name
		}
	}
	if err == nil && p.seen[r.Game] {
		err = fmt.Errorf("game %d is there twice", r.Game)
	}
	if err != nil {
		return nil, names, fmt.Errorf("line %d: %w", p.line, err)
	}
	p.seen[r.Game] = true
	return result, names, nil
}
