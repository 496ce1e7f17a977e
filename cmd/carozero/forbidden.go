package main

import (
	"github.com/carozero/carozero/internal/front/report"
	"github.com/spf13/cobra"
)

// newForbidden returns the command "forbidden".
func newForbidden() *cobra.Command {
	var (
		position positionFlags
		output   outputFlags
	)
	cmd := &cobra.Command{
		Use:   "forbidden",
		Short: "Show the empty points that the side to move may not play",
		Long: `Show the empty points that the side to move may not play: renju's overlines,
double-fours and double-threes, school42's double free-threes, and what
--open-rule closes; each with its kind: overline, double-four, double-three,
free-three (two at once) or open-rule. Where a point is of several, JSON has the gravest,
which come in this order, as kind and the rest as also.`,
		Example: `  carozero forbidden --rule renju --position h8h9i7i9h10i6i11i12`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, pos, err := position.read(cmd)
			if err != nil {
				return err
			}
			if !v.Of().HasForbidden() {
				return usagef("--game %s: only gomoku has forbidden points", v.Game)
			}
			return output.print(cmd, report.NewForbidden(v, pos))
		},
	}
	position.register(cmd)
	output.register(cmd)
	return cmd
}
