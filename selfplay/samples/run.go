// Package samples holds the training data that self-play writes: a [Writer] that survives
// crashes, shards, [Verify], which replays every game, [Pack] and [Export]. A run is a directory
// of shards, each of which has fixed games in order: its bytes do not depend on who played a
// game or when. Shards may come from outside: what they unpack to is bounded, and unknown keys
// are skipped. docs/samples.md describes the files.
package samples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/carozero/carozero/internal/disk"
)

// Names of the files in a run's directory, which the process that writes it locks. Beside them
// are its shards and, of those that are not finished, journals of their finished games.
const (
	RunName      = "run.json"       // the options that decide every byte of the shards
	ManifestName = "manifest.jsonl" // a line for each finished shard

	// NetworksName records which network plays which games, in a run whose network may
	// change between shards. It has a line for each begun shard, written before the
	// shard's first game.
	NetworksName = "networks.jsonl"
)

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
	switch {
	case r.Games < 1 || r.GamesPerShard < 1:
		return fmt.Errorf("%d games, %d in a shard: want at least one", r.Games, r.GamesPerShard)
	case r.GamesPerShard > math.MaxInt-r.Games:
		return fmt.Errorf("%d games in a shard are too many", r.GamesPerShard)
	}
	return nil
}

// runFile is the form of run.json.
type runFile[H any] struct {
	Format        string `json:"format"`
	Version       int    `json:"version"`
	Games         int    `json:"games"`
	GamesPerShard int    `json:"games_per_shard"`
	Layout        Layout `json:"layout"`
	Header        H      `json:"header"`
}

// Text returns the contents of run.json: the same bytes for runs with the same shards.
func (r *Run) Text() ([]byte, error) {
	f := runFile[*Header]{Format, Version, r.Games, r.GamesPerShard, r.Layout, &r.Header}
	b, err := json.MarshalIndent(f, "", "  ")
	return append(b, '\n'), err
}

// ParseRun reads what a run.json says of the run's shards: games, layout, planes and network.
func ParseRun(text []byte) (r Run, err error) {
	var f runFile[struct {
		Game   string `json:"game"`
		Planes Planes `json:"planes"`
		Model  string `json:"model"`
		SHA256 string `json:"model_sha256"`
	}]
	if err := json.Unmarshal(text, &f); err != nil {
		return r, fmt.Errorf("%s is damaged: %w", RunName, err)
	}
	if f.Format != Format || f.Version != Version {
		return r, fmt.Errorf("%.40q version %d, want %q version %d", f.Format, f.Version, Format, Version)
	}
	r = Run{Games: f.Games, GamesPerShard: f.GamesPerShard, Layout: f.Layout}
	r.Header = Header{Game: f.Header.Game, Planes: f.Header.Planes, Model: f.Header.Model, ModelSHA256: f.Header.SHA256}
	return r, r.check()
}

// ErrOptions is wrapped by the error for a directory that holds a run with
// other options.
var ErrOptions = errors.New("the directory holds a run with other options")

// Same returns nil if the text of a run.json is that of this run, and an error that
// wraps ErrOptions and names the first difference if not.
func (r *Run) Same(found []byte) error {
	want, err := r.Text()
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
	return fmt.Errorf("%w: %s is %s there and %s now; repeat its options, or choose an empty directory", ErrOptions, path,
		was, here)
}

// readFile returns the content of a file of a run. Its errors name the path.
func readFile(path string) ([]byte, error) {
	b, err := disk.ReadFile(path, maxUnpacked)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return b, err
}

// parseLines returns the values in the JSON lines of a file, and where the last whole line ends:
// what follows was being written when the program ended.
func parseLines[T any](path string, text []byte) (list []T, size int64, err error) {
	for {
		line, _, whole := bytes.Cut(text[size:], []byte{'\n'})
		if !whole {
			return list, size, nil
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, 0, fmt.Errorf("%s line %d: %w", path, len(list)+1, err)
		}
		list = append(list, v)
		size += int64(len(line)) + 1
	}
}

// Entry is a manifest's line about one finished shard.
type Entry struct {
	File        string    `json:"file"` // within the manifest's directory
	Rows        int       `json:"rows"`
	Games       int       `json:"games"`
	Bytes       int64     `json:"bytes"`
	SHA256      string    `json:"sha256"` // of the file
	ModelSHA256 string    `json:"model_sha256"`
	Created     time.Time `json:"created"` // the only time in a run
}

var hexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ShardName returns the name of shard k's file.
func ShardName(k int) string { return fmt.Sprintf("shard-%06d.msgpack.zst", k) }

func journalName(k int) string { return fmt.Sprintf("journal-%06d.bin", k) }

// shardNumber returns k of ShardName(k).
func shardNumber(name string) (int, bool) { return numberIn(name, ShardName) }

// journalNumber returns k of journalName(k).
func journalNumber(name string) (int, bool) { return numberIn(name, journalName) }

// numberIn returns k of a name that of gives to k, a number of at most nine digits.
func numberIn(name string, of func(int) string) (k int, ok bool) {
	_, digits, _ := strings.Cut(name, "-")
	digits, _, _ = strings.Cut(digits, ".")
	k, err := strconv.Atoi(digits)
	return k, err == nil && k >= 0 && len(digits) <= 9 && of(k) == name
}

// readManifest returns the finished shards of the run in dir, in the manifest's order, and the
// length of its whole lines. There being no manifest is an error that wraps fs.ErrNotExist.
func readManifest(dir string) ([]Entry, int64, error) {
	path := filepath.Join(dir, ManifestName)
	text, err := readFile(path)
	if err != nil {
		return nil, 0, err
	}
	return parseManifest(path, text)
}

// parseManifest reads the text of a manifest.
func parseManifest(path string, text []byte) ([]Entry, int64, error) {
	entries, size, err := parseLines[Entry](path, text)
	seen := map[string]bool{}
	for i, e := range entries {
		if _, ok := shardNumber(e.File); !ok || seen[e.File] {
			return nil, 0, fmt.Errorf("%s line %d: file %.60q: want a name like %s, each once", path, i+1, e.File, ShardName(0))
		}
		seen[e.File] = true
	}
	return entries, size, err
}

// jsonLine returns a value as a line of such a file has it.
func jsonLine(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(b, '\n'), err
}

// Source is a finished shard to read from.
type Source struct {
	Path  string
	Entry *Entry // in the manifest beside it; nil where there is none
}

// Sources returns the finished shards at the paths in their order, each a run's
// directory or a shard's file. One that a path names twice is an error.
func Sources(paths ...string) ([]Source, error) {
	var list []Source
	seen := map[string]bool{}
	for _, path := range paths {
		found, err := sources(path)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			if clean := filepath.Clean(s.Path); seen[clean] {
				return nil, fmt.Errorf("%s is named twice", s.Path)
			} else {
				seen[clean] = true
			}
		}
		list = append(list, found...)
	}
	return list, nil
}

func sources(path string) ([]Source, error) {
	dir, name := path, ""
	if _, ok := shardNumber(filepath.Base(path)); ok {
		dir, name = filepath.Dir(path), filepath.Base(path)
	}
	entries, _, err := readManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && name != "":
		return []Source{{Path: path}}, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("%s: want a run's directory, with a %s, or a shard's file", path, ManifestName)
	case err != nil:
		return nil, err
	}
	if name != "" {
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.File == name })
		if i < 0 {
			return nil, fmt.Errorf("%s: not in the manifest beside it: the shard was never finished", path)
		}
		entries = entries[i : i+1]
	}
	var list []Source
	for i := range entries {
		list = append(list, Source{filepath.Join(dir, entries[i].File), &entries[i]})
	}
	return list, nil
}

// Read returns the shard, checked as by ReadShard and against its entry, and the entry
// computed from its bytes.
func (s Source) Read() (*Shard, Entry, error) {
	shard, e, err := s.decode(true)
	if err == nil {
		err = shard.check()
	}
	if err == nil {
		e.Created, err = s.compare(e)
	}
	if err != nil {
		return nil, e, fmt.Errorf("%s: %w", s.Path, err)
	}
	return shard, e, nil
}

// compare returns the time of the manifest's entry, zero where there is none, and an error that
// names the first way in which the file's own entry differs.
func (s Source) compare(found Entry) (created time.Time, err error) {
	if s.Entry == nil {
		return created, nil
	}
	if found.Created = s.Entry.Created; found == *s.Entry {
		return found.Created, nil
	}
	is, err := json.Marshal(found)
	said, err2 := json.Marshal(s.Entry)
	key, here, there, err3 := disk.Difference(is, said)
	if err = errors.Join(err, err2, err3); err == nil {
		err = fmt.Errorf("its %s is %s, the manifest says %s: one of them was changed", key, here, there)
	}
	return found.Created, err
}

// decode returns the shard, without its columns unless they are wanted, which may have any
// content, and its entry. The entry has the size and digest even if the error wraps ErrShard.
func (s Source) decode(columns bool) (*Shard, Entry, error) {
	e := Entry{File: filepath.Base(s.Path)}
	f, err := disk.Open(s.Path)
	if err != nil {
		return nil, e, err
	}
	defer f.Close()
	sum := disk.NewDigest()
	in := io.TeeReader(f, sum)
	shard, err := decodeShard(in, maxUnpacked, columns)
	if _, rest := io.Copy(io.Discard, in); rest != nil {
		return nil, e, rest
	}
	e.Bytes, e.SHA256 = sum.Bytes, sum.SHA256()
	if err == nil {
		e.Rows, e.Games, e.ModelSHA256 = shard.Header.Rows, len(shard.Header.Games), shard.Header.ModelSHA256
	}
	return shard, e, err
}

// Shards reads the shards at the paths, each a run's directory or a shard's file, and calls
// use for one after the other.
func Shards(use func(s Source, shard *Shard, e Entry) error, paths ...string) error {
	list, err := Sources(paths...)
	for i := 0; i < len(list) && err == nil; i++ {
		var shard *Shard
		var e Entry
		if shard, e, err = list[i].Read(); err == nil {
			err = use(list[i], shard, e)
		}
	}
	return err
}

// ReadFile reads the shard in a file, checked as by ReadShard.
func ReadFile(path string) (*Shard, error) {
	s, _, err := Source{Path: path}.Read()
	return s, err
}
