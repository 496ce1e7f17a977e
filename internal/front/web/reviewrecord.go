package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/crosscheck"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/record/gamefiles"
	"github.com/carozero/carozero/internal/support/limitio"
)

// open looks at the beginning of a file.
func (r *reviews) open(path string, fallback games.VariantOptions) (*reviewFile, error) {
	in, err := limitio.Open(path)
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
	switch format := record.Detect(head, path); {
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

// list implements [reviewReader].
func (rr recordReader) list(f *reviewFile) ([]Listed, error) {
	v, err := games.NewVariant(f.fallback)
	if err != nil {
		return nil, err
	}
	in, err := limitio.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	games, err := record.NewReader(in, rr.format, gamefiles.ReadOptions(v))
	if err != nil {
		return nil, err
	}
	var list []Listed
	for {
		t, err := games.Next()
		switch {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return list, fmt.Errorf("%s: %w", f.path, err)
		case len(list) == mostListed:
			return list, more()
		}
		r, _ := recordOf(t, f.fallback) // of no variant if the game has none of that size
		list = append(list, listRecord(&r, len(list), t.Byte))
	}
}

// game implements [reviewReader].
func (rr recordReader) game(f *reviewFile, entry Listed) (*Game, error) {
	v, err := games.NewVariant(f.fallback)
	if err != nil {
		return nil, err
	}
	file, err := limitio.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	skip := entry.N
	if rr.format == record.SGF && entry.at > 0 {
		if _, err := file.Seek(entry.at, io.SeekStart); err != nil {
			return nil, err
		}
		skip = 0
	}
	games, err := record.NewReader(bufio.NewReaderSize(file, 1<<16), rr.format, gamefiles.ReadOptions(v))
	if err != nil {
		return nil, err
	}
	for {
		t, err := games.Next()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the file has changed: it is shorter now")
		}
		if err != nil {
			return nil, err
		}
		if skip--; skip >= 0 {
			continue
		}
		if len(t.Nodes) > mostNodes {
			return nil, fmt.Errorf("%d moves: want at most %d; cut it with carozero convert", len(t.Nodes), mostNodes)
		}
		return gameOf(t, f.fallback)
	}
}
