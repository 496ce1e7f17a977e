package dataset

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/selfplay/samples"
)

// Kept counts what a Filter has kept, and what there was.
type Kept struct {
	Total
	OfGames int `json:"of_games"`
	OfRows  int `json:"of_rows"`
}

// Filter writes the rows at paths that fit the conditions to dir, in their order, a
// shard for each that has any, and the games that have some left. That no row fits
// is an error.
func Filter(ctx context.Context, files samples.FS, open samples.CodecFunc, dir string, where *samples.Where,
	step Progress, paths ...string) (kept Kept, err error) {
	sources, err := samples.Sources(files, paths...)
	if err != nil {
		return kept, err
	}
	out, err := samples.NewCollection(files, dir)
	if err != nil {
		return kept, err
	}
	defer func() { err = closing(out.Close, err) }()
	counter := where.NewCounter()
	err = walk(ctx, files, sources, step, func(source samples.Source, shard *samples.Shard, entry samples.Entry) error {
		kept.OfGames += entry.Games
		kept.OfRows += entry.Rows
		left, err := sieve(shard, open, where, counter)
		if err != nil {
			return fmt.Errorf("%s: %w", source.Path, err)
		}
		if left.Header.Rows == 0 {
			return nil
		}
		if err := out.Add(entry, &left.Header, left.Columns); err != nil {
			return err
		}
		kept.add(len(left.Header.Games), left.Header.Rows, out.Entries()[kept.Shards].Bytes)
		return nil
	})
	if err != nil {
		return kept, err
	}
	if kept.Rows == 0 {
		return kept, fmt.Errorf("none of %d rows fits %q", kept.OfRows, where)
	}
	return kept, out.Finish()
}

// sieve returns the rows of a shard that fit, and the games that they are of.
func sieve(shard *samples.Shard, open samples.CodecFunc, where *samples.Where, counter *samples.Counter) (*samples.Shard, error) {
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
