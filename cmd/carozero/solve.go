package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
)

// newSolve returns the command "solve".
func newSolve() *cobra.Command {
	var (
		variant  variantFlags
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
shortest of its kind unless the answer says otherwise, as it may for long ones.`,
		Example: `  carozero solve --rule freestyle --position h8a1i8a2j8a15 --kind vct
  carozero solve --board position.txt --kind vcf --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kind, err := engine.Kind(kindName)
			if err != nil {
				return usagef("--kind: %w", err)
			}
			v, pos, err := openPosition(cmd, &variant, &position)
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
			report := solveReport{
				Kind: kind.String(), Rule: v.Rule(), Size: v.Size, Result: s.Outcome.String(), Plies: s.Plies, Shortest: s.Shortest, Line: []string{},
				Nodes: s.Nodes, TimeMS: float64(time.Since(start).Microseconds()) / 1000,
			}
			for _, m := range s.Line {
				report.Line = append(report.Line, v.Notation().FormatMove(m))
			}
			return output.print(cmd.OutOrStdout(), report, report.text)
		},
	}
	variant.register(cmd)
	position.register(cmd)
	output.register(cmd)
	cmd.Flags().StringVar(&kindName, "kind", "vcf", "what the win is made of: "+strings.Join(engine.Kinds(), " or "))
	addInt(cmd, &nodes, option.Nodes.With(1_000_000, "most moves that the solver plays"))
	complete(cmd, "kind", engine.Kinds()...)
	return cmd
}

type solveReport struct {
	Kind   string `json:"kind"`
	Rule   string `json:"rule"`
	Size   int    `json:"size"`
	Result string `json:"result"`
	Plies  int    `json:"plies"`
	// Shortest says that no win of the kind takes fewer plies.
	Shortest bool     `json:"shortest"`
	Line     []string `json:"line"`
	Nodes    int      `json:"nodes"`
	TimeMS   float64  `json:"time_ms"`
}

func (r solveReport) text(w io.Writer) {
	switch r.Result {
	case "win":
		note := ""
		if !r.Shortest {
			note = " (there may be a shorter one)"
		}
		fmt.Fprintf(w, "%s: win in %d plies%s: %s\n", r.Kind, r.Plies, note, strings.Join(r.Line, " "))
	case "none":
		fmt.Fprintf(w, "%s: none\n", r.Kind)
	default:
		fmt.Fprintf(w, "%s: unknown: the budget was spent\n", r.Kind)
	}
	fmt.Fprintf(w, "%d nodes, %.1f ms\n", r.Nodes, r.TimeMS)
}
