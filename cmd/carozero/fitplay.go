package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/gomoku/fit"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
)

// fitPlay is the state of "fit play".
type fitPlay struct {
	variant variantFlags
	output  outputFlags
	games   fit.Selfplay
	out     string
}

// newFitPlay returns the command "fit play".
func newFitPlay() *cobra.Command {
	f := &fitPlay{}
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play games of the classical engine against itself to fit weights to",
		Long: `Play games of the classical engine against itself, each from a random opening of
its own, and write them as SGF files, a file a game, with the opening as stones
that are set up and the score of each search as property V. A game is a function
of the options and of its number, whatever the number of workers; after an
interruption go on with --first.`,
		Example: "  carozero fit play --rule standard --games 5000 --nodes 2000 --out games/standard",
		Args:    noArgs,
		RunE:    f.run,
	}
	f.variant.register(cmd)
	addNum(cmd, &f.games.Games, option.Games.With(5000, "number of games"))
	addNum(cmd, &f.games.First, option.GameNumber)
	addNum(cmd, &f.games.Nodes, option.Nodes.With(2000, "nodes of the search for a move"))
	addNum(cmd, &f.games.Seed, option.RandomSeed)
	addNum(cmd, &f.games.Least, option.OpeningPlies.Named("opening-min").With(fit.DefaultLeast, "fewest random moves that a game starts with"))
	addNum(cmd, &f.games.Most, option.OpeningPlies.Named("opening-max").With(fit.DefaultMost, "most random moves that a game starts with"))
	addNum(cmd, &f.games.Workers, option.Workers.With(int64(runtime.NumCPU()), "games at once; changes no game"))
	cmd.Flags().StringVar(&f.out, "out", "", "folder that the games go to, made if it does not exist (required)")
	f.output.register(cmd)
	return cmd
}

func (f *fitPlay) run(cmd *cobra.Command, _ []string) error {
	v, err := f.check()
	if err != nil {
		return err
	}
	r, err := f.play(cmd.Context(), v)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	err = f.output.printAfter(cmd, err, r)
	return interrupted(err, "%d of %d games are in %s; games under way are lost and will be played again; go on with: %s",
		r.Games, f.games.Games, f.out, again(cmd, nil, map[string]string{
			"first": strconv.Itoa(r.Next), "games": strconv.Itoa(f.games.First + f.games.Games - r.Next),
		}))
}

// check checks the flags, completes the description of the games, and returns
// their variant.
func (f *fitPlay) check() (games.Variant, error) {
	v, err := f.variant.variant()
	if err != nil {
		return v, err
	}
	rules, ok := v.Gomoku()
	switch {
	case !ok:
		return v, usagef("--game %s: weights are fitted for gomoku only", v.Game)
	case f.out == "":
		return v, usagef("--out: give the folder that the games go to")
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--workers %d", f.games.Workers), games.ClassicalBytes(1, 1), f.games.Workers)
	if err := checkMemory(&m); err != nil {
		return v, err
	}
	f.games.Rules, f.games.Size, f.games.Engine = rules, v.Size, v.Classical()
	if err := f.games.Check(); err != nil {
		return v, usagef("--opening-min, --opening-max: %w", err)
	}
	return v, nil
}

// play plays the games and writes each to the folder. Its report is of the games
// written, an error notwithstanding.
func (f *fitPlay) play(ctx context.Context, v games.Variant) (*report.FitPlay, error) {
	play, out := &f.games, f.out
	r := &report.FitPlay{Dir: out, Rule: v.Rule(), Size: v.Size, Next: play.First}
	folder := gamefiles.Folder{Path: out, Program: "carozero:" + version}
	if err := folder.Prepare(); err != nil {
		return r, fmt.Errorf("--out: %w", err)
	}
	start, err := v.Start()
	if err != nil {
		return r, err
	}
	name := fmt.Sprintf("alphabeta:nodes=%d", play.Nodes)
	bar := newProgress(play.Games, "games")
	defer bar.Close()
	return r, play.Play(ctx, func(id int, g fit.Game) error {
		played := gamefiles.Begin(v, start)
		played.SetUp(g.Moves[:g.Opening])
		played.End([2]string{name, name}, g.Outcome, g.Reason)
		_, err := played.Tree.Extend(0, played.Tree.ToMove(0), g.Moves[g.Opening:], g.Scores[g.Opening:])
		if err == nil {
			err = folder.Write(id, &played)
		}
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		r.Add(&g)
		r.Next = id + 1
		bar.step()
		return nil
	})
}
