package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/front/tactics"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/option"
)

// newTactics returns the command "tactics".
func newTactics() *cobra.Command {
	var (
		output outputFlags
		nodes  int
		file   string
		each   bool
	)
	cmd := &cobra.Command{
		Use:   "tactics",
		Short: "Solve the suite of proven positions, per rule set",
		Long: `Solve the suite of positions whose forced wins, or lack of them, are proven, and
show solved problems, nodes and time per rule set, or of each problem. The exit
status is 3 if a problem is not solved as proven.`,
		Example: "  carozero tactics\n  carozero tactics --suite long --each\n  carozero tactics find runs/one --wins 5",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			problems, err := readTactics(file)
			if err != nil {
				return err
			}
			scores, answers, err := tactics.Run(cmd.Context(), problems, nodes, time.Now)
			if err != nil {
				return interrupted(err, "a part of the suite says nothing; nothing is kept")
			}
			r := report.NewTactics(scores, answers, each)
			return found(output.print(cmd, r), len(r.Missed) > 0, "tactics: %d problems are not solved", len(r.Missed))
		},
	}
	output.register(cmd)
	addInt(cmd, &nodes, option.Nodes.With(2_000_000, "most moves that the solver plays on a problem"))
	cmd.Flags().StringVar(&file, "suite", "", "file of problems, or long for the long wins that ship with the program (default: the suite that ships with it)")
	cmd.Flags().BoolVar(&each, "each", false, "show every problem in a row of its own")
	cmd.AddCommand(newTacticsFind(), newTacticsHolds(), newTacticsMCTS(), newTacticsCompose(), newTacticsDense(), newTacticsClaims())
	return cmd
}

func readTactics(path string) ([]tactics.Problem, error) {
	switch path {
	case "":
		return tactics.Suite()
	case "long":
		return tactics.Long()
	}
	f, err := limitio.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--suite %s: %w", path, err)
	}
	defer f.Close()
	list, err := tactics.Read(f)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no problems; want lines of: rule size kind result plies position [line]")
	}
	if err != nil {
		return nil, fmt.Errorf("--suite %s: %w", path, err)
	}
	return list, nil
}

func newTacticsFind() *cobra.Command {
	var (
		variant variantFlags
		finder  tactics.Finder
	)
	cmd := &cobra.Command{
		Use:   "find PATH...",
		Short: "Find problems in recorded games and print them",
		Long: `Find problems in the games of runs, shards, SGF, psq and lib files and lists of
positions (--rule and --size say of what rules those are that don't tell):
positions with a forced win, which is played against every legal defence before
it is believed, and positions whose search for one was exhausted. Problems are
printed a line each, in the form that --suite reads.`,
		Example: "  carozero tactics find runs/one runs/two --wins 5 --nones 2 > problems.txt",
		Args:    someArgs("runs, shards, or files of games"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			err = eachRecord(cmd.Context(), args, v, func(v games.Variant, moves []game.Move) error {
				rules, _ := v.Gomoku()
				return finder.Game(cmd.Context(), rules, v.Size, moves)
			})
			for _, p := range finder.Found() {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			return interrupted(err, "the %d problems found until then were printed; a new run begins at the first game", len(finder.Found()))
		},
	}
	variant.register(cmd)
	addInt(cmd, &finder.Nodes, option.Nodes.With(200_000, "most moves that the solver plays on a position"))
	addInt(cmd, &finder.MinPlies, option.OpeningPlies.Named("min-plies").With(5, "shortest win that is worth keeping").Above(1))
	addInt(cmd, &finder.Wins, option.Count.Named("wins").With(5, "wins to keep per rule set, size and kind").Or0("none"))
	addInt(cmd, &finder.Nones, option.Count.Named("nones").With(2, "positions without a win to keep per rule set, size and kind").Or0("none"))
	return cmd
}
