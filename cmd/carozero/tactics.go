package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/front/tactics"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/option"
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
			r := report.NewTactics(scores, answers, each)
			return found(output.print(cmd, r), len(r.Missed) > 0, "tactics: %d problems are not solved", len(r.Missed))
		},
	}
	output.register(cmd)
	addNum(cmd, &nodes, option.Nodes.With(2_000_000, "most moves that the solver plays on a problem"))
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
	f, err := limitio.Open(path)
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

func newTacticsFind() *cobra.Command {
	var (
		variant variantFlags
		finder  tactics.Finder
	)
	cmd := &cobra.Command{
		Use:   "find PATH...",
		Short: "Find problems in recorded games and print them",
		Long: `Find problems in the games of runs, shards, SGF, psq and lib files and lists of
positions (--rule and --size say of what rules those are that don't tell):
positions with a forced win, which is played against every legal defence before
it is believed, and positions whose search for one was exhausted. Problems are
printed a line each, in the form that --suite reads.`,
		Example: "  carozero tactics find runs/one runs/two --wins 5 --nones 2 > problems.txt",
		Args:    someArgs("runs, shards, or files of games"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			err = eachRecord(cmd.Context(), args, v, func(v games.Variant, moves []game.Move) error {
				rules, _ := v.Gomoku()
				return finder.Game(cmd.Context(), rules, v.Size, moves)
			})
			for _, p := range finder.Found() {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			return interrupted(err, "the %d problems found until then were printed; a new run begins at the first game", len(finder.Found()))
		},
	}
	variant.register(cmd)
	addNum(cmd, &finder.Nodes, option.Nodes.With(200_000, "most moves that the solver plays on a position"))
	addNum(cmd, &finder.MinPlies, option.OpeningPlies.Named("min-plies").With(5, "shortest win that is worth keeping").Above(1))
	addNum(cmd, &finder.Wins, option.Count.Named("wins").With(5, "wins to keep per rule set, size and kind").ZeroMeans("none"))
	addNum(cmd, &finder.Nones, option.Count.Named("nones").With(2, "positions without a win to keep per rule set, size and kind").ZeroMeans("none"))
	return cmd
}

// boardFlags are the flags of a command that runs over random dense boards.
type boardFlags struct {
	rule  string
	size  int
	count int
	seed  uint64
}

func (f *boardFlags) register(cmd *cobra.Command, count int64) {
	cmd.Flags().StringVar(&f.rule, "rule", "", "rule set: "+strings.Join(games.RuleNames(), ", ")+" (default: each)")
	addNum(cmd, &f.size, option.BoardSize.With(0, "side length of the boards").ZeroMeans("15, under school42 19"))
	addNum(cmd, &f.count, option.Games.Named("boards").With(count, "boards of each rule set"))
	addNum(cmd, &f.seed, option.RandomSeed)
	complete(cmd, "rule", games.RuleNames()...)
}

// rules returns the names of the rule sets to run over.
func (f *boardFlags) rules() []string {
	if f.rule != "" {
		return []string{f.rule}
	}
	return games.RuleNames()
}

// variant returns a rule set on boards of the size.
func (f *boardFlags) variant(rule string) (games.Variant, error) {
	size := f.size
	if size == 0 {
		size = tactics.BoardSize(rule)
	}
	v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: size})
	if err != nil {
		return v, usagef("--rule, --size: %w", err)
	}
	return v, nil
}

// dense returns the boards of a variant.
func (f *boardFlags) dense(v games.Variant) *tactics.Dense {
	rules, _ := v.Gomoku()
	return &tactics.Dense{Rules: rules, Size: v.Size, Seed: f.seed}
}

// claimsCommand is the state of "tactics claims".
type claimsCommand struct {
	output  outputFlags
	boards  boardFlags
	nodes   int64
	judge   int
	noProof bool
}

// newTacticsClaims returns the command "tactics claims".
func newTacticsClaims() *cobra.Command {
	c := &claimsCommand{}
	cmd := &cobra.Command{
		Use:   "claims",
		Short: "Count claims of the classical search that a proof speaks against",
		Long: `Let the classical search look at random dense boards, and hold every win and
loss that it claims against the solver of forced wins. The exit status is 3 if a
claim is contradicted.`,
		Example: "  carozero tactics claims --rule school42 --boards 2000 --nodes 20000",
		Args:    noArgs,
		RunE:    c.run,
	}
	c.output.register(cmd)
	fs := cmd.Flags()
	c.boards.register(cmd, 2000)
	addNum(cmd, &c.nodes, option.Nodes.With(5_000, "moves that a search plays at most"))
	addNum(cmd, &c.judge, option.Nodes.Named("judge-nodes").With(20_000, "most moves that the solver plays for a proof"))
	fs.BoolVar(&c.noProof, "no-proof", false, "without the solver that stands beside the search")
	return cmd
}

func (c *claimsCommand) run(cmd *cobra.Command, _ []string) error {
	rules := c.boards.rules()
	r := report.Claims{Seed: c.boards.seed, Nodes: c.nodes, Wrong: []string{}}
	for _, rule := range rules {
		score, wrong, err := c.count(cmd.Context(), rule)
		if err != nil {
			return interrupted(err, "%d of %d rule sets were complete; nothing is kept", len(r.Rows), len(rules))
		}
		r.Rows, r.Wrong = append(r.Rows, score), append(r.Wrong, wrong...)
	}
	return found(c.output.print(cmd, r), len(r.Wrong) > 0, "tactics: %d claims are contradicted", len(r.Wrong))
}

// count searches the boards of one rule set and counts the claims.
func (c *claimsCommand) count(ctx context.Context, rule string) (s tactics.ClaimScore, wrong []string, err error) {
	v, err := c.boards.variant(rule)
	if err != nil {
		return s, nil, err
	}
	ask, err := claimant(ctx, v, alphabeta.Options{TableMiB: 16}, c.noProof, c.nodes, c.boards.seed)
	if err != nil {
		return s, nil, err
	}
	return tactics.RunClaims(ctx, c.boards.dense(v), c.boards.count, c.judge, ask)
}

// claimant returns a function that searches a board with an empty table.
func claimant(ctx context.Context, v games.Variant, o alphabeta.Options, noProof bool, nodes int64, seed uint64) (func(game.Position) (tactics.Claim, error), error) {
	var proof search.ProofNodes
	if noProof {
		proof = search.ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off}
	}
	c, err := search.NewClassical(v, search.ClassicalOptions{Search: o, Proof: proof})
	if err != nil {
		return nil, err
	}
	return func(pos game.Position) (tactics.Claim, error) {
		c.Forget()
		a, err := engine.Complete(ctx, c, pos, engine.Limits{Nodes: nodes, Seed: seed})
		if err != nil {
			return tactics.Claim{}, err
		}
		return tactics.Claim{Move: a.Move, Plies: a.Proof.Signed()}, nil
	}, nil
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
