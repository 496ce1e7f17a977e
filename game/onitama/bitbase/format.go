package bitbase

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/carozero/carozero/game/onitama"
)

// Errors of reading, wrapped with the place and what would be right.
var (
	ErrFormat  = errors.New("bitbase: not a bitbase")
	ErrVersion = errors.New("bitbase: another version")
	ErrDamaged = errors.New("bitbase: damaged")
	ErrCut     = errors.New("bitbase: cut off")
	ErrCards   = errors.New("bitbase: other cards")
	ErrMen     = errors.New("bitbase: bad number of men")
)

const (
	magic   = "carozero onitama bitbase"
	version = 1

	// maxLine is the longest line of a file, its end included.
	maxLine = 256
)

// header is the first line of a file.
type header struct {
	cards *cards
	men   int
}

func (h header) line() string {
	return fmt.Sprintf("%s version %d cards %s men %d\n", magic, version, h.cards.names(), h.men)
}

// readHeader reads the first line of a file.
func readHeader(r *bufio.Reader) (header, error) {
	line, err := readLine(r)
	begun := strings.HasPrefix(line, magic+" ")
	switch {
	case err != nil && err != io.EOF && !errors.Is(err, errLong):
		return header{}, err
	case err == io.EOF && (begun || strings.HasPrefix(magic+" ", line)):
		return header{}, fmt.Errorf("%w in its first line", ErrCut)
	case !begun:
		return header{}, fmt.Errorf("%w: it begins with %.24q; want %q", ErrFormat, line, magic)
	case err != nil:
		return header{}, fmt.Errorf("%w: the first line has more than %d bytes", ErrDamaged, maxLine)
	}
	var v, men int
	var names string
	form := fmt.Errorf("%w: the first line is %.80q; want as in %q", ErrDamaged, line, magic+" version 1 cards Crab,Crane,Dragon,Monkey,Tiger men 4")
	if _, err := fmt.Sscanf(line[len(magic):], " version %d", &v); err != nil {
		return header{}, form
	}
	if v != version {
		return header{}, fmt.Errorf("%w: %d; want %d", ErrVersion, v, version)
	}
	if _, err := fmt.Sscanf(line[len(magic):], " version %d cards %s men %d\n", &v, &names, &men); err != nil {
		return header{}, form
	}
	c, err := ParseCards(names)
	if err != nil {
		return header{}, fmt.Errorf("%w: the first line: %w", ErrDamaged, err)
	}
	h := header{men: men}
	if h.cards, err = newCards(c); err != nil {
		return header{}, fmt.Errorf("%w: the first line: %w", ErrDamaged, err)
	}
	if h.line() != line {
		return header{}, form
	}
	return h, checkMen(men)
}

// checkMen returns an error unless a table can have that many men.
func checkMen(men int) error {
	if men < 2 || men > MaxMen {
		return fmt.Errorf("%w: %d; want 2..%d", ErrMen, men, MaxMen)
	}
	return nil
}

// ParseCards reads five different cards as in "Crab,Crane,Dragon,Monkey,Tiger", in
// any order and in upper or lower case. The error wraps [onitama.ErrCards].
func ParseCards(text string) (five [5]onitama.Card, err error) {
	names := strings.Split(text, ",")
	if len(names) != len(five) {
		return five, fmt.Errorf("%w: %.80q has %d; want five as in Crab,Crane,Dragon,Monkey,Tiger", onitama.ErrCards, text, len(names))
	}
	for i, name := range names {
		if five[i], err = onitama.ParseCard(strings.TrimSpace(name)); err != nil {
			return five, err
		}
	}
	_, err = newCards(five)
	return five, err
}

// Summary says what the positions of a class come to for the side to move.
type Summary struct {
	Class
	Wins, Draws, Losses int64
	Longest             int // the most plies of a win or a loss, 0 if there is none
}

// section is a class in a file: a line, then a byte for each position by deal and
// number.
type section struct {
	Summary
	sum [sha256.Size]byte // of the file's first line, of this line up to its sum, and of the bytes
	at  int64             // where the bytes begin
}

// start returns the line without the sum.
func (s *Summary) start() string {
	return fmt.Sprintf("class %d %d positions %d wins %d draws %d losses %d longest %d sha256 ",
		s.Own, s.Opp, s.Size(), s.Wins, s.Draws, s.Losses, s.Longest)
}

func (s *section) line() string { return s.start() + hex.EncodeToString(s.sum[:]) + "\n" }

// hash returns the hash whose sum the line has, before the bytes.
func (s *section) hash(h header) hash.Hash {
	sum := sha256.New()
	io.WriteString(sum, h.line())
	io.WriteString(sum, s.start())
	return sum
}

// readSection reads the line of a class and, through buf, all of its bytes, and
// checks both. at is where the line begins.
func readSection(r *bufio.Reader, h header, want Class, at int64, buf []byte) (section, error) {
	s := section{}
	where := fmt.Sprintf("class %d %d at byte %d", want.Own, want.Opp, at)
	line, err := readLine(r)
	switch {
	case err == io.EOF:
		return s, fmt.Errorf("%w: %s is missing", ErrCut, where)
	case err != nil && !errors.Is(err, errLong):
		return s, err
	}
	var size int64
	var sum string
	if _, err := fmt.Sscanf(line, "class %d %d positions %d wins %d draws %d losses %d longest %d sha256 %s\n",
		&s.Own, &s.Opp, &size, &s.Wins, &s.Draws, &s.Losses, &s.Longest, &sum); err != nil || s.Class != want {
		return s, fmt.Errorf("%w: %s begins with %.80q; want %q", ErrDamaged, where, line, fmt.Sprintf("class %d %d positions %d", want.Own, want.Opp, want.Size()))
	}
	if n, err := hex.Decode(s.sum[:], []byte(sum[:min(len(sum), 2*len(s.sum))])); err != nil || n != len(s.sum) || s.line() != line {
		return s, fmt.Errorf("%w: %s has the line %.160q; its numbers are wrong", ErrDamaged, where, line)
	}
	s.at = at + int64(len(line))
	got := s.hash(h)
	n, err := io.CopyBuffer(got, io.LimitReader(plain{r}, s.Size()), buf)
	switch {
	case err != nil:
		return s, err
	case n < s.Size():
		return s, fmt.Errorf("%w: %s has %d bytes; want %d", ErrCut, where, n, s.Size())
	case !bytes.Equal(got.Sum(nil), s.sum[:]):
		return s, fmt.Errorf("%w: %s has the SHA-256 %x; want %x", ErrDamaged, where, got.Sum(nil), s.sum)
	}
	return s, nil
}

// plain hides the reader's own way of copying, which would not use a buffer.
type plain struct{ io.Reader }

// errLong is returned for a line that does not end.
var errLong = errors.New("the line is too long")

// readLine reads a line with its end. With errLong it returns its beginning, with
// io.EOF what there is.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for len(line) < maxLine {
		b, err := r.ReadByte()
		if err != nil {
			return string(line), err
		}
		if line = append(line, b); b == '\n' {
			return string(line), nil
		}
	}
	return string(line), errLong
}
