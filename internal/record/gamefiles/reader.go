package gamefiles

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/selfplay/samples"
)

// ErrEmpty is wrapped by the error for a source that holds no game.
var ErrEmpty = errors.New("no games or positions in it")

// Reader hands out the games of several sources. It belongs to one goroutine.
type Reader struct {
	paths []string
	agreement
	file   io.Closer // nil, or what games reads from
	games  source    // nil between two files
	path   string    // of games
	any    bool      // games has given one
	failed error
}

// source is one open file. next returns io.EOF after the last game; its other
// errors name the file and the place.
type source interface {
	next() (Game, error)
}

// Open looks at the paths: files, runs of self-play, and folders of records, whose
// names end in .sgf, .psq or .lib.
// Each must exist; their contents are read by Next.
func Open(paths []string, o Options) (*Reader, error) {
	r := &Reader{agreement: newAgreement(o)}
	if len(paths) == 0 {
		return nil, errors.New("no input given")
	}
	for _, path := range paths {
		files, err := expand(path)
		if err != nil {
			return nil, err
		}
		r.paths = append(r.paths, files...)
	}
	return r, nil
}

// Expand returns the files that a path stands for, as Open takes it.
func Expand(path string) ([]string, error) { return expand(path) }

// expand returns the files that a path stands for.
func expand(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
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
func (r *Reader) Next() (Game, error) {
	for r.failed == nil {
		g, err := r.step()
		if err == nil {
			r.any = true
			return g, nil
		}
		if r.games != nil && errors.Is(err, io.EOF) {
			if err = r.finish(); err == nil {
				continue
			}
		}
		r.failed = err
	}
	return Game{}, r.failed
}

// step returns the next game of the open source, which it opens if there is
// none; io.EOF with games nil means that there are no more.
func (r *Reader) step() (Game, error) {
	if r.games == nil {
		if len(r.paths) == 0 {
			return Game{}, io.EOF
		}
		if err := r.open(r.paths[0]); err != nil {
			return Game{}, err
		}
		r.paths = r.paths[1:]
	}
	return r.games.next()
}

// finish closes the open source, which must have held a game.
func (r *Reader) finish() error {
	path, found := r.path, r.any
	r.games, r.any = nil, false
	if err := r.Close(); err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%s: %w", path, ErrEmpty)
	}
	return nil
}

// Variant returns the variant of the games read so far; before the first one,
// what the options say.
func (r *Reader) Variant() games.Variant { return r.agreement.variant }

// Close frees the open file, if there is one. It may be called at any time.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// zstdMagic begins a shard (RFC 8878, 3.1.1).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// open makes games the source for a file, by its first bytes.
func (r *Reader) open(path string) error {
	f, err := limitio.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	r.file, r.path = f, path
	in := bufio.NewReaderSize(f, 1<<16)
	head, err := in.Peek(record.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if bytes.HasPrefix(head, zstdMagic) {
		if err := r.Close(); err != nil {
			return err
		}
		r.games, err = openShard(path, &r.agreement)
		return err
	}
	r.games, err = newRecords(path, in, record.Detect(head, path), &r.agreement)
	return err
}
