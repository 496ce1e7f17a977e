package pn

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// A saved search is a line of text, one or two tables in msgpack, and the SHA-256 of all.
const (
	magic        = "carozero proof-number table 2\n" // of a Solver: one table
	decidedMagic = "carozero decision 2\n"           // of a Decider: first's, then second's
)

// ErrState: what was loaded is no saved table of this search.
var ErrState = errors.New("no saved search")

// errForeign is that of a table with the SHA-256 that it should have, but with contents that
// no search has written.
var errForeign = fmt.Errorf("%w: a position in it has a move that it cannot have", ErrState)

// Begins reports whether a file that begins with head means to be a saved search of a
// Solver, DecisionBegins whether one of a Decider.
func Begins(head []byte) bool         { return bytes.HasPrefix(head, []byte(magic)) }
func DecisionBegins(head []byte) bool { return bytes.HasPrefix(head, []byte(decidedMagic)) }

// state is what belongs to a Solver's table. In a file it is an array, of which the
// positions are the last element, by ascending keys.
type state struct {
	Of            subject
	Fours, Threes int
	Round         round
	Cut           bool
	Nodes         int64
	Expanded      int
}

// fields returns pointers to what stands before the positions, in order.
func (st *state) fields() []any {
	return []any{&st.Of, &st.Fours, &st.Threes, &st.Round, &st.Cut, &st.Nodes, &st.Expanded}
}

// saved is a position.
type saved struct {
	Key    [2]uint64
	PN, DN uint32
	Work   uint64
	Win    game.Move
	Idle   bool
	Advice uint64
	Wins   bool
	Moves  []savedEdge
}

// savedEdge is an edge.
type savedEdge struct {
	Key    [2]uint64
	Move   game.Move
	PN, DN uint32
}

// Save writes the table, so that Load can go on with it.
func (s *Solver) Save(w io.Writer) error { return save(w, magic, s) }

// Save writes both tables, so that Load can go on with them.
func (d *Decider) Save(w io.Writer) error {
	return save(w, decidedMagic, &d.holders[0].solver, &d.holders[1].solver)
}

// save writes a file.
func save(w io.Writer, magic string, of ...*Solver) error {
	sum := sha256.New()
	buffer := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	if _, err := buffer.WriteString(magic); err != nil {
		return err
	}
	enc := msgpack.NewEncoder(buffer)
	enc.UseArrayEncodedStructs(true)
	for _, s := range of {
		if err := s.encode(enc); err != nil {
			return err
		}
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// encode writes a table position by position, since a copy would take its memory again.
func (s *Solver) encode(enc *msgpack.Encoder) error {
	st := state{s.of, s.opts.Fours, s.opts.Threes, s.round, s.cut, s.nodes, s.expanded}
	fields := st.fields()
	if err := enc.EncodeArrayLen(len(fields) + 1); err != nil {
		return err
	}
	if err := enc.EncodeMulti(fields...); err != nil {
		return err
	}
	keys := make([][2]uint64, 0, len(s.table.positions))
	for key := range s.table.positions {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	if err := enc.EncodeArrayLen(len(keys)); err != nil {
		return err
	}
	var moves []savedEdge
	for _, key := range keys {
		p := s.table.positions[key]
		moves = moves[:0]
		for _, e := range p.moves {
			moves = append(moves, savedEdge{Key: e.key, Move: e.move, PN: e.promise.PN, DN: e.promise.DN})
		}
		if err := enc.Encode(&saved{Key: key, PN: p.PN, DN: p.DN, Work: p.work, Win: p.win, Idle: p.idle, Advice: p.advice, Wins: p.claimed, Moves: moves}); err != nil {
			return err
		}
	}
	return nil
}

// Load takes the table over that Save has written, for a search of b. The error wraps
// ErrState if data is no such table, was damaged, or belongs to another attacker, other
// rules or other budgets; then nothing changes. What a table claims to be proven is
// certified by the rules like everything else that a search finds; of moves that its
// positions have not the search says so.
func (s *Solver) Load(data []byte, b *pattern.Board) error {
	loaded, err := load(data, magic, s)
	if err == nil && loaded[0].Of != subjectOf(b) {
		err = fmt.Errorf("%w: it is of %v with %v to win, want %v with %v", ErrState, loaded[0].Of, loaded[0].Of.Attacker, subjectOf(b), b.ToMove())
	}
	if err != nil {
		return err
	}
	s.take(loaded[0])
	return nil
}

// Load takes the tables over that Save has written, for a search of b. The error wraps
// ErrState if data are no such tables, were damaged, or belong to other rules or budgets;
// then nothing changes. What they claim is certified by the rules like everything else that
// a search finds.
func (d *Decider) Load(data []byte, b *pattern.Board) error {
	loaded, err := load(data, decidedMagic, &d.holders[0].solver, &d.holders[1].solver)
	if err != nil {
		return err
	}
	for side, l := range loaded {
		want := subject{b.Board().Rules(), b.Board().Size(), game.Side(side)}
		if l.Of != want && l.Of != (subject{}) {
			return fmt.Errorf("%w: it is of %v, want %v", ErrState, l.Of, want)
		}
	}
	for side, l := range loaded {
		if l.Of != (subject{}) { // else the search has not come to this side
			d.holders[side].begin(l.Of)
			d.holders[side].solver.take(l)
		}
	}
	return nil
}

// load reads a file for searches with the options of those given.
func load(data []byte, magic string, of ...*Solver) ([]loaded, error) {
	body, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(body) < sha256.Size {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrState, magic[:len(magic)-1])
	}
	end := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return nil, fmt.Errorf("%w: its SHA-256 is another; it is damaged", ErrState)
	}
	dec := msgpack.NewDecoder(bytes.NewReader(body[:len(body)-sha256.Size]))
	var list []loaded
	for _, s := range of {
		l := loaded{table: newTable(s.opts.TableBytes)}
		if err := l.decode(dec); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrState, err)
		}
		if l.Fours != s.opts.Fours || l.Threes != s.opts.Threes {
			return nil, fmt.Errorf("%w: it is of a search with other budgets: %d and %d moves, want %d and %d",
				ErrState, l.Fours, l.Threes, s.opts.Fours, s.opts.Threes)
		}
		list = append(list, l)
	}
	return list, nil
}

// loaded is a table that was read.
type loaded struct {
	state
	table table
}

func (l *loaded) decode(dec *msgpack.Decoder) error {
	fields := l.fields()
	switch n, err := dec.DecodeArrayLen(); {
	case err != nil:
		return err
	case n != len(fields)+1:
		return fmt.Errorf("%d fields, want %d", n, len(fields)+1)
	}
	if err := dec.DecodeMulti(fields...); err != nil {
		return err
	}
	n, err := dec.DecodeArrayLen()
	var moves []edge
	cells := game.Move(l.Of.Size * l.Of.Size)
	for ; n > 0 && err == nil; n-- {
		var a saved
		if err = dec.Decode(&a); err != nil {
			break
		}
		if a.Win != game.NoMove && a.Win >= cells || slices.ContainsFunc(a.Moves, func(e savedEdge) bool { return e.Move >= cells }) {
			return fmt.Errorf("a move that is not on its board of %dx%[1]d", l.Of.Size)
		}
		p := l.table.claim(a.Key, proofnumber.Numbers{PN: a.PN, DN: a.DN})
		p.work, p.win, p.idle, p.advice, p.claimed = a.Work, a.Win, a.Idle, a.Advice, a.Wins
		moves = moves[:0]
		for _, e := range a.Moves {
			moves = append(moves, edge{e.Key, e.Move, proofnumber.Numbers{PN: e.PN, DN: e.DN}})
		}
		l.table.setMoves(p, moves)
	}
	return err
}

// take goes on with a table that was read.
func (s *Solver) take(l loaded) {
	l.table.dropProven = s.table.dropProven
	s.of, s.round, s.cut, s.foreign, s.nodes, s.expanded, s.table = l.Of, l.Round, l.Cut, false, l.Nodes, l.Expanded, l.table
}
