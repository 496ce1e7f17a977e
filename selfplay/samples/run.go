package samples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/carozero/carozero/internal/disk"
)

// RunName is the name of the file in a run's directory that holds its options.
const RunName = "run.json"

// maxRunFile bounds what is read of it, in bytes.
const maxRunFile = 1 << 20

// Run is everything that decides the bytes of a run's shards.
type Run struct {
	Header        Header // without rows and games
	Layout        Layout
	Games         int // games 0..Games-1 are played
	GamesPerShard int

	// Follows says that shards may have other networks than the Header's, as
	// Writer.Networks records them.
	Follows bool
}

// Shards returns the number of the run's shards.
func (r *Run) Shards() int { return (r.Games-1)/r.GamesPerShard + 1 }

// shardOf returns the shard that holds game id.
func (r *Run) shardOf(id int) int { return id / r.GamesPerShard }

// gamesOf returns the range of games in shard k.
func (r *Run) gamesOf(k int) (from, to int) {
	from = k * r.GamesPerShard
	return from, from + min(r.GamesPerShard, r.Games-from)
}

func (r *Run) check() error {
	if r.Games < 1 || r.GamesPerShard < 1 {
		return fmt.Errorf("samples: %d games, %d per shard: want at least one", r.Games, r.GamesPerShard)
	}
	if len(r.Header.Planes.Names) != r.Layout.Planes || len(r.Header.Globals) != r.Layout.Globals {
		return fmt.Errorf("samples: names of %d planes and %d globals, the encoder has %d and %d",
			len(r.Header.Planes.Names), len(r.Header.Globals), r.Layout.Planes, r.Layout.Globals)
	}
	return nil
}

// runFile is the form of run.json.
type runFile struct {
	Format        string  `json:"format"`
	Version       int     `json:"version"`
	Games         int     `json:"games"`
	GamesPerShard int     `json:"games_per_shard"`
	Layout        Layout  `json:"layout"`
	Header        *Header `json:"header"`
}

// text returns the run as run.json has it, the same bytes for the same run.
func (r *Run) text() ([]byte, error) {
	b, err := json.MarshalIndent(runFile{Format, Version, r.Games, r.GamesPerShard, r.Layout, &r.Header}, "", "  ")
	return append(b, '\n'), err
}

// plan is the part of run.json that says which shards there are to be.
type plan struct {
	Format        string `json:"format"`
	Version       int    `json:"version"`
	Games         int    `json:"games"`
	GamesPerShard int    `json:"games_per_shard"`
	Layout        Layout `json:"layout"`
	Header        struct {
		Model       string `json:"model"`
		ModelSHA256 string `json:"model_sha256"`
	} `json:"header"`
}

// parsePlan reads a run.json.
func parsePlan(text []byte) (*plan, error) {
	var p plan
	switch err := json.Unmarshal(text, &p); {
	case err != nil:
		return nil, fmt.Errorf("%s is damaged: %w", RunName, err)
	case p.Format != Format || p.Version != Version:
		return nil, fmt.Errorf("%.40q version %d, want %q version %d", p.Format, p.Version, Format, Version)
	case p.Games < 1 || p.GamesPerShard < 1:
		return nil, fmt.Errorf("%d games, %d in a shard: want at least one", p.Games, p.GamesPerShard)
	case p.GamesPerShard > math.MaxInt-p.Games:
		return nil, fmt.Errorf("%d games in a shard are too many", p.GamesPerShard)
	}
	return &p, nil
}

func (p *plan) shards() int { return (p.Games-1)/p.GamesPerShard + 1 }

// ErrOptions is wrapped by the error for a directory that holds a run with
// other options.
var ErrOptions = errors.New("the directory holds a run with other options")

// same compares the run with the text of a run.json and names the first
// difference.
func (r *Run) same(found []byte) error {
	want, err := r.text()
	if err != nil || bytes.Equal(found, want) {
		return err
	}
	path, was, here, err := disk.Difference(found, want)
	switch {
	case err != nil:
		return fmt.Errorf("%s is damaged: %w", RunName, err)
	case path == "":
		return fmt.Errorf("%w: %s is written differently; choose an empty directory", ErrOptions, RunName)
	}
	return fmt.Errorf("%w: %s is %s there and %s now; repeat its options, or choose an empty directory", ErrOptions, path, was, here)
}

// writeRun writes run.json.
func writeRun(files FS, dir string, r *Run) error {
	b, err := r.text()
	if err != nil {
		return err
	}
	return create(files, filepath.Join(dir, RunName), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// readAll returns the content of a file of at most limit bytes.
func readAll(files FS, name string, limit int64) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s: more than %d bytes", name, limit)
	}
	return b, err
}

// Plan is the part of a run.json that says which shards the run has when complete.
type Plan struct {
	Games, GamesPerShard int
	Layout               Layout
}

// ParsePlan reads the text of a run.json.
func ParsePlan(text []byte) (Plan, error) {
	if len(text) > maxRunFile {
		return Plan{}, fmt.Errorf("%s: more than %d bytes", RunName, maxRunFile)
	}
	p, err := parsePlan(text)
	if err != nil {
		return Plan{}, err
	}
	return Plan{p.Games, p.GamesPerShard, p.Layout}, nil
}

// Shards returns the number of the run's shards.
func (p Plan) Shards() int { return (p.Games-1)/p.GamesPerShard + 1 }

// Options returns the header as a shard has it, without rows and games.
func (h Header) Options() ([]byte, error) {
	h.Rows, h.Games = 0, nil
	var b bytes.Buffer
	err := h.encode(newEncoder(&b))
	return b.Bytes(), err
}

// ParseOptions reads the output of Options. The input is untrusted, as for ReadShard.
func ParseOptions(data []byte) (h Header, err error) {
	d := decodeBytes(data)
	if err := h.decode(d); err != nil {
		return h, err
	}
	if h.Rows != 0 || len(h.Games) != 0 {
		return h, fmt.Errorf("header: %d rows, %d games: want none", h.Rows, len(h.Games))
	}
	return h, decodeEnd(d)
}

// ParseEntry reads a line of a manifest, without its end.
func ParseEntry(line []byte) (Entry, error) { return parseEntry(line) }
