package gamefiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/selfplay/samples"
)

// Reader hands out the lines of the games of several sources. It belongs to one
// goroutine.
type Reader struct {
	trees *Trees
	agreement
	record Record  // whose lines are handed out
	leaves []int32 // that are left of it
	given  int     // lines of it
	failed error
}

// Open looks at the paths: files, runs of self-play, and folders of records, whose
// names end in .sgf, .psq or .lib.
// Each must exist; their contents are read by Next.
func Open(paths []string, o Options) (*Reader, error) {
	trees, err := OpenTrees(paths, o, "")
	if err != nil {
		return nil, err
	}
	trees.main = true
	return &Reader{trees: trees, agreement: newAgreement(o)}, nil
}

// Expand returns the files that a path stands for, as Open takes it.
func Expand(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, disk.Cause(err))
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	_, err = os.Stat(filepath.Join(path, samples.ManifestName))
	if err == nil {
		files, err := samples.ShardPaths(samples.Disk{}, path)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: %w", path, ErrEmpty)
		}
		return files, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		switch record.ByExtension(e.Name()) {
		case record.Unknown, record.Text:
			continue
		}
		if e.Type().IsRegular() {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: want a run of self-play, with a %s, or a folder of .sgf, .psq or .lib files", path, samples.ManifestName)
	}
	return files, nil
}

// Next returns the next game, and io.EOF after the last one. Any other error
// ends the reader for good: it names the file and the line or game at fault.
func (r *Reader) Next() (g Game, err error) {
	for len(r.leaves) == 0 && r.failed == nil {
		r.failed = r.load()
	}
	if r.failed == nil {
		if g, r.failed = r.line(); r.failed == nil {
			return g, nil
		}
	}
	return Game{}, r.failed
}

// load reads the next record, and takes all lines of a library, the main line of
// others.
func (r *Reader) load() (err error) {
	if r.record, err = r.trees.step(); err != nil {
		return err
	}
	r.given, r.leaves = 0, r.leaves[:0]
	if r.record.Variant.Of() != nil {
		err = r.agree(r.record.Path, r.record.Variant)
	} else {
		err = r.settle(&r.record)
	}
	if err != nil {
		return err
	}
	r.trees.o.Variant = r.agreement.variant
	if r.record.format != record.Lib {
		r.leaves = append(r.leaves, r.record.Tree.MainLeaf())
		return nil
	}
	for leaf := range r.record.Tree.Leaves() {
		if leaf == 0 {
			return fmt.Errorf("%s: %w", r.record.Path, ErrEmpty)
		}
		r.leaves = append(r.leaves, leaf)
	}
	return nil
}

// line returns the line to the next leaf.
func (r *Reader) line() (Game, error) {
	if r.given++; r.record.format == record.Lib {
		r.record.Source = fmt.Sprintf("%s, line %d", r.record.Path, r.given)
	}
	g, last, err := r.record.line(r.leaves[0], -1)
	r.leaves = r.leaves[1:]
	if err == nil {
		err = g.conclude(last)
	}
	return g, r.record.wrap(err)
}

// Variant returns the variant of the games read so far; before the first one,
// what the options say.
func (r *Reader) Variant() games.Variant { return r.agreement.variant }

// Close frees the open file, if there is one. It may be called at any time.
func (r *Reader) Close() error { return r.trees.Close() }
