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

// tacticsCommand holds the flags of the command "tactics".
type tacticsCommand struct {
	net      netFlags
	file     string
	each     bool
	most     int // moves of the solvers
	playouts int // 0: the solvers alone
	solvers  games.SolverNodes
	least    float64
	skip     bool
}

// newTactics returns the command "tactics".
func newTactics() *cobra.Command {
	var f tacticsCommand
	return define(&cobra.Command{
		Use:   "tactics",
		Short: "Solve the suite of proven positions, per rule set",
		Long: `Solve the suite of positions whose forced wins, or lack of them, are proven, and
show solved problems, nodes and time per rule set, or of each problem. The exit
status is 3 if a problem is not solved as proven.

With --playouts the tree search plays the problems that have a win within 15 plies, and
the positions in which exactly one move holds, with its solvers and without. The exit
status is 3 if, with them, it finds less than --least percent of either.`,
		Example: "  carozero tactics\n  carozero tactics --suite long --each\n  carozero tactics --playouts 800",
	}, f.run, f.net.register, f.register)
}

func (f *tacticsCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.file, "suite", "",
		"file of problems, or long for the long wins that ship with the program (default: the suite that ships with it)")
	addNum(cmd, &f.most, option.Nodes.With(2_000_000, "most moves that the solver plays on a problem"))
	fs.BoolVar(&f.each, "each", false, "show every problem in a row of its own")
	addNum(cmd, &f.playouts, option.Playouts.With(0, "playouts of the tree search, as 800").ZeroMeans("the solvers alone"))
	f.solvers = games.DefaultSolvers()
	f.solvers.Root = rootSolver
	addSettings(cmd, games.SolverSettings, &f.solvers, "")
	addNum(cmd, &f.least, option.Percentage.With(99, "tree search: percentage below which the exit status is 3"))
	fs.BoolVar(&f.skip, "skip-without", false,
		"tree search: leave out the searches without solvers, which take most of the time")
}

func (f *tacticsCommand) run(cmd *cobra.Command, _ []string) (report.Report, error) {
	problems, err := readTactics(f.file)
	if err != nil {
		return nil, err
	}
	if f.playouts > 0 {
		return f.search(cmd, problems)
	}
	scores, answers, err := tactics.Run(cmd.Context(), problems, f.most, time.Now)
	if err != nil {
		return nil, interrupted(err, "a part of the suite says nothing; nothing is kept")
	}
	r := report.NewTactics(scores, answers, f.each)
	return r, found(len(r.Missed) > 0, "tactics: %d problems are not solved", len(r.Missed))
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

// search lets the tree search play the problems.
func (f *tacticsCommand) search(cmd *cobra.Command, problems []tactics.Problem) (report.Report, error) {
	holds, err := tactics.Holds()
	if err != nil {
		return nil, err
	}
	loader := f.net.loader()
	r := report.TacticsMoves{Playouts: f.playouts, Nodes: f.solvers}
	runs := []games.SolverNodes{f.solvers, {}}
	if f.skip {
		runs = runs[:1]
	}
	for i, n := range runs {
		s := search.SuiteTree{Loader: loader, Model: f.net.model, Solvers: n, Playouts: f.playouts}
		score, missed, err := tactics.RunMoves(cmd.Context(), problems, holds, tactics.JudgeNodes,
			func(rule string, size int, pos game.Position) (tactics.Choice, error) {
				return tactics.ChoiceOf(s.Think(cmd.Context(), rule, size, pos))
			})
		if i == 0 && err == nil {
			r.Nodes = s.Used()
		}
		_ = s.Close()
		if err != nil {
			return nil, interrupted(err, "a part of the suite says nothing; nothing is kept")
		}
		if i == 0 {
			r.With, r.Missed = score, missed
		} else {
			r.Without = &score
		}
	}
	share := 100 * r.With.Least()
	return r, found(share < f.least, "tactics: %.1f%% found, want %g%%", share, f.least)
}
