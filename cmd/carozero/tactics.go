package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/bounded"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/tactics"
	"github.com/carozero/carozero/selfplay/samples"
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
			report := newTacticsReport(scores, answers, each)
			err = output.print(cmd.OutOrStdout(), report, report.text)
			if missed := len(report.Missed); err == nil && missed > 0 {
				err = fmt.Errorf("tactics: %d problems are not solved%w", missed, errFound)
			}
			return err
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
	f, err := bounded.Open(path)
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

type tacticsReport struct {
	Scores []tactics.Score `json:"scores"`
	Missed []string        `json:"missed"`
	Each   []tacticsAnswer `json:"each,omitempty"`
}

// tacticsAnswer is the answer to one problem.
type tacticsAnswer struct {
	Rule    string  `json:"rule"`
	Size    int     `json:"size"`
	Kind    string  `json:"kind"`
	Result  string  `json:"result"`
	Plies   int     `json:"plies"`
	Nodes   int     `json:"nodes"`
	Seconds float64 `json:"seconds"`
}

func newTacticsReport(scores []tactics.Score, answers []tactics.Answer, each bool) tacticsReport {
	r := tacticsReport{Scores: scores, Missed: []string{}}
	for _, a := range answers {
		p := a.Problem
		if !a.Solved() {
			r.Missed = append(r.Missed, p.String())
		}
		if each {
			r.Each = append(r.Each, tacticsAnswer{p.Rule, p.Size, p.Kind.String(), a.Outcome.String(), a.Plies, a.Nodes, a.Seconds})
		}
	}
	return r
}

func (r tacticsReport) text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(r.Each) > 0 {
		fmt.Fprintln(t, "rule\tsize\tkind\tresult\tplies\tnodes\tms\t")
		for _, a := range r.Each {
			fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%d\t%d\t%.1f\t\n", a.Rule, a.Size, a.Kind, a.Result, a.Plies, a.Nodes, 1000*a.Seconds)
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	fmt.Fprintln(t, "rule\tproblems\twins\tsolved\tnodes\tms\tM nodes/s\t")
	var sum tactics.Score
	for _, s := range r.Scores {
		tacticsRow(t, s.Rule, s)
		sum.Problems += s.Problems
		sum.Wins += s.Wins
		sum.Solved += s.Solved
		sum.Nodes += s.Nodes
		sum.Seconds += s.Seconds
	}
	tacticsRow(t, "all", sum)
	t.Flush()
	for _, m := range r.Missed {
		fmt.Fprintln(w, "missed:", m)
	}
}

func tacticsRow(w io.Writer, name string, s tactics.Score) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.1f\t%.2f\t\n", name, s.Problems, s.Wins, s.Solved, s.Nodes, 1000*s.Seconds, perSecond(s.Nodes, time.Duration(s.Seconds*1e9))/1e6)
}

func newTacticsFind() *cobra.Command {
	var finder tactics.Finder
	cmd := &cobra.Command{
		Use:   "find PATH...",
		Short: "Find problems in the games of sample shards and print them",
		Long: `Find problems in the games of sample shards: positions with a forced win, which
is played against every legal defence before it is believed, and positions
whose search for one was exhausted. Problems are printed a line each, in the
form that --suite reads.`,
		Example: "  carozero tactics find runs/one runs/two --wins 5 --nones 2 > problems.txt",
		Args:    someArgs("runs' directories or shards' files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := findTactics(cmd.Context(), &finder, args)
			for _, p := range finder.Found() {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			return interrupted(err, "the %d problems found until then were printed; a new run begins at the first game", len(finder.Found()))
		},
	}
	addInt(cmd, &finder.Nodes, option.Nodes.With(200_000, "most moves that the solver plays on a position"))
	addInt(cmd, &finder.MinPlies, option.OpeningPlies.Named("min-plies").With(5, "shortest win that is worth keeping").Above(1))
	addInt(cmd, &finder.Wins, option.Count.Named("wins").With(5, "wins to keep per rule set, size and kind").Or0("none"))
	addInt(cmd, &finder.Nones, option.Count.Named("nones").With(2, "positions without a win to keep per rule set, size and kind").Or0("none"))
	return cmd
}

// findTactics looks through every game of the shards.
func findTactics(ctx context.Context, finder *tactics.Finder, paths []string) error {
	for _, path := range paths {
		files, err := samples.ShardPaths(samples.Disk{}, path)
		if err != nil {
			return err
		}
		for _, file := range files {
			shard, err := samples.ReadFile(samples.Disk{}, file)
			if err != nil {
				return err
			}
			v, err := engine.SampleVariant(&shard.Header)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			rules, ok := v.Gomoku()
			if !ok {
				return fmt.Errorf("%s: games of %s, want gomoku", file, v.Game)
			}
			for _, g := range shard.Header.Games {
				_, moves, err := v.ParseGame(g.Moves)
				if err != nil {
					return fmt.Errorf("%s: game %d: %w", file, g.ID, err)
				}
				if err := finder.Game(ctx, rules, v.Size, moves); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// perSecond returns a rate, 0 if no time passed.
func perSecond(n int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
