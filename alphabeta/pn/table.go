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

// position is what is known of one position.
type position struct {
	proofnumber.Numbers        // for the attacker
	work                uint64 // moves that the solver played on it and below

	// moves are those that are left to search: the attacker's threats, or the replies
	// that the solver does not refute. Nil before the position is expanded, and once it
	// is decided.
	moves []edge

	// win is the move of the side to move that decides the position for it; NoMove if the
	// solver finds the win, or the position is decided against it.
	win game.Move

	// idle: it is called disproven only because the attacker's move before it is no threat,
	// which the adviser may have another opinion of.
	idle bool

	advice  uint64 // moves that the last advice might take; 0: none was asked for
	claimed bool   // it said that the attacker, who is to move, wins
}

// edge is a move of a position, with the key of the position after it.
type edge struct {
	key     [2]uint64
	move    game.Move
	promise proofnumber.Numbers // of the position while it is not in the table
}

// The bytes that are reckoned for a position and for each of its moves, with what the
// map takes.
const (
	positionBytes = 128
	edgeBytes     = 32
)

// table holds positions by their full 128-bit keys.
type table struct {
	positions map[[2]uint64]*position
	bytes     int64
	bound     int64

	dropProven bool // proven positions may be dropped too
}

func newTable(bound int64) table {
	return table{positions: map[[2]uint64]*position{}, bound: bound}
}

// find returns the position of a key, nil if it is not known.
func (t *table) find(key [2]uint64) *position { return t.positions[key] }

// claim returns the position of a key, a new one with the numbers n if it is not known.
func (t *table) claim(key [2]uint64, n proofnumber.Numbers) *position {
	p := t.positions[key]
	if p == nil {
		p = &position{Numbers: n, win: game.NoMove}
		t.positions[key] = p
		t.bytes += positionBytes
	}
	return p
}

// setMoves gives a position its moves, in a list of their own.
func (t *table) setMoves(p *position, moves []edge) {
	t.bytes -= int64(cap(p.moves)) * edgeBytes
	if p.moves = nil; len(moves) > 0 {
		p.moves = make([]edge, len(moves))
		copy(p.moves, moves)
	}
	t.bytes += int64(cap(p.moves)) * edgeBytes
}

// keepMoves leaves a position its first n moves, and gives the room of the others back
// where it is worth it.
func (t *table) keepMoves(p *position, n int) {
	if p.moves = p.moves[:n]; n > 0 && n <= cap(p.moves)/2 {
		t.setMoves(p, p.moves)
	}
}

// decide gives a position its final numbers; its moves are no longer needed.
func (t *table) decide(p *position, n proofnumber.Numbers) {
	p.Numbers = n
	t.setMoves(p, nil)
}

// full reports whether the table has outgrown its bound.
func (t *table) full() bool { return t.bytes > t.bound }

// keepProven drops all positions that are not proven.
func (t *table) keepProven() {
	for key, p := range t.positions {
		if p.PN != 0 {
			t.drop(key)
		}
	}
}

// drop forgets a position.
func (t *table) drop(key [2]uint64) {
	t.bytes -= positionBytes + int64(cap(t.positions[key].moves))*edgeBytes
	delete(t.positions, key)
}

// shrink drops positions, those with the least work first, until half of the bound is
// free; on holds the keys of the path that is being searched, which stay. Without
// dropProven proven positions stay too, since proofs are played from them.
func (t *table) shrink(on func(key [2]uint64) bool) {
	type candidate struct {
		key  [2]uint64
		work uint64
	}
	var list []candidate
	for key, p := range t.positions {
		if (p.PN != 0 || t.dropProven) && !on(key) {
			list = append(list, candidate{key, p.work})
		}
	}
	// By the key as well, so that what is dropped does not depend on the map's order.
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.work, b.work), cmp.Compare(a.key[0], b.key[0]), cmp.Compare(a.key[1], b.key[1]))
	})
	for _, c := range list {
		if t.bytes <= t.bound/2 {
			return
		}
		t.drop(c.key)
	}
}

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
		if err := enc.Encode(&saved{Key: key, PN: p.PN, DN: p.DN, Work: p.work, Win: p.win, Idle: p.idle, Advice: p.advice,
			Wins: p.claimed, Moves: moves}); err != nil {
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
		err = fmt.Errorf("%w: it is of %v with %v to win, want %v with %v", ErrState, loaded[0].Of, loaded[0].Of.Attacker,
			subjectOf(b), b.ToMove())
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
		if a.Win != game.NoMove && a.Win >= cells ||
			slices.ContainsFunc(a.Moves, func(e savedEdge) bool { return e.Move >= cells }) {
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
	s.of, s.round, s.cut, s.foreign = l.Of, l.Round, l.Cut, false
	s.nodes, s.expanded, s.table = l.Nodes, l.Expanded, l.table
}
