package gamefiles

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/record"
)

// ErrEmpty is wrapped by the error for a source that holds no game.
var ErrEmpty = errors.New("no games or positions in it")

// Trees hands out the games of several sources as the records that they are, with
// variations and comments, and whatever rules they break. Each may be of its own
// rule and size. It belongs to one goroutine.
type Trees struct {
	o       Options
	charset string
	main    bool // only of a library the variations
	paths   []string
	path    string
	file    io.Closer
	next    func() (Record, error) // of the open file, without a variant that is not its own; nil between two
	found   bool                   // the open file has given one
}

// OpenTrees looks at the paths as Open does. The charset names the encoding of texts
// in files that name none, "" for the usual one. With Fixed, what records say of
// their rule is set aside.
func OpenTrees(paths []string, o Options, charset string) (*Trees, error) {
	if len(paths) == 0 {
		return nil, errors.New("no input given")
	}
	t := &Trees{o: o, charset: charset}
	for _, path := range paths {
		files, err := Expand(path)
		if err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(files, func(file string) bool { return file != path && disk.Same(file, o.Out) })
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: %w beside %s, which is written", path, ErrEmpty, o.Out)
		}
		t.paths = append(t.paths, files...)
	}
	return t, nil
}

// Next returns the next game, and io.EOF after the last one. Other errors name the
// file and the place.
func (t *Trees) Next() (Record, error) {
	r, err := t.step()
	if err != nil || r.Variant.Of() != nil {
		return r, err
	}
	settled, err := NewRecord(r.Tree, r.Source, t.o.Variant.Options(), t.o.Fixed)
	r.Variant = settled.Variant
	return r, err
}

// step returns the next game, of no variant if its file is of none itself.
func (t *Trees) step() (Record, error) {
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
		r, err := t.next()
		if !errors.Is(err, io.EOF) {
			t.found = true
			return r, err
		}
		t.next = nil
		if err := t.Close(); err != nil {
			return Record{}, err
		}
		if !t.found {
			return Record{}, fmt.Errorf("%s: %w", t.path, ErrEmpty)
		}
	}
}

// Close frees the open file, if there is one. It may be called at any time.
func (t *Trees) Close() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	return err
}

// open opens t.path, whose kind its first bytes tell.
func (t *Trees) open() error {
	f, err := disk.Open(t.path)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	t.file = f
	in := bufio.NewReaderSize(f, 1<<16)
	head, err := in.Peek(record.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !IsShard(head) {
		return t.read(in, record.Detect(head, t.path))
	}
	if err := t.Close(); err != nil {
		return err
	}
	v, next, err := openShard(t.path, t.o.Scores)
	if err == nil && t.o.Fixed {
		a := newAgreement(t.o)
		err = a.agree(t.path, v)
	}
	t.next = next
	return err
}

// read makes in, of a format, what is read next.
func (t *Trees) read(in io.Reader, f record.Format) error {
	if f == record.Unknown {
		return fmt.Errorf("%s: want a sample shard, an SGF, psq or lib file or a list of positions; its bytes are none of these", t.path)
	}
	o := ReadOptions(t.o.Variant)
	o.Charset, o.MainLine = t.charset, t.main && f != record.Lib
	trees, err := record.NewReader(in, f, o)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	t.next = func() (Record, error) {
		trees.SetSize(ReadOptions(t.o.Variant).Size)
		tree, err := trees.Next()
		r := Record{Tree: tree, Path: t.path, Source: t.path, format: f}
		var at *record.Error
		switch {
		case errors.Is(err, io.EOF):
			return r, io.EOF
		case errors.As(err, &at) && at.Line > 0:
			return r, fmt.Errorf("%s:%d: %w", t.path, at.Line, at.Err)
		case at != nil:
			return r, fmt.Errorf("%s: byte %d: %w", t.path, at.Byte, at.Err)
		case err != nil:
			return r, r.wrap(err)
		case f == record.SGF || f == record.Text:
			r.Source = fmt.Sprintf("%s:%d", t.path, tree.Line)
		}
		return r, nil
	}
	return nil
}
