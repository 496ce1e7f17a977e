package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/tactics"
	"github.com/carozero/carozero/internal/record/gamefiles"
	"github.com/carozero/carozero/internal/support/option"
)

// newTacticsHolds returns the command "tactics holds".
func newTacticsHolds() *cobra.Command {
	var (
		variant variantFlags
		finder  tactics.HoldFinder
		file    string
	)
	cmd := &cobra.Command{
		Use:   "holds [PATH...]",
		Short: "Find positions in which exactly one move holds and print them",
		Long: `Find positions in which every legal move but one is proven to lose, and print
them a line each: rule, size, position, move. They are looked for in the games
of the given runs, shards, SGF, psq and lib files and lists of positions (--rule and --size
say of what rules those are that don't tell), or without any in the games that
lead to the problems of the suite.`,
		Example: "  carozero tactics holds --per-game 1 --each 30 runs/one games > holds.txt",
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			count := 0
			look := func(v games.Variant, moves []game.Move) error {
				rules, _ := v.Gomoku()
				found, err := finder.Game(cmd.Context(), rules, v.Size, moves)
				for _, h := range found {
					fmt.Fprintln(cmd.OutOrStdout(), h)
				}
				count += len(found)
				return err
			}
			if len(args) == 0 {
				err = eachProblem(file, look)
			} else {
				err = eachRecord(cmd.Context(), args, v, look)
			}
			return interrupted(err, "the %d positions found until then were printed; a new run begins at the first game", count)
		},
	}
	variant.register(cmd)
	addNum(cmd, &finder.Refute, option.Nodes.With(2_000, "most moves that the solver plays on each move of a position"))
	addNum(cmd, &finder.Trust, option.Nodes.Named("trust-nodes").With(50_000, "most moves that it plays to refute the move that is left"))
	addNum(cmd, &finder.PerGame, option.GamePlies.Named("per-game").With(0, "most positions of one game, the first of it").ZeroMeans("any number"))
	addNum(cmd, &finder.Each, option.Count.Named("each").With(0, "most positions of each rule set and size").ZeroMeans("any number"))
	cmd.Flags().StringVar(&file, "suite", "", "file of problems (default: the suite that ships with the program)")
	return cmd
}

// lookAt is done to each game of gomoku of some files.
type lookAt func(v games.Variant, moves []game.Move) error

// eachProblem calls look for the games that lead to the problems of a suite.
func eachProblem(file string, look lookAt) error {
	problems, err := readTactics(file)
	if err != nil {
		return err
	}
	for _, p := range problems {
		v, err := games.NewVariant(games.VariantOptions{Rule: p.Rule, Size: p.Size})
		if err != nil {
			return err
		}
		_, moves, err := v.ParseGame(p.Position)
		if err != nil {
			return err
		}
		if err := look(v, moves); err != nil {
			return err
		}
	}
	return nil
}

// eachRecord calls look for the recorded games of each path. Paths may differ in
// rule set and size; v is the variant of those that name none.
func eachRecord(ctx context.Context, paths []string, v games.Variant, look lookAt) error {
	for _, path := range paths {
		err := readGames(ctx, path, v, func(g *gamefiles.Game) error {
			if _, ok := g.Variant.Gomoku(); !ok {
				return fmt.Errorf("a game of %s, want gomoku", g.Variant.Game)
			}
			return look(g.Variant, g.Moves)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
