package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/perft"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/option"
)

// newPerft returns the command "perft".
func newPerft() *cobra.Command {
	var (
		position positionFlags
		output   outputFlags
		depth    int
		divide   bool
	)
	cmd := &cobra.Command{
		Use:   "perft --depth N",
		Short: "Count the move sequences of a depth, to check the rules",
		Long: `Count the sequences of exactly --depth legal moves from a position, to compare
with another program's. Games that are over before that are not expanded and
count nothing; a pass of Onitama is a move. Moves of the last ply are counted
without being played. A node is a move that was played.`,
		Example: `  carozero perft --rule renju --position h8h9i7i9 --depth 3
  carozero perft --game onitama --position Ox,Boar/Horse,Elephant/Crab --depth 6
  carozero perft --board position.txt --depth 2 --divide`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if depth == 0 {
				return usagef("--depth: want %s", option.PerftDepth.Range())
			}
			v, pos, err := position.read(cmd)
			if err != nil {
				return err
			}
			count, err := countLeaves(cmd.Context(), pos, depth)
			if err != nil {
				return interrupted(err, "%d leaves were counted behind the first %d of %d moves; nothing is kept",
					count.Leaves, len(count.Branches), len(pos.Moves(nil)))
			}
			r := report.NewPerft(v, pos, depth, &count)
			r.Position, r.Board = position.shown(v, pos)
			if !divide {
				r.Branches = nil
			}
			return output.print(cmd, r)
		},
	}
	position.register(cmd)
	output.register(cmd)
	addInt(cmd, &depth, option.PerftDepth)
	cmd.Flags().BoolVar(&divide, "divide", false, "show the count behind each move, too")
	return cmd
}

// countLeaves counts with a bar that moves with each first move.
func countLeaves(ctx context.Context, pos game.Position, depth int) (perft.Result, error) {
	bar := newProgress(len(pos.Moves(nil)), "moves")
	defer bar.Close()
	return perft.Divide(ctx, pos, depth, perft.Options{
		Clock: time.Now, Branch: func(perft.Branch) { bar.step() },
	})
}
