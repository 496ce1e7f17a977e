package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/crosscheck"
	"github.com/carozero/carozero/internal/record/gamefiles"
	"github.com/carozero/carozero/internal/support/tempdir"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
)

// freshGames are games of the net that are played for a cross-check.
type freshGames struct {
	games, playouts int
}

// settle returns the variant of the games: the one asked for, or, where none
// was, that of the first input which names one.
func (f *crosscheckFlags) settle(v games.Variant) (games.Variant, error) {
	if f.fixed || len(f.inputs) == 0 {
		return v, nil
	}
	r, err := f.source(v, f.inputs)()
	if err != nil {
		return v, inputError(err)
	}
	defer r.Close()
	if _, err := r.Next(); err != nil && !errors.Is(err, io.EOF) {
		return v, inputError(err)
	}
	return r.Variant(), nil
}

// source returns what opens the games.
func (f *crosscheckFlags) source(v games.Variant, paths []string) crosscheck.Source {
	return func() (*gamefiles.Reader, error) {
		return gamefiles.Open(paths, gamefiles.Options{Variant: v, Fixed: f.fixed})
	}
}

// inputError says which flag an input's error is about.
func inputError(err error) error { return fmt.Errorf("--input: %w", err) }

// games returns the paths of the games, which it plays first if fresh ones are
// wanted, and what takes them away again. With a file of rows they are kept
// beside it, so that the run can be resumed.
func (f *crosscheckFlags) games(ctx context.Context, net *networks.Net) (paths []string, done func(), err error) {
	if f.fresh.games == 0 {
		return f.inputs, func() {}, nil
	}
	dir, done := f.rows+".games", func() {}
	if f.rows == "" {
		temporary, err := tempdir.New()
		if err != nil {
			return nil, nil, err
		}
		dir, done = temporary.Join("games"), func() { _ = temporary.Remove() } // the next run sweeps what is left
	}
	if err := f.play(ctx, net, dir); err != nil {
		done()
		return nil, nil, fmt.Errorf("--selfplay: %w", err)
	}
	return []string{dir}, done, nil
}

// Settings of the games that are played for a cross-check.
const (
	freshAtOnce   = 16
	freshOpening  = 6 // most random moves at the start
	freshTreeMiB  = 16
	freshInFlight = 2
	freshPerShard = 16
)

func (f *crosscheckFlags) play(ctx context.Context, net *networks.Net, dir string) error {
	setup, err := generate.SelfplaySetup(net, generate.SelfplayOptions{
		Seed: f.opts.Sampling.Seed, Capacity: freshAtOnce * freshInFlight, CacheBytes: f.cacheMiB << 20,
		Version: version, Commit: commit,
	})
	if err != nil {
		return err
	}
	opts := selfplay.Options{
		Games: f.fresh.games, GamesPerShard: freshPerShard, Seed: f.opts.Sampling.Seed, Playouts: f.fresh.playouts,
		Opening: selfplay.Opening{MaxPlies: freshOpening},
		Search:  mcts.Options{InFlight: freshInFlight, Memory: freshTreeMiB << 20},
	}.WithDefaults()
	bar := newProgress(f.fresh.games, "self-play")
	defer bar.Close()
	_, err = selfplay.Run(ctx, setup, opts, selfplay.Host{
		Dir: dir, Resume: f.resume, Workers: f.workers, AtOnce: freshAtOnce, Now: time.Now,
		Progress: func(s selfplay.Summary) { _ = bar.Set(s.OnDisk) },
	})
	return err
}
