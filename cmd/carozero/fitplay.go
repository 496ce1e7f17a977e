package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/gomoku/fit"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
)

// newFitPlay returns the command "fit play".
func newFitPlay() *cobra.Command {
	var (
		variant variantFlags
		play    fit.Selfplay
		out     string
		output  outputFlags
	)
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			rules, ok := v.Gomoku()
			switch {
			case !ok:
				return usagef("--game %s: weights are fitted for gomoku only", v.Game)
			case out == "":
				return usagef("--out: give the folder that the games go to")
			}
			var m option.Memory
			m.Add(fmt.Sprintf("--workers %d", play.Workers), engine.ClassicalBytes(1, 1), play.Workers)
			if err := checkMemory(&m); err != nil {
				return err
			}
			play.Rules, play.Size, play.Engine = rules, v.Size, v.Classical()
			if err := play.Check(); err != nil {
				return usagef("--opening-min, --opening-max: %w", err)
			}
			report, err := playForFit(cmd.Context(), v, &play, out)
			if err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			if printErr := output.print(cmd.OutOrStdout(), report, report.text); err == nil {
				err = printErr
			}
			return interrupted(err, "%d of %d games are in %s; games under way are lost and will be played again; go on with: %s",
				report.Games, play.Games, out, again(cmd, nil, map[string]string{
					"first": strconv.Itoa(report.Next), "games": strconv.Itoa(play.First + play.Games - report.Next),
				}))
		},
	}
	variant.register(cmd)
	addInt(cmd, &play.Games, option.Games.With(5000, "number of games"))
	addInt(cmd, &play.First, option.GameNumber)
	addInt(cmd, &play.Nodes, option.Nodes.With(2000, "nodes of the search for a move"))
	addSeed(cmd, &play.Seed, option.RandomSeed)
	addInt(cmd, &play.Least, option.OpeningPlies.Named("opening-min").With(fit.DefaultLeast, "fewest random moves that a game starts with"))
	addInt(cmd, &play.Most, option.OpeningPlies.Named("opening-max").With(fit.DefaultMost, "most random moves that a game starts with"))
	addInt(cmd, &play.Workers, option.Workers.With(int64(runtime.NumCPU()), "games at once; changes no game"))
	cmd.Flags().StringVar(&out, "out", "", "folder that the games go to, made if it does not exist (required)")
	output.register(cmd)
	return cmd
}

// playForFit plays the games and writes each to the folder out. Its report is
// of the games written, an error notwithstanding.
func playForFit(ctx context.Context, v engine.Variant, play *fit.Selfplay, out string) (*fitPlayReport, error) {
	report := &fitPlayReport{Dir: out, Rule: v.Rule(), Size: v.Size, Next: play.First}
	sgf := &arena.SGF{
		Folder: out, Game: 4, Size: v.Size, Rules: v.Rule(),
		Program: "carozero:" + version, Point: arena.Points(v.Size),
	}
	if err := sgf.Prepare(); err != nil {
		return report, fmt.Errorf("--out: %w", err)
	}
	name := fmt.Sprintf("alphabeta:nodes=%d", play.Nodes)
	bar := newProgress(play.Games, "games")
	defer bar.Close()
	return report, play.Play(ctx, func(id int, g fit.Game) error {
		result := &arena.Result{Game: id, Moves: g.Moves[g.Opening:], Values: g.Scores[g.Opening:], Outcome: g.Outcome, Reason: g.Reason}
		sgf.Black, sgf.White, sgf.ToMove = nil, nil, game.Side(g.Opening%2)
		for i, m := range g.Moves[:g.Opening] {
			if i%2 == 0 {
				sgf.Black = append(sgf.Black, m)
			} else {
				sgf.White = append(sgf.White, m)
			}
		}
		if err := sgf.Record(result, [2]string{name, name}); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		report.add(&g)
		report.Next = id + 1
		_ = bar.Add(1)
		return nil
	})
}

// fitPlayReport is what "fit play" prints.
type fitPlayReport struct {
	Dir        string `json:"dir"`
	Rule       string `json:"rule"`
	Size       int    `json:"size"`
	Games      int    `json:"games"`
	FirstWins  int    `json:"first_wins"`
	SecondWins int    `json:"second_wins"`
	Draws      int    `json:"draws"`
	Plies      int    `json:"plies"`
	Next       int    `json:"next"` // --first of a run that goes on from here
}

func (r *fitPlayReport) add(g *fit.Game) {
	r.Games++
	r.Plies += len(g.Moves)
	switch g.Outcome {
	case game.FirstWins:
		r.FirstWins++
	case game.SecondWins:
		r.SecondWins++
	default:
		r.Draws++
	}
}

func (r *fitPlayReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s on %dx%d: %d games in %s, the next is number %d\n", r.Rule, r.Size, r.Size, r.Games, r.Dir, r.Next)
	fmt.Fprintf(w, "first %d, second %d, draws %d; mean length %.1f moves\n",
		r.FirstWins, r.SecondWins, r.Draws, float64(r.Plies)/float64(max(r.Games, 1)))
}
