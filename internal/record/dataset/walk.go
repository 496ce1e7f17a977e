package dataset

import (
	"context"

	"github.com/carozero/carozero/selfplay/samples"
)

// walk reads the sources in turn and has each shard used, until one is at fault or
// ctx ends.
func walk(ctx context.Context, files samples.FS, sources []samples.Source, step Progress, use func(samples.Source, *samples.Shard, samples.Entry) error) error {
	for i, source := range sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		shard, entry, err := source.Read(files)
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
