package pn

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// A saved table is a line of text, a state in msgpack, and the SHA-256 of both.
const magic = "carozero proof-number table 1\n"

// ErrState: what was loaded is no saved table of this search.
var ErrState = errors.New("no saved search")

// Begins reports whether a file that begins with head means to be a saved table.
func Begins(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// state is a Solver's table and what belongs to it.
type state struct {
	Of            subject
	Fours, Threes int
	Narrow        int64
	Wide, Cut     bool
	Nodes         int64
	Expanded      int
	Positions     []saved // by ascending keys
}

// saved is a position.
type saved struct {
	Key    [2]uint64
	PN, DN uint32
	Work   uint64
	Win    game.Move
	Moves  []savedEdge
}

// savedEdge is an edge.
type savedEdge struct {
	Key    [2]uint64
	Move   game.Move
	PN, DN uint32
}

// Save writes the table, so that Load can go on with it.
func (s *Solver) Save(w io.Writer) error {
	st := state{
		Of: s.of, Fours: s.opts.Fours, Threes: s.opts.Threes, Narrow: s.opts.Narrow,
		Wide: s.wide, Cut: s.cut, Nodes: s.nodes, Expanded: s.expanded,
		Positions: make([]saved, 0, len(s.table.positions)),
	}
	for key, p := range s.table.positions {
		a := saved{Key: key, PN: p.pn, DN: p.dn, Work: p.work, Win: p.win}
		for _, e := range p.moves {
			a.Moves = append(a.Moves, savedEdge{Key: e.key, Move: e.move, PN: e.promise.pn, DN: e.promise.dn})
		}
		st.Positions = append(st.Positions, a)
	}
	slices.SortFunc(st.Positions, func(a, b saved) int {
		return cmp.Or(cmp.Compare(a.Key[0], b.Key[0]), cmp.Compare(a.Key[1], b.Key[1]))
	})
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	if _, err := io.WriteString(both, magic); err != nil {
		return err
	}
	enc := msgpack.NewEncoder(both)
	enc.UseArrayEncodedStructs(true)
	if err := enc.Encode(&st); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// Load takes the table over that Save has written, for a search of b. The error wraps
// ErrState if data is no such table, was damaged, or belongs to another attacker, other
// rules or other budgets; then nothing changes. What a table claims to be proven is
// certified by the rules like everything else that a search finds.
func (s *Solver) Load(data []byte, b *pattern.Board) error {
	body, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(body) < sha256.Size {
		return fmt.Errorf("%w: it does not begin with %q", ErrState, magic[:len(magic)-1])
	}
	end := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return fmt.Errorf("%w: its SHA-256 is another; it is damaged", ErrState)
	}
	var st state
	if err := msgpack.Unmarshal(body[:len(body)-sha256.Size], &st); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	switch {
	case st.Of != subjectOf(b):
		return fmt.Errorf("%w: it is of %v on %dx%[3]d with %[4]v to win, want %[5]v on %[6]dx%[6]d with %[7]v",
			ErrState, st.Of.Rules.Name, st.Of.Size, st.Of.Attacker, b.Board().Rules().Name, b.Board().Size(), b.ToMove())
	case st.Fours != s.opts.Fours || st.Threes != s.opts.Threes || st.Narrow != s.opts.Narrow:
		return fmt.Errorf("%w: it is of a search with other budgets: %d, %d and %d moves, want %d, %d and %d",
			ErrState, st.Fours, st.Threes, st.Narrow, s.opts.Fours, s.opts.Threes, s.opts.Narrow)
	}
	s.of, s.wide, s.cut, s.nodes, s.expanded = st.Of, st.Wide, st.Cut, st.Nodes, st.Expanded
	s.table = newTable(s.opts.TableBytes)
	for _, a := range st.Positions {
		p := s.table.claim(a.Key, numbers{a.PN, a.DN})
		p.work, p.win = a.Work, a.Win
		var moves []edge
		for _, e := range a.Moves {
			moves = append(moves, edge{e.Key, e.Move, numbers{e.PN, e.DN}})
		}
		s.table.setMoves(p, moves)
	}
	return nil
}
