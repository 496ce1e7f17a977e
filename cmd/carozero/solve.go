package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/option"
)

// newSolve returns the command "solve".
func newSolve() *cobra.Command {
	var (
		position positionFlags
		output   outputFlags
		kindName string
		nodes    int
	)
	cmd := &cobra.Command{
		Use:   "solve",
		Short: "Find a forced win by fours, or by fours and threes",
		Long: `Find a forced win of the side to move: by continuous fours (vcf), or by
continuous fours and threes (vct). The result is win with its line, none if
there is none of that kind, or unknown if the budget was spent. The win is the
shortest of its kind unless the answer says otherwise, as it may for long ones.

A three here is a move that threatens an open or a double four with the next one
(under school42 also a capture). None says nothing of wins with a quieter move in
them, such as one that threatens a longer row of fours.`,
		Example: `  carozero solve --rule freestyle --position h8a1i8a2j8a15 --kind vct
  carozero solve --board position.txt --kind vcf --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kind, err := games.Kind(kindName)
			if err != nil {
				return usagef("--kind: %w", err)
			}
			v, pos, err := position.open(cmd)
			if err != nil {
				return err
			}
			if !v.Of().HasProver() {
				return usagef("--game %s: there is no solver of forced wins", v.Game)
			}
			start := time.Now()
			s := v.Solve(cmd.Context(), pos, kind, nodes)
			if err := cmd.Context().Err(); err != nil && s.Outcome == vcf.Unknown {
				return interrupted(err, "nothing was found within %d nodes; give --nodes to bound the search", s.Nodes)
			}
			return output.print(cmd, report.NewSolution(v, kind, &s, time.Since(start)))
		},
	}
	position.register(cmd)
	output.register(cmd)
	cmd.Flags().StringVar(&kindName, "kind", "vcf", "what the win is made of: "+strings.Join(games.Kinds(), " or "))
	addInt(cmd, &nodes, option.Nodes.With(1_000_000, "most moves that the solver plays"))
	complete(cmd, "kind", games.Kinds()...)
	return cmd
}
