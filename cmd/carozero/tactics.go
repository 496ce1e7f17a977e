package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/tactics"
)

// tacticsCommand holds the flags of the command "tactics".
type tacticsCommand struct {
	file string
	each bool
	most int // moves of the solvers
}

// newTactics returns the command "tactics".
func newTactics() *cobra.Command {
	var f tacticsCommand
	return define(&cobra.Command{
		Use:   "tactics",
		Short: "Solve the suite of proven positions, per rule set",
		Long: `Solve the suite of positions whose forced wins, or lack of them, are proven, and
show solved problems, nodes and time per rule set, or of each problem. The exit
status is 3 if a problem is not solved as proven.`,
		Example: "  carozero tactics\n  carozero tactics --suite long --each",
	}, f.run, f.register)
}

func (f *tacticsCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.file, "suite", "",
		"file of problems, or long for the long wins that ship with the program (default: the suite that ships with it)")
	addNum(cmd, &f.most, option.Nodes.With(2_000_000, "most moves that the solver plays on a problem"))
	fs.BoolVar(&f.each, "each", false, "show every problem in a row of its own")
}

func (f *tacticsCommand) run(cmd *cobra.Command, _ []string) (report.Report, error) {
	problems, err := readTactics(f.file)
	if err != nil {
		return nil, err
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
