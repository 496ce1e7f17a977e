package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/front/tactics"
	"github.com/carozero/carozero/internal/support/option"
)

// denseCommand is the state of "tactics dense".
type denseCommand struct {
	net        netFlags
	output     outputFlags
	engine     string
	boards     boardFlags
	nodes      int64
	playouts   int
	solvers    games.SolverNodes
	techniques techniquesFlag
	noProof    bool
	least      float64
	exhaustive bool
	show       bool
}

// newTacticsDense returns the command "tactics dense".
func newTacticsDense() *cobra.Command {
	d := &denseCommand{}
	cmd := &cobra.Command{
		Use:   "dense",
		Short: "Let the engines play random dense boards with short wins",
		Long: `Let the classical search and the tree search play random dense boards on which
the side to move has a forced win in three or five plies, which was played
against every defence. A move counts if it is proven to win, whether or not it
is the proof's. The exit status is 3 if an engine finds less than --least
percent under any rule set.`,
		Example: "  carozero tactics dense --rule school42 --boards 100 --seed 1\n  carozero tactics dense --engine alphabeta --json",
		Args:    noArgs,
		RunE:    d.run,
	}
	d.net.register(cmd)
	d.output.register(cmd)
	fs := cmd.Flags()
	addWord(cmd, &d.engine, "engine", "", "what plays: alphabeta or mcts (default: one after the other)", engineAlphaBeta, engineMCTS)
	d.boards.register(cmd, 100)
	addNum(cmd, &d.nodes, option.Nodes.With(20_000, "alphabeta: moves that a search plays at most"))
	addNum(cmd, &d.playouts, option.Playouts.With(400, "mcts: playouts of a search"))
	d.solvers = games.DefaultSolvers()
	d.solvers.Root = rootSolver
	addSettings(cmd, games.SolverSettings, &d.solvers, "mcts")
	d.techniques.register(cmd)
	fs.BoolVar(&d.noProof, "no-proof", false, "alphabeta: without the solver that stands beside the search")
	addNum(cmd, &d.least, option.Percentage.With(99, "percentage below which the exit status is 3"))
	fs.BoolVar(&d.exhaustive, "exhaustive", false, "under school42 take wins of five plies that no solver sees, too; seconds a board")
	fs.BoolVar(&d.show, "show", false, "show the boards that were missed")
	return cmd
}

func (d *denseCommand) run(cmd *cobra.Command, _ []string) error {
	rules := d.boards.rules()
	var r report.Dense
	least := 100.0
	for _, name := range []string{engineAlphaBeta, engineMCTS} {
		if d.engine != "" && d.engine != name {
			continue
		}
		for _, rule := range rules {
			row, err := d.play(cmd.Context(), name, rule)
			if err != nil {
				return interrupted(err, "%d of the rows were complete; nothing is kept", len(r.Rows))
			}
			r.Rows = append(r.Rows, row)
			least = min(least, 100*float64(row.Won)/float64(row.Boards))
		}
	}
	r.Seed, r.Nodes, r.Playouts = d.boards.seed, d.nodes, d.playouts
	return found(d.output.print(cmd, r), least < d.least, "tactics: %.1f%% found, want %g%%", least, d.least)
}

// play has an engine play the boards of one rule set.
func (d *denseCommand) play(ctx context.Context, name, rule string) (row report.DenseRow, err error) {
	v, err := d.boards.variant(rule)
	if err != nil {
		return row, err
	}
	choose, done, err := d.engineFor(ctx, name, v)
	if err != nil {
		return row, err
	}
	defer done()
	boards := d.boards.dense(v)
	boards.Exhaustive = d.exhaustive
	score, missed, err := tactics.RunDense(ctx, boards, d.boards.count, denseJudge, choose)
	row = report.DenseRow{Engine: name, DenseScore: score, Missed: []string{}}
	if d.show {
		for _, m := range missed {
			row.Missed = append(row.Missed, m.String())
		}
	}
	return row, err
}

// denseJudge is the budget of the judge of moves, for a reply.
const denseJudge = 20_000

// engineFor returns a function that asks an engine for its move, and one that frees it.
func (d *denseCommand) engineFor(ctx context.Context, name string, v games.Variant) (choose func(game.Position) (tactics.Choice, error), done func(), err error) {
	if name == engineMCTS {
		loader := d.net.loader()
		s := &search.SuiteTree{Loader: loader, Model: d.net.model, Solvers: d.solvers, Playouts: d.playouts}
		return func(pos game.Position) (tactics.Choice, error) {
			return tactics.ChoiceOf(s.Think(ctx, v.Rule(), v.Size, pos))
		}, func() { _ = s.Close() }, nil
	}
	options := alphabeta.Options{TableMiB: 16}
	if err := d.techniques.set(&options); err != nil {
		return nil, nil, err
	}
	ask, err := claimant(ctx, v, options, d.noProof, d.nodes, d.boards.seed)
	if err != nil {
		return nil, nil, err
	}
	return func(pos game.Position) (tactics.Choice, error) {
		c, err := ask(pos)
		return tactics.Choice{Move: c.Move}, err
	}, func() {}, nil
}
