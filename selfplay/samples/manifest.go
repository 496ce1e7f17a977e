package samples

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
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
