// Package dataset turns shards of samples into other files. [Merge] collects the shards of
// several runs, [Filter] keeps the rows that fit conditions, [Export] writes rows and games for
// numpy, [Pack] packs whole runs into one file and [Unpack] unpacks them. All read shard after
// shard; what they write is a function of what they read, there as a whole or not at all.
package dataset

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/selfplay/samples"
)

// Total counts what was written.
type Total struct {
	Shards int   `json:"shards"`
	Games  int   `json:"games"`
	Rows   int   `json:"rows"`
	Bytes  int64 `json:"bytes"`
}

func (t *Total) add(games, rows int, bytes int64) {
	t.Shards++
	t.Games += games
	t.Rows += rows
	t.Bytes += bytes
}

// Progress is called after each of all shards that are read, or positions of runs that are
// packed.
type Progress func(done, all int)

// MergeOptions describe a Merge.
type MergeOptions struct {
	// Mixed allows that runs differ in options of their searches other than what
	// made the policy targets.
	Mixed bool
}

// Merge collects the shards at paths, of one game, rule, size and set of options, in
// dir, each byte for byte under a new name and with the ids of its own run. A game
// that comes twice is an error, and so are headers that differ, which names the
// field.
func Merge(ctx context.Context, dir string, o MergeOptions, step Progress, paths ...string) (total Total, err error) {
	sources, err := samples.Sources(paths...)
	if err != nil {
		return total, err
	}
	if len(sources) == 0 {
		return total, fmt.Errorf("%v: no shard is finished, nothing to merge", paths)
	}
	out, err := newCollection(dir)
	if err != nil {
		return total, err
	}
	defer func() { err = cmp.Or(err, out.folder.Close()) }()
	same, games := &sameness{fields: strict}, map[uint64]gameOf{}
	if o.Mixed {
		same.fields = loose
	}
	err = walk(ctx, sources, step, func(source samples.Source, shard *samples.Shard, entry samples.Entry) error {
		if err := same.check(source.Path, shard); err != nil {
			return err
		}
		if err := newGames(games, source.Path, &shard.Header); err != nil {
			return err
		}
		if err := out.copy(source, entry, &shard.Header); err != nil {
			return err
		}
		total.add(entry.Games, entry.Rows, entry.Bytes)
		return nil
	})
	if err != nil {
		return total, err
	}
	return total, out.finish()
}

// collection is a folder of shards from several runs. It has a manifest but no run options:
// each shard has its own header.
type collection struct {
	folder            *disk.Folder
	manifest, origins bytes.Buffer
	shards            int
}

// originsName is the file of a collection that says where each shard comes from.
const originsName = "origins.jsonl"

// origin is a line of that file.
type origin struct {
	File         string `json:"file"`
	Source       string `json:"source"` // its name where it comes from
	SourceSHA256 string `json:"source_sha256"`
	Seed         uint64 `json:"seed"` // of its run
	Filter       string `json:"filter,omitempty"`
}

func newCollection(dir string) (*collection, error) {
	folder, err := disk.NewFolder(dir)
	return &collection{folder: folder}, err
}

// copy adds a shard byte for byte. e is what Source.Read returned.
func (c *collection) copy(s samples.Source, e samples.Entry, h *samples.Header) error {
	written, err := c.add(e, h, func(w io.Writer) error {
		f, err := disk.Open(s.Path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
	if err == nil && written.SHA256() != e.SHA256 {
		err = fmt.Errorf("%s was changed while it was read", s.Path)
	}
	return err
}

// add adds a shard of rows of the one with the entry from.
func (c *collection) add(from samples.Entry, h *samples.Header, write func(io.Writer) error) (*disk.Digest, error) {
	name := samples.ShardName(c.shards)
	sum, err := c.folder.Write(name, write)
	if err != nil {
		return sum, err
	}
	c.shards++
	return sum, errors.Join(
		jsonLine(&c.manifest, samples.Entry{
			File: name, Rows: h.Rows, Games: len(h.Games), Bytes: sum.Bytes, SHA256: sum.SHA256(),
			ModelSHA256: h.ModelSHA256, Created: from.Created,
		}),
		jsonLine(&c.origins, origin{name, from.File, from.SHA256, h.Seed, h.Filter}))
}

// finish completes the collection: only then does it exist.
func (c *collection) finish() error {
	for name, text := range map[string]*bytes.Buffer{originsName: &c.origins, samples.ManifestName: &c.manifest} {
		if _, err := c.folder.Write(name, content(text.Bytes())); err != nil {
			return err
		}
	}
	return c.folder.Finish(samples.ManifestName)
}

// content returns what writes data.
func content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(data); return err }
}

// jsonLine writes a value as a line.
func jsonLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// gameOf says where a game was seen.
type gameOf struct {
	path string
	id   uint64
}

// newGames enters the games of a shard by their seed and moves, and refuses one that
// is there.
func newGames(seen map[uint64]gameOf, path string, h *samples.Header) error {
	for i := range h.Games {
		g := &h.Games[i]
		sum := fnv.New64a()
		fmt.Fprintf(sum, "%d %s", g.Seed, g.Moves)
		if was, twice := seen[sum.Sum64()]; twice {
			return fmt.Errorf("game %d of %s is game %d of %s: the same games come twice", g.ID, path, was.id, was.path)
		}
		seen[sum.Sum64()] = gameOf{path, g.ID}
	}
	return nil
}

// sameness holds shards to the first one.
type sameness struct {
	fields func(*samples.Header) samples.OrderedMap // what must be equal
	path   string
	first  []byte // the fields of the first one and its layout, as JSON
}

// columnsOf are the fields that say what the columns hold.
func columnsOf(h *samples.Header) samples.OrderedMap {
	names := func(list []string) []any {
		out := make([]any, len(list))
		for i, name := range list {
			out[i] = name
		}
		return out
	}
	return samples.OrderedMap{
		{Key: "game", Value: h.Game}, {Key: "size", Value: int64(h.Size)},
		{Key: "planes.version", Value: h.Planes.Version}, {Key: "planes.names", Value: names(h.Planes.Names)},
		{Key: "globals", Value: names(h.Globals)},
	}
}

// targets are the options that decide what the policy target of a row means.
var targets = []string{samples.TargetKey, "player", "score_scale", "target_temperature"}

// loose are the fields without which rows of two runs mean different things.
func loose(h *samples.Header) samples.OrderedMap {
	list := append(columnsOf(h), samples.Field{Key: "rule", Value: h.Rule})
	for _, key := range targets {
		if value, ok := h.Search.Get(key); ok {
			list = append(list, samples.Field{Key: "search." + key, Value: value})
		}
	}
	return list
}

// strict are all fields but those by which runs differ that share their options:
// seeds, the network, and the program's build.
func strict(h *samples.Header) samples.OrderedMap {
	search := slices.DeleteFunc(slices.Clone(h.Search), func(f samples.Field) bool {
		return strings.HasSuffix(f.Key,
			"seed")
	})
	return append(append(columnsOf(h), samples.Field{Key: "rule", Value: h.Rule}),
		samples.Field{Key: "search", Value: search}, samples.Field{Key: "filter", Value: h.Filter})
}

// check compares a shard with the first that it saw, and names the first field that
// differs.
func (s *sameness) check(path string, shard *samples.Shard) error {
	layout := shard.Columns.Layout
	fields, err := append(s.fields(&shard.Header), samples.Field{Key: "layout", Value: layout}).MarshalJSON()
	if err != nil {
		return err
	}
	if s.path == "" {
		s.path, s.first = path, fields
		return nil
	}
	key, now, was, err := disk.Difference(fields, s.first)
	if err == nil && key != "" {
		err = fmt.Errorf("%s: %s is %s, in %s it is %s: these do not go together", path, key, now, s.path, was)
	}
	return err
}

// walk reads the sources in turn and has each shard used, until one is at fault or
// ctx ends.
func walk(ctx context.Context, sources []samples.Source, step Progress,
	use func(samples.Source, *samples.Shard, samples.Entry) error) error {
	for i, source := range sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		shard, entry, err := source.Read()
		if err != nil {
			return err
		}
		if err := use(source, shard, entry); err != nil {
			return err
		}
		step(i+1, len(sources))
	}
	return nil
}

// Kept counts what a Filter has kept, and what there was.
type Kept struct {
	Total
	OfGames int `json:"of_games"`
	OfRows  int `json:"of_rows"`
}

// Filter writes the rows at paths that fit the conditions to dir, in their order, a
// shard for each that has any, and the games that have some left. That no row fits
// is an error.
func Filter(ctx context.Context, open samples.CodecFunc, dir string, where *samples.Where,
	step Progress, paths ...string) (kept Kept, err error) {
	sources, err := samples.Sources(paths...)
	if err != nil {
		return kept, err
	}
	out, err := newCollection(dir)
	if err != nil {
		return kept, err
	}
	defer func() { err = cmp.Or(err, out.folder.Close()) }()
	counter := where.NewCounter()
	err = walk(ctx, sources, step, func(source samples.Source, shard *samples.Shard, entry samples.Entry) error {
		kept.OfGames += entry.Games
		kept.OfRows += entry.Rows
		left, err := sieve(shard, open, where, counter)
		if err != nil {
			return fmt.Errorf("%s: %w", source.Path, err)
		}
		if left.Header.Rows == 0 {
			return nil
		}
		written, err := out.add(entry, &left.Header, func(w io.Writer) error {
			return samples.WriteShard(w, &left.Header,
				left.Columns)
		})
		if err != nil {
			return err
		}
		kept.add(len(left.Header.Games), left.Header.Rows, written.Bytes)
		return nil
	})
	if err != nil {
		return kept, err
	}
	if kept.Rows == 0 {
		return kept, fmt.Errorf("none of %d rows fits %q", kept.OfRows, where)
	}
	return kept, out.finish()
}

// sieve returns the rows of a shard that fit, and the games that they are of.
func sieve(shard *samples.Shard, open samples.CodecFunc, where *samples.Where,
	counter *samples.Counter) (*samples.Shard, error) {
	h := shard.Header
	h.Games, h.Rows, h.Filter = nil, 0, where.String()
	if shard.Header.Filter != "" {
		h.Filter = shard.Header.Filter + ", " + h.Filter
	}
	if _, err := samples.ParseWhere(h.Filter); err != nil {
		return nil, fmt.Errorf("its filter and this one together: %w", err)
	}
	kit, err := open(&shard.Header)
	if err != nil {
		return nil, err
	}
	left, last := samples.NewColumns(shard.Columns.Layout), -1
	for i := range shard.Columns.Rows {
		row := shard.Columns.Row(i)
		g := &shard.Header.Games[row.Game]
		if !where.Match(&shard.Header, g, &row) || !counter.Keep(&row) {
			continue
		}
		if int(row.Game) != last {
			last = int(row.Game)
			entry, err := begunAt(kit, *g, int(row.Ply))
			if err != nil {
				return nil, err
			}
			h.Games = append(h.Games, entry)
		}
		row.Game = uint32(len(h.Games) - 1)
		left.Append(&row)
	}
	left.Seal()
	h.Rows = left.Rows
	return &samples.Shard{Header: h, Columns: left}, nil
}

// begunAt returns the entry of a game whose first row comes after ply moves.
func begunAt(kit samples.Codec, g samples.Game, ply int) (samples.Game, error) {
	start, moves, err := kit.Parse(g.Moves)
	if err == nil && ply > len(moves) {
		err = samples.ErrShard
	}
	if err != nil {
		return g, fmt.Errorf("game %d: %d moves before a row of %.60q: %w", g.ID, ply, g.Moves, err)
	}
	g.From = kit.Format(start, moves[:ply])
	return g, nil
}
