package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/tactics"
	"github.com/carozero/carozero/internal/think"
)

// newTacticsMCTS returns the command "tactics mcts".
func newTacticsMCTS() *cobra.Command {
	var (
		net      netFlags
		output   outputFlags
		file     string
		playouts int
		nodes    engine.SolverNodes
		least    float64
		skip     bool
	)
	cmd := &cobra.Command{
		Use:   "mcts",
		Short: "Let the tree search play the suite, with its solvers and without",
		Long: `Let the tree search play the problems of the suite that have a win within 15
plies, and the positions in which exactly one move holds, with its solvers and
without. The exit status is 3 if, with them, it finds less than --least percent
of either.`,
		Example: "  carozero tactics mcts --playouts 800",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			problems, err := readTactics(file)
			if err != nil {
				return err
			}
			holds, err := tactics.Holds()
			if err != nil {
				return err
			}
			loader, err := net.loader()
			if err != nil {
				return err
			}
			var report tacticsMoves
			runs := []engine.SolverNodes{nodes, {}}
			if skip {
				runs = runs[:1]
			}
			for i, n := range runs {
				s := suiteSearch{loader: loader, model: net.model, nodes: n, playouts: playouts}
				score, missed, err := tactics.RunMoves(cmd.Context(), problems, holds, judgeNodes, func(b *gomoku.Board) (tactics.Choice, error) {
					return s.choose(cmd.Context(), b)
				})
				s.close()
				if err != nil {
					return interrupted(err, "a part of the suite says nothing; nothing is kept")
				}
				if i == 0 {
					report.With, report.Missed = score, missed
				} else {
					report.Without = &score
				}
			}
			report.Playouts, report.Nodes = playouts, nodes
			err = output.print(cmd.OutOrStdout(), report, report.text)
			if share := report.With.Least(); err == nil && 100*share < least {
				err = fmt.Errorf("tactics: %.1f%% found, want %g%%%w", 100*share, least, errFound)
			}
			return err
		},
	}
	net.register(cmd)
	output.register(cmd)
	fs := cmd.Flags()
	addInt(cmd, &playouts, option.Playouts.With(800, "playouts of a search"))
	addInt(cmd, &nodes.Leaf, option.SolverNodes.With(500, "budget of the solver at each leaf"))
	addInt(cmd, &nodes.Root, option.SolverNodes.Named("root-nodes").With(60_000, "budget of each solver at the root"))
	addInt(cmd, &nodes.Defences, option.SolverNodes.Named("parry-nodes").With(500, "budget of the solver after each move of the root"))
	addFloat(cmd, &least, option.Percentage.With(99, "percentage below which the exit status is 3"))
	fs.BoolVar(&skip, "skip-without", false, "leave out the searches without solvers, which take most of the time")
	fs.StringVar(&file, "suite", "", "file of problems (default: the suite that ships with the program)")
	return cmd
}

// judgeNodes is the budget of the judge of moves, for a reply.
const judgeNodes = 200_000

// suiteSearch searches positions of any rule set, one network at a time.
type suiteSearch struct {
	loader   *engine.Loader
	model    string
	nodes    engine.SolverNodes
	playouts int

	rule   string
	size   int
	net    *engine.Net
	engine *engine.Tree
}

// choose returns the search's move on b.
func (s *suiteSearch) choose(ctx context.Context, b *gomoku.Board) (tactics.Choice, error) {
	if err := s.open(b); err != nil {
		return tactics.Choice{}, err
	}
	a, err := think.Complete(ctx, s.engine, b, think.Limits{Nodes: int64(s.playouts)})
	if err != nil {
		return tactics.Choice{}, err
	}
	return tactics.Choice{Move: a.Move, Playouts: int(a.Stats.Nodes), SolverNodes: int(a.Stats.SolverNodes)}, nil
}

// open makes ready for a board's rule set and size.
func (s *suiteSearch) open(b *gomoku.Board) error {
	if s.net != nil && s.rule == b.Rules().Name && s.size == b.Size() {
		return nil
	}
	s.close()
	v, err := engine.NewVariant(engine.VariantOptions{Rule: b.Rules().Name, Size: b.Size()})
	if err != nil {
		return err
	}
	if s.net, err = s.loader.Open(v, s.model); err != nil {
		return err
	}
	s.rule, s.size = v.Rule(), v.Size
	s.engine, err = engine.NewTree(s.net, engine.TreeOptions{Solvers: s.nodes, Eval: engine.EvalOptions{Seed: 1}})
	return err
}

// close frees the network.
func (s *suiteSearch) close() {
	if s.net != nil {
		_ = s.net.Close()
		s.net = nil
	}
}

// tacticsMoves is the report of "tactics mcts".
type tacticsMoves struct {
	Playouts int                `json:"playouts"`
	Nodes    engine.SolverNodes `json:"solver_nodes"`
	With     tactics.MoveScore  `json:"with_solvers"`
	Without  *tactics.MoveScore `json:"without_solvers,omitempty"`
	Missed   []string           `json:"missed"` // with solvers
}

func (r tacticsMoves) text(w io.Writer) {
	row := func(name string, s tactics.MoveScore) {
		fmt.Fprintf(w, "%s: won %d of %d, held %d of %d; %.0f playouts, %.0f solver nodes at the root (at most %d)\n",
			name, s.Won, s.Wins, s.Held, s.Holds, s.Playouts, s.Solver, s.SolverMost)
	}
	row("with solvers", r.With)
	if r.Without != nil {
		row("without", *r.Without)
	}
	for _, m := range r.Missed {
		fmt.Fprintln(w, "missed:", m)
	}
}
