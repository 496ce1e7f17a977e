package gamefiles

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/support/limitio"
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
	f, err := limitio.Open(t.path)
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
