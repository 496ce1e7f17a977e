package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
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
--open-rule closes; each with its kind: overline, double-four, double-three,
free-three (two at once) or open-rule. Where a point is of several, JSON has the gravest,
which come in this order, as kind and the rest as also.`,
		Example: `  carozero forbidden --rule renju --position h8h9i7i9h10i6i11i12`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, pos, err := readPosition(cmd, &variant, &position)
			if err != nil {
				return err
			}
			if !v.Of().HasForbidden() {
				return usagef("--game %s: only gomoku has forbidden points", v.Game)
			}
			report := newForbiddenReport(v, pos)
			return output.print(cmd.OutOrStdout(), report, report.text)
		},
	}
	variant.register(cmd)
	position.register(cmd)
	output.register(cmd)
	return cmd
}

type forbiddenReport struct {
	Rule   string           `json:"rule"`
	Size   int              `json:"size"`
	ToMove string           `json:"to_move"`
	Points []string         `json:"points"`
	Kinds  []forbiddenPoint `json:"kinds"` // of the points, in their order
}

// forbiddenPoint says why a point is forbidden.
type forbiddenPoint struct {
	Point string   `json:"point"`
	Kind  string   `json:"kind"`           // the gravest reason
	Also  []string `json:"also,omitempty"` // the others
}

func newForbiddenReport(v engine.Variant, pos game.Position) *forbiddenReport {
	r := &forbiddenReport{
		Rule: v.Rule(), Size: v.Size, ToMove: pos.ToMove().String(), Points: []string{}, Kinds: []forbiddenPoint{},
	}
	for _, f := range v.Forbidden(pos) {
		point := v.Notation().FormatMove(f.Move)
		r.Points = append(r.Points, point)
		r.Kinds = append(r.Kinds, forbiddenPoint{Point: point, Kind: f.Reasons[0], Also: f.Reasons[1:]})
	}
	return r
}

func (r *forbiddenReport) text(w io.Writer) {
	for _, p := range r.Kinds {
		fmt.Fprintf(w, "%s %s\n", p.Point, strings.Join(append([]string{p.Kind}, p.Also...), ", "))
	}
}
