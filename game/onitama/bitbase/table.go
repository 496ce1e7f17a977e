package bitbase

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
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
