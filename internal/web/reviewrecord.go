package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// open looks at the beginning of a file.
func (r *reviews) open(path string, fallback games.VariantOptions) (*reviewFile, error) {
	in, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer in.Close()
	head := make([]byte, record.HeadBytes)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	head = head[:n]
	f := &reviewFile{path: path, fallback: fallback}
	f.count.Store(-1)
	switch format := record.Detect(head); {
	case gamefiles.IsShard(head):
		f.kind, f.reader = "shard", &shardReader{of: r}
	case crosscheck.IsRows(head):
		f.kind, f.reader = "crosscheck", rowsReader{}
	case format != record.Unknown && n > 0:
		f.kind, f.reader = format.String(), recordReader{format}
	default:
		return nil, fmt.Errorf("%s: want a sample shard, rows of a cross-check, or games in SGF, psq, lib or text", path)
	}
	return f, nil
}

// recordReader reads games in a form of package record, one at a time.
type recordReader struct{ format record.Format }

// each calls found with the games of a file from an offset on, until it returns false or
// an error.
func (rr recordReader) each(f *reviewFile, from int64, found func(t *record.Tree) (more bool, err error)) error {
	v, err := games.NewVariant(f.fallback)
	if err != nil {
		return err
	}
	file, err := disk.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return err
	}
	in, err := record.NewReader(bufio.NewReaderSize(file, 1<<16), rr.format, gamefiles.ReadOptions(v))
	for more := true; more && err == nil; {
		var t *record.Tree
		if t, err = in.Next(); err == nil {
			more, err = found(t)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// list implements [reviewReader].
func (rr recordReader) list(f *reviewFile) (list []Listed, err error) {
	err = rr.each(f, 0, func(t *record.Tree) (bool, error) {
		if len(list) == mostListed {
			return false, more()
		}
		r, _ := recordOf(t, f.fallback) // of no variant if the game has none of that size
		list = append(list, listRecord(&r, len(list), t.Byte))
		return true, nil
	})
	if err != nil && !errors.Is(err, errMore) {
		err = fmt.Errorf("%s: %w", f.path, err)
	}
	return list, err
}

// game implements [reviewReader].
func (rr recordReader) game(f *reviewFile, entry Listed) (g *Game, err error) {
	skip, from := entry.N, int64(0)
	if rr.format == record.SGF {
		skip, from = 0, entry.at
	}
	err = rr.each(f, from, func(t *record.Tree) (more bool, err error) {
		if skip--; skip >= 0 {
			return true, nil
		}
		if len(t.Nodes) > mostNodes {
			return false, fmt.Errorf("%d moves: want at most %d; cut it with carozero convert", len(t.Nodes), mostNodes)
		}
		g, err = gameOf(t, f.fallback)
		return false, err
	})
	if g == nil && err == nil {
		err = errors.New("the file has changed: it is shorter now")
	}
	return g, err
}
