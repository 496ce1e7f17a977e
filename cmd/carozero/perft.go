package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/perft"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
)

// newPerft returns the command "perft".
func newPerft() *cobra.Command {
	var (
		variant  variantFlags
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
			v, pos, err := readPosition(cmd, &variant, &position)
			if err != nil {
				return err
			}
			r, err := countLeaves(cmd.Context(), pos, depth)
			if err != nil {
				return interrupted(err, "%d leaves were counted behind the first %d of %d moves; nothing is kept",
					r.Leaves, len(r.Branches), len(pos.Moves(nil)))
			}
			report := newPerftReport(v, pos, depth, &r)
			report.Position = position.position
			if !divide {
				report.Branches = nil
			}
			return output.print(cmd.OutOrStdout(), report, report.text)
		},
	}
	variant.register(cmd)
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
		Clock: time.Now, Branch: func(perft.Branch) { _ = bar.Add(1) },
	})
}

// perftReport is the JSON of a count.
type perftReport struct {
	Game       string        `json:"game"`
	Rule       string        `json:"rule"`
	Size       int           `json:"size"`
	Position   string        `json:"position"`
	ToMove     string        `json:"to_move"`
	Depth      int           `json:"depth"`
	Leaves     uint64        `json:"leaves"`
	Nodes      uint64        `json:"nodes"` // moves played; those of the last ply are not
	TimeMS     float64       `json:"time_ms"`
	LeavesPerS float64       `json:"leaves_per_s"`
	NodesPerS  float64       `json:"nodes_per_s"`
	Branches   []perftBranch `json:"moves,omitempty"`
}

type perftBranch struct {
	Move   string `json:"move"`
	Leaves uint64 `json:"leaves"`
}

func newPerftReport(v engine.Variant, pos game.Position, depth int, r *perft.Result) *perftReport {
	report := &perftReport{
		Game: v.Game, Rule: v.Rule(), Size: v.Size, ToMove: pos.ToMove().String(), Depth: depth,
		Leaves: r.Leaves, Nodes: r.Nodes, TimeMS: milliseconds(r.Elapsed),
	}
	if s := r.Elapsed.Seconds(); s > 0 {
		report.LeavesPerS, report.NodesPerS = float64(r.Leaves)/s, float64(r.Nodes)/s
	}
	for _, b := range r.Branches {
		report.Branches = append(report.Branches, perftBranch{v.Notation().FormatMove(b.Move), b.Leaves})
	}
	return report
}

func (r *perftReport) text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, b := range r.Branches {
		fmt.Fprintf(t, "%s\t%d\n", b.Move, b.Leaves)
	}
	t.Flush()
	fmt.Fprintf(w, "perft %d: %d\n", r.Depth, r.Leaves)
	fmt.Fprintf(w, "%.0f ms, %.0f leaves/s; %d nodes, %.0f nodes/s\n", r.TimeMS, r.LeavesPerS, r.Nodes, r.NodesPerS)
}
