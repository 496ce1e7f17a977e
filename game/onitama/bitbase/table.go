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
	"os"
	"strings"
	"sync/atomic"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

// Value is what a position comes to for the side to move under best play.
type Value uint8

// The values. A draw is a game without end: neither side can force a win.
const (
	Draw Value = iota
	Win
	Loss
)

// String returns "draw", "win" or "loss".
func (v Value) String() string { return [...]string{"draw", "win", "loss"}[v] }

// Table is an open bitbase. It reads a byte of its file for each position that is
// asked for, and several goroutines may use it.
type Table struct {
	header
	in       io.ReaderAt
	close    func() error
	sections map[Class]*section
	numbers  map[Class]*numbering
	list     []Class
	failed   atomic.Pointer[error]
}

// Open opens a finished bitbase after it has read all of it once to check it. The
// error wraps ErrFormat, ErrVersion, ErrDamaged or ErrCut, or is ctx's or the
// system's. The file must not change while it is open.
func Open(ctx context.Context, path string) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
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
	t, err := readParts(ctx, in)
	if err != nil {
		return nil, err
	}
	end := t.end()
	if n, err := in.ReadAt(make([]byte, 1), end); n > 0 || err != io.EOF {
		return nil, fmt.Errorf("%w: there is more than the %d bytes of its classes", ErrDamaged, end)
	}
	return t, nil
}

// readParts reads a bitbase as far as it goes. With an error of a class it returns
// the classes before it.
func readParts(ctx context.Context, in io.ReaderAt) (*Table, error) {
	r := bufio.NewReaderSize(whileReader{ctx, io.NewSectionReader(in, 0, 1<<62)}, 1<<16)
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	t := newTable(h, in)
	at := int64(len(h.line()))
	buf := make([]byte, 1<<16)
	for _, c := range classes(h.men) {
		s, err := readSection(r, h, c, at, buf)
		if err != nil {
			return t, err
		}
		t.add(s)
		at = t.end()
	}
	return t, nil
}

// whileReader reads until ctx ends.
type whileReader struct {
	ctx context.Context
	in  io.Reader
}

func (r whileReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}

func newTable(h header, in io.ReaderAt) *Table {
	return &Table{header: h, in: in, sections: map[Class]*section{}, numbers: map[Class]*numbering{}}
}

// add adds a class that follows the others in the file.
func (t *Table) add(s section) {
	n := newNumbering(s.Class)
	t.sections[s.Class], t.numbers[s.Class] = &s, &n
	t.list = append(t.list, s.Class)
}

// end returns where the last class ends.
func (t *Table) end() int64 {
	if len(t.list) == 0 {
		return int64(len(t.header.line()))
	}
	s := t.sections[t.list[len(t.list)-1]]
	return s.at + s.Size()
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
	for _, c := range t.list {
		all = append(all, t.sections[c].Summary)
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

// Probe returns the value of b for the side to move and the plies to the end if
// the winner is as quick and the loser as slow as can be, 0 for a draw. A game that
// is over is lost in 0 plies. It is not ok if b is not covered, or if the file could
// not be read, which Err tells then.
func (t *Table) Probe(b *onitama.Board) (value Value, plies int, ok bool) {
	number, ok := t.cards.number(b)
	if !ok {
		return Draw, 0, false
	}
	if b.Outcome() != game.Undecided {
		return Loss, 0, true
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
	s, n := t.sections[c], t.numbers[c]
	if s == nil {
		return Draw, 0, false
	}
	var v [1]byte
	if _, err := t.in.ReadAt(v[:], s.at+int64(number)*int64(n.size)+int64(n.rank(&p))); err != nil {
		t.failed.CompareAndSwap(nil, &err)
		return Draw, 0, false
	}
	value, plies = decode(v[0])
	return value, plies, true
}

// decode returns what a byte of a file says.
func decode(v byte) (Value, int) {
	switch {
	case v == 0:
		return Draw, 0
	case v%2 == 1:
		return Win, int(v)
	}
	return Loss, int(v)
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
		if v == value.Other() && (v == Draw || n == plies-1) {
			return m, true
		}
	}
	return game.NoMove, false
}

// Other returns the value for the other side.
func (v Value) Other() Value { return [...]Value{Draw, Loss, Win}[v] }

// Line returns the moves of Best until the game is over; none if b is drawn, is
// over or is not covered.
func (t *Table) Line(b *onitama.Board) []game.Move {
	value, plies, ok := t.Probe(b)
	if !ok || value == Draw {
		return nil
	}
	b = b.Clone().(*onitama.Board)
	var line []game.Move
	for range plies {
		m, ok := t.Best(b)
		if !ok {
			break
		}
		b.Play(m)
		line = append(line, m)
	}
	return line
}

// Random returns a position of the table, each equally likely, with the first
// player to move.
func (t *Table) Random(rng *rand.Rand) *onitama.Board {
	needs, _ := NeedsOf(t.men)
	i := rng.Int64N(needs.Positions)
	c := t.list[0]
	for _, c = range t.list {
		if i < c.Size() {
			break
		}
		i -= c.Size()
	}
	n := t.numbers[c]
	p := n.placement(uint32(i % int64(n.size)))
	b, err := t.cards.board(&p, int(i/int64(n.size)))
	if err != nil {
		panic(fmt.Sprintf("bitbase: the numbering has what is no position: %v", err))
	}
	return b
}

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

// ErrRefuted is wrapped by the error of a replay that did not come out as the table
// says.
var ErrRefuted = errors.New("bitbase: refuted")

// Replay plays wins of a table through the rules against every defence. The winner
// plays the table's move, the loser every move; a position that was replayed before
// is not replayed again. The zero value with a Table works.
type Replay struct {
	Table *Table

	// Positions counts those with the winner to move that were replayed.
	Positions int

	replayed map[[2]uint64]bool
}

// Win replays b, which the side to move must win, and leaves it as it was. It
// returns nil if every line ends with that side's win, the longest after exactly the
// table's number of plies; an error that wraps ErrRefuted says what went otherwise,
// one that wraps ErrCards or ErrMen that b is not covered.
func (r *Replay) Win(b *onitama.Board) error {
	if err := r.Table.Covers(b); err != nil {
		return err
	}
	if r.replayed == nil {
		r.replayed = map[[2]uint64]bool{}
	}
	value, plies, ok := r.Table.Probe(b)
	switch {
	case !ok:
		return r.Table.Err()
	case value != Win:
		return fmt.Errorf("%w: the table has a %v", ErrRefuted, value)
	}
	return r.win(b, plies)
}

// win replays b, which the table has as won in so many plies.
func (r *Replay) win(b *onitama.Board, plies int) error {
	key := b.Key()
	if r.replayed[key] {
		return nil
	}
	winner := b.ToMove()
	m, ok := r.Table.Best(b)
	if !ok {
		return r.refuted(b, "no move wins in %d plies", plies)
	}
	b.Play(m)
	defer b.Undo()
	left := 0
	if b.Outcome() == game.Undecided {
		var err error
		if left, err = r.defend(b); err != nil {
			return err
		}
	} else if b.Outcome() != game.WinFor(winner) {
		return r.refuted(b, "the winner has lost")
	}
	if left != plies-1 {
		return r.refuted(b, "the slowest defence holds for %d plies; the table has %d", left, plies-1)
	}
	r.replayed[key] = true
	r.Positions++
	return nil
}

// defend replays every move of b, whose side to move is to lose, and returns how
// many plies the slowest holds.
func (r *Replay) defend(b *onitama.Board) (slowest int, err error) {
	for _, m := range b.Moves(nil) {
		b.Play(m)
		value, plies, ok := r.Table.Probe(b)
		if !ok || value != Win {
			err = r.refuted(b, "this was to be won and is a %v in %d plies", value, plies)
		} else {
			err = r.win(b, plies)
		}
		b.Undo()
		if err != nil {
			return 0, err
		}
		slowest = max(slowest, plies+1)
	}
	return slowest, nil
}

// refuted returns what is wrong at b.
func (r *Replay) refuted(b *onitama.Board, format string, args ...any) error {
	if err := r.Table.Err(); err != nil {
		return err
	}
	return fmt.Errorf("%w: after %q of\n%v\n%s", ErrRefuted, onitama.Notation{}.FormatMoves(b.History()), b, fmt.Sprintf(format, args...))
}
