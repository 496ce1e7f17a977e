package gamefiles

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/record"
)

// records hands out the games of a file in one of the formats of package record:
// of an SGF file or a psq file the main line of each game, of a library of RenLib
// the line to each leaf, of a text each line.
type records struct {
	path   string
	format record.Format
	in     *record.Reader
	*agreement

	tree   *record.Tree // whose leaves are handed out
	leaves []int32      // that are left
	given  int          // leaves handed out
}

// newRecords returns the source of a file that is read from in.
func newRecords(path string, in io.Reader, f record.Format, a *agreement) (*records, error) {
	reader, err := record.NewReader(in, f, record.Options{
		Size: a.boardSize(), Notation: a.variant.Notation(), MainLine: f != record.Lib,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: want a sample shard, an SGF, psq or lib file or a list of positions; its bytes are none of these", path)
	}
	return &records{path: path, format: f, in: reader, agreement: a}, nil
}

// boardSize is the size of boards of records that name none, for package record.
func (a *agreement) boardSize() int {
	if a.variant.Columns() == 0 {
		return -1
	}
	return a.variant.Size
}

func (s *records) next() (Game, error) {
	if len(s.leaves) == 0 {
		if err := s.load(); err != nil {
			return Game{}, err
		}
	}
	leaf := s.leaves[0]
	s.leaves = s.leaves[1:]
	s.given++
	g, err := s.game(leaf)
	if err == nil {
		err = g.replay()
	}
	if err != nil {
		return Game{}, fmt.Errorf("%s: %w", g.Source, err)
	}
	return g, nil
}

// load reads the next tree.
func (s *records) load() error {
	s.in.SetSize(s.boardSize())
	t, err := s.in.Next()
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		return s.wrap(err)
	}
	c := claim{rule: t.Rule}
	if t.Sized {
		c.size = t.Size
	}
	s.tree, s.given, s.leaves = t, 0, s.leaves[:0]
	place := s.path
	if s.format != record.Lib {
		place = s.source()
	}
	if _, err := s.settle(place, c); err != nil {
		return err
	}
	if s.format != record.Lib {
		s.leaves = append(s.leaves, t.MainLeaf())
		return nil
	}
	for leaf := range t.Leaves() {
		if leaf != 0 {
			s.leaves = append(s.leaves, leaf)
		}
	}
	if len(s.leaves) == 0 {
		return io.EOF
	}
	return nil
}

// wrap adds the path to an error of package record, with the place as other
// programs write it.
func (s *records) wrap(err error) error {
	var at *record.Error
	switch {
	case !errors.As(err, &at):
		return fmt.Errorf("%s: %w", s.path, err)
	case at.Line > 0:
		return fmt.Errorf("%s:%d: %w", s.path, at.Line, at.Err)
	}
	return fmt.Errorf("%s: byte %d: %w", s.path, at.Byte, at.Err)
}

// source says where the next game stands.
func (s *records) source() string {
	switch s.format {
	case record.Lib:
		return fmt.Sprintf("%s, line %d", s.path, s.given)
	case record.PSQ:
		return s.path
	}
	return fmt.Sprintf("%s:%d", s.path, s.tree.Line)
}

// game returns the line to a leaf. Its moves are not yet replayed.
func (s *records) game(leaf int32) (Game, error) {
	t := s.tree
	g := Game{Variant: s.variant, Source: s.source(), Moves: t.Moves(leaf)}
	g.Opening = len(t.Setup[0]) + len(t.Setup[1])
	g.Single = s.format == record.Text || len(g.Moves) == g.Opening
	g.Outcome, g.Reason = t.Outcome()
	if t.Start != "" {
		var err error
		if g.start, _, err = g.Variant.ParseGame(t.Start); err != nil {
			return g, err
		}
	}
	if t.Size > 0 {
		if err := t.Turns(leaf); err != nil {
			return g, err
		}
	}
	g.judge(t, leaf)
	return g, nil
}

// judge takes what the record thinks each move is worth.
func (g *Game) judge(t *record.Tree, leaf int32) {
	ply := g.Opening
	for _, id := range t.Path(leaf) {
		if t.Nodes[id].Move == game.NoMove {
			continue
		}
		if note := t.Note(id); note != nil && note.Valued {
			if g.Values == nil {
				g.Values = slices.Repeat([]float64{math.NaN()}, len(g.Moves))
			}
			g.Values[ply] = note.Value
		}
		ply++
	}
}
