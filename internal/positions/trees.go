package positions

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/bounded"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/record"
)

// Trees hands out the games of several sources as the records that they are, with
// variations and comments, and whatever rules they break. Each may be of its own
// rule and size. It belongs to one goroutine.
type Trees struct {
	o     Options
	paths []string
	path  string
	file  io.Closer
	next  func() (*record.Tree, string, error) // nil between two files
	found bool                                 // the open file has given one

	charset string
}

// Record is a game of Trees.
type Record struct {
	Tree    *record.Tree
	Variant engine.Variant // what its record says, and else the one asked for
	Path    string         // of its file
	Source  string         // where it stands: "games.sgf:12"
}

// OpenTrees looks at the paths as Open does. The charset names the encoding of texts
// in files that name none, "" for the usual one. With Fixed, what records say of
// their rule is set aside.
func OpenTrees(paths []string, o Options, charset string) (*Trees, error) {
	r, err := Open(paths, o)
	if err != nil {
		return nil, err
	}
	return &Trees{o: o, paths: r.paths, charset: charset}, nil
}

// Paths returns the files that are to be read.
func (t *Trees) Paths() []string { return t.paths }

// Next returns the next game, and io.EOF after the last one. Other errors name the
// file and the place.
func (t *Trees) Next() (Record, error) {
	for {
		if t.next == nil {
			if len(t.paths) == 0 {
				return Record{}, io.EOF
			}
			t.path, t.paths, t.found = t.paths[0], t.paths[1:], false
			if err := t.open(); err != nil {
				return Record{}, err
			}
		}
		tree, source, err := t.next()
		if errors.Is(err, io.EOF) {
			t.next = nil
			if err := t.Close(); err != nil {
				return Record{}, err
			}
			if !t.found {
				return Record{}, fmt.Errorf("%s: %w", t.path, ErrEmpty)
			}
			continue
		}
		if err != nil {
			return Record{}, err
		}
		t.found = true
		r, err := NewRecord(tree, source, t.o.Variant.Options(), t.o.Fixed)
		r.Path = t.path
		return r, err
	}
}

// Close frees the open file, if there is one.
func (t *Trees) Close() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	return err
}

// open opens t.path.
func (t *Trees) open() error {
	f, err := bounded.Open(t.path)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	t.file = f
	in := bufio.NewReaderSize(f, 1<<16)
	head, err := in.Peek(record.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if bytes.HasPrefix(head, zstdMagic) {
		t.next, err = t.shard()
		return err
	}
	format := record.Detect(head, t.path)
	a := newAgreement(t.o)
	reader, err := record.NewReader(in, format, record.Options{
		Size: a.boardSize(), Notation: t.o.Variant.Notation(), Charset: t.charset,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	s := &records{path: t.path, format: format, in: reader, agreement: &a}
	t.next = func() (*record.Tree, string, error) {
		tree, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil, "", io.EOF
		}
		if err != nil {
			return nil, "", s.wrap(err)
		}
		if format == record.Lib || format == record.PSQ {
			return tree, s.path, nil
		}
		return tree, fmt.Sprintf("%s:%d", s.path, tree.Line), nil
	}
	return nil
}

// shard returns what hands out the games of a shard as trees.
func (t *Trees) shard() (func() (*record.Tree, string, error), error) {
	games, err := Open([]string{t.path}, t.o)
	if err != nil {
		return nil, err
	}
	return func() (*record.Tree, string, error) {
		g, err := games.Next()
		if err != nil {
			return nil, "", errors.Join(err, games.Close())
		}
		tree, err := g.Tree()
		return tree, g.Source, err
	}, nil
}

// NewRecord returns a tree as a game of the variant that it says it is of, and of o
// where it says nothing; fixed sets aside what it says of its rule.
func NewRecord(tree *record.Tree, source string, o engine.VariantOptions, fixed bool) (Record, error) {
	v, err := engine.NewVariant(o)
	if err == nil && v.Columns() == 0 && tree.Size > 0 {
		err = fmt.Errorf("it is a record of a game on a board of cells, and the games wanted are of %s, which have no such form", v.Game)
	}
	if err != nil {
		return Record{}, fmt.Errorf("%s: %w", source, err)
	}
	rule := strings.ToLower(strings.TrimSpace(tree.Rule))
	if !fixed && slices.Contains(v.Of().RuleSets, rule) {
		o.Rule = rule
	}
	if tree.Size > 0 {
		o.Size = tree.Size
	}
	if v, err = engine.NewVariant(o); err != nil {
		err = fmt.Errorf("%s: %w", source, err)
	}
	return Record{Tree: tree, Variant: v, Path: source, Source: source}, err
}

// Tree returns the game as a record.
func (g *Game) Tree() (*record.Tree, error) {
	t := record.New(g.Variant.Columns())
	t.Sized, t.Rule = t.Size > 0, g.Variant.Rule()
	t.SetOutcome(g.Outcome, g.Reason)
	start, err := g.Start()
	if err != nil {
		return nil, err
	}
	if t.Size == 0 {
		t.Rule = ""
		t.Start = g.Variant.FormatGame(start, nil)
	}
	at := int32(0)
	for i, m := range g.Moves {
		if at, err = t.Add(at, m, game.Side(i%2)^start.ToMove()); err != nil {
			return nil, fmt.Errorf("%s: %w", g.Source, err)
		}
		if i < len(g.Values) && !math.IsNaN(g.Values[i]) {
			note := t.Remark(at)
			note.Value, note.Valued = g.Values[i], true
		}
	}
	return t, nil
}

// Position returns the position after plies moves on the way to a node of the
// record, and these moves; all of them for -1. Its error says where the game becomes
// illegal.
func (r *Record) Position(leaf int32, plies int) (start game.Position, moves []game.Move, err error) {
	g := Game{Variant: r.Variant, Moves: r.Tree.Moves(leaf)}
	if r.Tree.Start != "" {
		if g.start, _, err = g.Variant.ParseGame(r.Tree.Start); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Source, err)
		}
	}
	if r.Tree.Size > 0 {
		if err := r.Tree.Turns(leaf); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Source, err)
		}
	}
	if plies > len(g.Moves) {
		return nil, nil, fmt.Errorf("%s: the game has %d moves, not %d", r.Source, len(g.Moves), plies)
	}
	if plies >= 0 {
		g.Moves = g.Moves[:plies]
	}
	if err := g.replay(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.Source, err)
	}
	start, err = g.Start()
	return start, g.Moves, err
}

// Check returns an error that says where the record leaves the rules, nil if it
// does not, in any of its lines.
func (r *Record) Check() error {
	start, err := r.Variant.Start()
	if r.Tree.Start != "" {
		start, _, err = r.Variant.ParseGame(r.Tree.Start)
	}
	if err == nil {
		err = r.Tree.Replay(start, r.Variant.Notation())
	}
	var illegal *record.IllegalError
	if errors.As(err, &illegal) && illegal.Why == "" {
		return fmt.Errorf("%s: %w under %v", r.Source, err, r.Variant)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.Source, err)
	}
	return nil
}
