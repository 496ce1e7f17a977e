package samples

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// ManifestName is the manifest's name in a run's directory.
const ManifestName = "manifest.jsonl"

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

// ShardName returns the name of shard k's file.
func ShardName(k int) string { return fmt.Sprintf("shard-%06d.msgpack.zst", k) }

var shardName = regexp.MustCompile(`^shard-([0-9]{6,9})\.msgpack\.zst$`)

// shardNumber returns k of ShardName(k).
func shardNumber(name string) (int, bool) {
	m := shardName.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	k, err := strconv.Atoi(m[1])
	return k, err == nil && ShardName(k) == name
}

// ReadManifest returns the finished shards of the run in dir, in the
// manifest's order. A last line that a crash cut short counts as absent. There
// being no manifest is an error that wraps fs.ErrNotExist.
func ReadManifest(files FS, dir string) ([]Entry, error) {
	entries, _, err := readManifest(files, dir)
	return entries, err
}

// readManifest also returns the length of the complete lines.
func readManifest(files FS, dir string) (entries []Entry, size int64, err error) {
	name := filepath.Join(dir, ManifestName)
	f, err := files.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	seen := map[string]bool{}
	for n := 1; ; n++ {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return entries, size, nil
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%s line %d: %w", name, n, err)
		}
		e, err := parseEntry(line)
		if err == nil && seen[e.File] {
			err = fmt.Errorf("%s is listed twice", e.File)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%s line %d: %w", name, n, err)
		}
		seen[e.File] = true
		entries = append(entries, e)
		size += int64(len(line))
	}
}

func parseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, err
	}
	sum, err := hex.DecodeString(e.SHA256)
	switch _, ok := shardNumber(e.File); {
	case !ok:
		return e, fmt.Errorf("file %.60q: want a name like %s", e.File, ShardName(0))
	case err != nil || len(sum) != 32:
		return e, fmt.Errorf("sha256 %.80q: want 64 hexadecimal digits", e.SHA256)
	case e.Rows < 0 || e.Games < 0 || e.Bytes < 0:
		return e, fmt.Errorf("rows, games and bytes must not be negative")
	}
	return e, nil
}

// line returns the entry as a manifest has it.
func (e Entry) line() ([]byte, error) {
	b, err := json.Marshal(e)
	return append(b, '\n'), err
}

// ShardPaths returns the finished shards of the run at path in the manifest's
// order, or path itself if it is a shard's file.
func ShardPaths(files FS, path string) ([]string, error) {
	if _, ok := shardNumber(filepath.Base(path)); ok {
		return []string{path}, nil
	}
	entries, err := ReadManifest(files, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: want a run's directory, with a %s, or a shard's file", path, ManifestName)
	}
	var list []string
	for _, e := range entries {
		list = append(list, filepath.Join(path, e.File))
	}
	return list, err
}

// ReadFile reads the shard in a file, as ReadShard does.
func ReadFile(files FS, path string) (*Shard, error) {
	s, _, err := readFile(files, path)
	return s, err
}

func readFile(files FS, path string) (*Shard, int64, error) {
	size, err := files.Size(path)
	if err != nil {
		return nil, 0, err
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	s, err := ReadShard(f, Limits{})
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return s, size, nil
}

// Source is a finished shard to read from.
type Source struct {
	Path  string
	Entry *Entry // in the manifest beside it; nil where there is none
}

// Sources returns the finished shards at the paths in their order, each a run's
// directory or a shard's file. One that a path names twice is an error.
func Sources(files FS, paths ...string) ([]Source, error) {
	var list []Source
	for _, path := range paths {
		found, err := sources(files, path)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	seen := map[string]bool{}
	for _, s := range list {
		if clean := filepath.Clean(s.Path); seen[clean] {
			return nil, fmt.Errorf("%s is named twice", s.Path)
		} else {
			seen[clean] = true
		}
	}
	return list, nil
}

func sources(files FS, path string) ([]Source, error) {
	dir, name := path, ""
	if _, ok := shardNumber(filepath.Base(path)); ok {
		dir, name = filepath.Dir(path), filepath.Base(path)
	}
	entries, err := ReadManifest(files, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && name != "":
		return []Source{{Path: path}}, nil
	case errors.Is(err, fs.ErrNotExist):
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
func (s Source) Read(files FS) (*Shard, Entry, error) {
	f, err := files.Open(s.Path)
	if err != nil {
		return nil, Entry{}, err
	}
	defer f.Close()
	sum := newHashingReader(f)
	shard, err := ReadShard(sum, Limits{})
	if err != nil {
		return nil, Entry{}, fmt.Errorf("%s: %w", s.Path, err)
	}
	if _, err := io.Copy(io.Discard, sum); err != nil {
		return nil, Entry{}, err
	}
	e := Entry{
		File: filepath.Base(s.Path), Rows: shard.Header.Rows, Games: len(shard.Header.Games), Bytes: sum.n,
		SHA256: sum.digest(), ModelSHA256: shard.Header.ModelSHA256,
	}
	if s.Entry != nil {
		e.Created = s.Entry.Created
		if e != *s.Entry {
			return nil, e, fmt.Errorf("%s: %d bytes, %d rows, sha256 %.12s…; the manifest says %d, %d, %.12s…: the file was changed",
				s.Path, e.Bytes, e.Rows, e.SHA256, s.Entry.Bytes, s.Entry.Rows, s.Entry.SHA256)
		}
	}
	return shard, e, nil
}

// Copy writes the bytes of the shard, which must still be those of the entry e.
func (s Source) Copy(files FS, w io.Writer, e Entry) error {
	f, err := files.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := newHashingReader(f)
	if _, err := io.Copy(w, sum); err != nil {
		return err
	}
	if sum.digest() != e.SHA256 {
		return fmt.Errorf("%s was changed while it was read", s.Path)
	}
	return nil
}
