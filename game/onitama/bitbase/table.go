package bitbase

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/internal/disk"
)

// Errors of tables, wrapped with the place and what would be right.
var (
	ErrFormat  = errors.New("bitbase: not a bitbase")
	ErrDamaged = errors.New("bitbase: damaged")
	ErrCards   = errors.New("bitbase: other cards")
	ErrMen     = errors.New("bitbase: bad number of men")
)

// Table is an open bitbase. It reads a byte of its file for each position that is
// asked for, and several goroutines may use it.
type Table struct {
	header
	in       io.ReaderAt
	close    func() error
	sections map[Class]*section
	list     []*section // in the order of the file
	failed   atomic.Pointer[error]
}

// Open opens a bitbase after it has read all of it once to check it. The error wraps
// ErrFormat or ErrDamaged, or is ctx's or the system's. The file must not change while it is
// open.
func Open(ctx context.Context, path string) (*Table, error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t, err := read(ctx, file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t.close = file.Close
	return t, nil
}

// read reads a whole bitbase.
func read(ctx context.Context, in io.ReaderAt) (*Table, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(in, 0, 1<<62), 1<<16)
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	t := &Table{header: h, in: in, sections: map[Class]*section{}}
	at := int64(len(h.line()))
	for _, c := range classes(h.men) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := readSection(r, h, c, at)
		if err != nil {
			return nil, err
		}
		t.sections[c] = s
		t.list = append(t.list, s)
		at = s.at + s.Size()
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, fmt.Errorf("%w: there is more than the %d bytes of its classes", ErrDamaged, at)
	}
	return t, nil
}

// Close closes the file.
func (t *Table) Close() error { return t.close() }

// Cards returns the five cards in ascending order.
func (t *Table) Cards() [5]onitama.Card { return t.cards.five }

// Men returns the largest number of men of its positions.
func (t *Table) Men() int { return t.men }

// Summaries returns what each class comes to, in the order of the file.
func (t *Table) Summaries() []Summary {
	var all []Summary
	for _, s := range t.list {
		all = append(all, s.Summary)
	}
	return all
}

// Covers returns nil if Probe knows b, or an error that wraps ErrCards or ErrMen
// and says why not.
func (t *Table) Covers(b *onitama.Board) error {
	if _, ok := t.cards.number(b); !ok {
		d := b.Deal()
		return fmt.Errorf("%w: the position is dealt %v; the table has %s", ErrCards, d, t.cards.names())
	}
	if n := bits.OnesCount32(b.Pieces(game.First) | b.Pieces(game.Second)); n > t.men {
		return fmt.Errorf("%w: the position has %d; the table has at most %d", ErrMen, n, t.men)
	}
	return nil
}

// Probe returns the value of b under best play for the side to move and the plies to the end if
// the winner is as quick and the loser as slow as can be, 0 for a draw. A game that
// is over is lost in 0 plies. It is not ok if b is not covered, or if the file could
// not be read, which Err tells then.
func (t *Table) Probe(b *onitama.Board) (value game.Result, plies int, ok bool) {
	number, ok := t.cards.number(b)
	if !ok {
		return game.Unproven, 0, false
	}
	if b.Outcome() != game.Undecided {
		return game.Lost, 0, true
	}
	own, opp := b.ToMove(), b.ToMove().Other()
	p := placement{
		men:     [2]uint32{b.Pieces(own), b.Pieces(opp)},
		masters: [2]int{b.Master(own), b.Master(opp)},
	}
	if own == game.Second {
		t := placement{men: [2]uint32{p.men[1], p.men[0]}, masters: [2]int{p.masters[1], p.masters[0]}}
		p = t.turned()
	}
	c := Class{bits.OnesCount32(p.men[0]), bits.OnesCount32(p.men[1])}
	s := t.sections[c]
	if s == nil {
		return game.Unproven, 0, false
	}
	var v [1]byte
	if _, err := t.in.ReadAt(v[:], s.at+int64(number)*int64(s.numbers.size)+int64(s.numbers.rank(&p))); err != nil {
		t.failed.CompareAndSwap(nil, &err)
		return game.Unproven, 0, false
	}
	value, plies = decode(v[0])
	return value, plies, true
}

// decode returns what a byte of a file says.
func decode(v byte) (game.Result, int) {
	switch {
	case v == 0:
		return game.Drawn, 0
	case v%2 == 1:
		return game.Won, int(v)
	}
	return game.Lost, int(v)
}

// Err returns the first error of reading the file that Probe has met.
func (t *Table) Err() error {
	if err := t.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Best returns the first move in the order of [onitama.Board.Moves] with which b
// comes to its value: the quickest win, a draw, or the slowest loss. b is the
// same afterwards. It is not ok if b is over or not covered.
func (t *Table) Best(b *onitama.Board) (best game.Move, ok bool) {
	value, plies, ok := t.Probe(b)
	if !ok || b.Outcome() != game.Undecided {
		return game.NoMove, false
	}
	var buf [40]game.Move // as many as there can be
	for _, m := range b.Moves(buf[:0]) {
		b.Play(m)
		v, n, ok := t.Probe(b)
		b.Undo()
		if !ok {
			return game.NoMove, false
		}
		if v == value.Flip() && (v == game.Drawn || n == plies-1) {
			return m, true
		}
	}
	return game.NoMove, false
}

// Random returns a position of the table, each equally likely, with the first
// player to move.
func (t *Table) Random(rng *rand.Rand) *onitama.Board {
	needs, _ := NeedsOf(t.men)
	i := rng.Int64N(needs.Positions)
	s := t.list[0]
	for _, s = range t.list {
		if i < s.Size() {
			break
		}
		i -= s.Size()
	}
	n := &s.numbers
	p := n.placement(uint32(i % int64(n.size)))
	b, err := t.cards.board(&p, int(i/int64(n.size)))
	if err != nil {
		panic(fmt.Sprintf("bitbase: the numbering has what is no position: %v", err))
	}
	return b
}

// magic begins every file.
const magic = "carozero onitama bitbase"

// Begins reports whether the beginning of a file is that of a bitbase.
func Begins(head []byte) bool { return bytes.HasPrefix(head, []byte(magic+" ")) }

// header is the first line of a file.
type header struct {
	cards *cards
	men   int
}

func (h header) line() string {
	return fmt.Sprintf("%s version 1 cards %s men %d\n", magic, h.cards.names(), h.men)
}

// readHeader reads the first line of a file.
func readHeader(r *bufio.Reader) (header, error) {
	line, err := r.ReadSlice('\n')
	if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
		return header{}, err
	}
	var h header
	var names string
	bad := fmt.Errorf("%w: the first line is %.80q; want as in %q", ErrFormat, line,
		magic+" version 1 cards Crab,Crane,Dragon,Monkey,Tiger men 4")
	if _, err := fmt.Sscanf(string(line), magic+" version 1 cards %s men %d\n", &names, &h.men); err != nil {
		return h, bad
	}
	five, err := ParseCards(names)
	if err != nil {
		return h, fmt.Errorf("%w: the first line: %w", ErrFormat, err)
	}
	if h.cards, err = newCards(five); err != nil || h.line() != string(line) {
		return h, bad
	}
	return h, checkMen(h.men)
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
	deck, err := onitama.ParseDeck(text)
	if list := deck.Cards(); err == nil && copy(five[:], list) != len(list) {
		err = fmt.Errorf("%w: %.80q has %d; want five as in Crab,Crane,Dragon,Monkey,Tiger", onitama.ErrCards, text,
			len(list))
	}
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
	numbers numbering
	sum     [sha256.Size]byte // of the file's first line, of this line up to its sum, and of the bytes
	at      int64             // where the bytes begin
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

// readSection reads the line of a class, which begins at a byte, and all of its bytes, and
// checks both.
func readSection(r *bufio.Reader, h header, c Class, at int64) (*section, error) {
	s := &section{Summary: Summary{Class: c}, numbers: newNumbering(c)}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: class %d %d at byte %d %s", ErrDamaged, c.Own, c.Opp, at, fmt.Sprintf(format, args...))
	}
	line, err := r.ReadString('\n')
	if err != nil && err != io.EOF {
		return nil, err
	}
	var own, opp int
	var size int64
	var sum []byte
	if _, err := fmt.Sscanf(line, "class %d %d positions %d wins %d draws %d losses %d longest %d sha256 %x\n",
		&own, &opp, &size, &s.Wins, &s.Draws, &s.Losses, &s.Longest, &sum); err != nil || copy(s.sum[:], sum) < len(s.sum) ||
		s.line() != line {
		return nil, bad("has the line %.160q; want as in %q", line, s.start())
	}
	s.at = at + int64(len(line))
	got := s.hash(h)
	n, err := io.CopyN(got, r, s.Size())
	switch {
	case err == io.EOF:
		return nil, bad("is cut off: it has %d bytes; want %d", n, s.Size())
	case err != nil:
		return nil, err
	case !bytes.Equal(got.Sum(nil), s.sum[:]):
		return nil, bad("has the SHA-256 %x; want %x", got.Sum(nil), s.sum)
	}
	return s, nil
}
