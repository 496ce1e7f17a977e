package samples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
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
	there, err := parseJSON(found)
	if err != nil {
		return fmt.Errorf("%s is damaged: %w", RunName, err)
	}
	here, err := parseJSON(want)
	if err != nil {
		return err
	}
	if path, was, now, differ := difference(there, here); differ {
		return fmt.Errorf("%w: %s is %s there and %s now; repeat its options, or choose an empty directory",
			ErrOptions, printable(path), was, now)
	}
	return fmt.Errorf("%w: %s is written differently; choose an empty directory", ErrOptions, RunName)
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

// parseJSON returns a JSON value whose numbers are as they are written.
func parseJSON(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v)
}

// Difference returns the dotted path of the first difference between two maps, "" if there
// is none, and what is there in each.
func Difference(a, b Fields) (path, inA, inB string, err error) {
	var values [2]any
	for i, f := range []Fields{a, b} {
		text, err := f.MarshalJSON()
		if err == nil {
			values[i], err = parseJSON(text)
		}
		if err != nil {
			return "", "", "", err
		}
	}
	path, inA, inB, _ = difference(values[0], values[1])
	return path, inA, inB, nil
}

// absent stands for a missing value.
type absent struct{}

// difference returns the dotted path of the first difference between two JSON
// values, keys in alphabetical order, and what is there in each. It takes
// little memory whatever the values are.
func difference(a, b any) (path, inA, inB string, differ bool) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			if path, inA, inB, differ = difference(member(x, k), member(y, k)); differ {
				return join(k, path), inA, inB, true
			}
		}
		return "", "", "", false
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		for i := range max(len(x), len(y)) {
			if path, inA, inB, differ = difference(element(x, i), element(y, i)); differ {
				return join(strconv.Itoa(i), path), inA, inB, true
			}
		}
		return "", "", "", false
	default:
		if !composed(b) && a == b {
			return "", "", "", false
		}
	}
	return "", inWords(a), inWords(b), true
}

func member(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

// composed reports whether v is a map or a list, which cannot be compared.
func composed(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// mostPath bounds the path that is shown, in bytes.
const mostPath = 200

func join(key, path string) string {
	if path != "" {
		key += "." + path
	}
	if len(key) > mostPath {
		key = strings.ToValidUTF8(key[:mostPath], "") + "..."
	}
	return key
}

// inWords formats a value for a message.
func inWords(v any) string {
	switch v := v.(type) {
	case absent:
		return "absent"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("%.80q", v)
	case json.Number:
		return fmt.Sprintf("%.80s", v.String())
	}
	return fmt.Sprint(v)
}

// printable returns a text unchanged, or quoted if it is not safe to print on a terminal.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
