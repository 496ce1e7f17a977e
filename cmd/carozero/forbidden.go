package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game/gomoku"
)

// newForbidden returns the command "forbidden".
func newForbidden() *cobra.Command {
	var (
		variant  variantFlags
		position positionFlags
		output   outputFlags
	)
	cmd := &cobra.Command{
		Use:   "forbidden",
		Short: "Show the empty points that the side to move may not play",
		Long: `Show the empty points that the side to move may not play: renju's overlines,
double-fours and double-threes, school42's double free-threes, and what
--open-rule closes.`,
		Example: `  carozero forbidden --rule renju --position h8h9i7i9h10i6i11i12`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			pos, err := position.read(v, cmd.InOrStdin())
			if err != nil {
				return err
			}
			board, ok := pos.(*gomoku.Board)
			if !ok {
				return usagef("--game %s: only gomoku has forbidden points", v.Game)
			}
			report := forbiddenReport{
				Rule: v.Rule(), Size: v.Size, ToMove: pos.ToMove().String(), Points: []string{},
			}
			for _, m := range board.Forbidden(nil) {
				report.Points = append(report.Points, v.Notation().FormatMove(m))
			}
			return output.print(cmd.OutOrStdout(), report, func(w io.Writer) {
				for _, p := range report.Points {
					fmt.Fprintln(w, p)
				}
			})
		},
	}
	variant.register(cmd)
	position.register(cmd)
	output.register(cmd)
	return cmd
}

type forbiddenReport struct {
	Rule   string   `json:"rule"`
	Size   int      `json:"size"`
	ToMove string   `json:"to_move"`
	Points []string `json:"points"`
}
