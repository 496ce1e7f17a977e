package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/internal/tactics"
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
		Example: "  carozero tactics\n  carozero tactics --suite long --each",
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
	addNum(cmd, &nodes, option.Nodes.With(2_000_000, "most moves that the solver plays on a problem"))
	cmd.Flags().StringVar(&file, "suite", "", "file of problems, or long for the long wins that ship with the program (default: the suite that ships with it)")
	cmd.Flags().BoolVar(&each, "each", false, "show every problem in a row of its own")
	cmd.AddCommand(newTacticsMCTS())
	return cmd
}

func readTactics(path string) ([]tactics.Problem, error) {
	switch path {
	case "":
		return tactics.Suite()
	case "long":
		return tactics.Long()
	}
	f, err := disk.Open(path)
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

// suiteCommand is the state of "tactics mcts".
type suiteCommand struct {
	net      netFlags
	output   outputFlags
	file     string
	playouts int
	nodes    games.SolverNodes
	least    float64
	skip     bool
}

// newTacticsMCTS returns the command "tactics mcts".
func newTacticsMCTS() *cobra.Command {
	c := &suiteCommand{}
	cmd := &cobra.Command{
		Use:   "mcts",
		Short: "Let the tree search play the suite, with its solvers and without",
		Long: `Let the tree search play the problems of the suite that have a win within 15
plies, and the positions in which exactly one move holds, with its solvers and
without. The exit status is 3 if, with them, it finds less than --least percent
of either.`,
		Example: "  carozero tactics mcts --playouts 800",
		Args:    noArgs,
		RunE:    c.run,
	}
	c.net.register(cmd)
	c.output.register(cmd)
	fs := cmd.Flags()
	addNum(cmd, &c.playouts, option.Playouts.With(800, "playouts of a search"))
	c.nodes = games.DefaultSolvers()
	c.nodes.Root = rootSolver
	addSettings(cmd, games.SolverSettings, &c.nodes, "")
	addNum(cmd, &c.least, option.Percentage.With(99, "percentage below which the exit status is 3"))
	fs.BoolVar(&c.skip, "skip-without", false, "leave out the searches without solvers, which take most of the time")
	fs.StringVar(&c.file, "suite", "", "file of problems (default: the suite that ships with the program)")
	return cmd
}

func (c *suiteCommand) run(cmd *cobra.Command, _ []string) error {
	problems, err := readTactics(c.file)
	if err != nil {
		return err
	}
	holds, err := tactics.Holds()
	if err != nil {
		return err
	}
	loader := c.net.loader()
	r := report.TacticsMoves{Playouts: c.playouts, Nodes: c.nodes}
	runs := []games.SolverNodes{c.nodes, {}}
	if c.skip {
		runs = runs[:1]
	}
	for i, n := range runs {
		s := search.SuiteTree{Loader: loader, Model: c.net.model, Solvers: n, Playouts: c.playouts}
		score, missed, err := tactics.RunMoves(cmd.Context(), problems, holds, tactics.JudgeNodes, func(rule string, size int, pos game.Position) (tactics.Choice, error) {
			return tactics.ChoiceOf(s.Think(cmd.Context(), rule, size, pos))
		})
		if i == 0 && err == nil {
			r.Nodes = s.Used()
		}
		_ = s.Close()
		if err != nil {
			return interrupted(err, "a part of the suite says nothing; nothing is kept")
		}
		if i == 0 {
			r.With, r.Missed = score, missed
		} else {
			r.Without = &score
		}
	}
	share := 100 * r.With.Least()
	return found(c.output.print(cmd, r), share < c.least, "tactics: %.1f%% found, want %g%%", share, c.least)
}
