package dataset

import (
	"context"
	"fmt"
	"hash/fnv"

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

// Progress is called after each of all shards that are read.
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
func Merge(ctx context.Context, files samples.FS, dir string, o MergeOptions, step Progress, paths ...string) (total Total, err error) {
	sources, err := samples.Sources(files, paths...)
	if err != nil {
		return total, err
	}
	if len(sources) == 0 {
		return total, fmt.Errorf("%v: no shard is finished, nothing to merge", paths)
	}
	out, err := samples.NewCollection(files, dir)
	if err != nil {
		return total, err
	}
	defer func() { err = closing(out.Close, err) }()
	same, games := &sameness{fields: strict}, map[uint64]gameOf{}
	if o.Mixed {
		same.fields = loose
	}
	err = walk(ctx, files, sources, step, func(source samples.Source, shard *samples.Shard, entry samples.Entry) error {
		if err := same.check(source.Path, shard); err != nil {
			return err
		}
		if err := newGames(games, source.Path, &shard.Header); err != nil {
			return err
		}
		if err := out.Copy(source, entry, &shard.Header); err != nil {
			return err
		}
		total.add(entry.Games, entry.Rows, entry.Bytes)
		return nil
	})
	if err != nil {
		return total, err
	}
	return total, out.Finish()
}

// closing adds the error of an end to that of the whole.
func closing(end func() error, err error) error {
	if closed := end(); err == nil {
		return closed
	}
	return err
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
