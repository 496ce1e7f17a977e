package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/bounded"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
)

// analysisCommand holds the flags of the command "analysis".
type analysisCommand struct {
	variant                  variantFlags
	net                      netFlags
	opts                     analysis.Options
	solvers                  engine.SolverNodes
	inFlight, memory, table  int
	engine, dialect, as      string
	config                   string
	quit, unwarned, showForm bool
}

// newAnalysis returns the command "analysis".
func newAnalysis() *cobra.Command {
	var a analysisCommand
	cmd := &cobra.Command{
		Use:   "analysis",
		Short: "Analyse many positions at once: JSON lines in, JSON lines out",
		Long: `Answer queries on standard input, JSON objects one a line, on standard output,
with the fields of KataGo's analysis engine. Queries name rules, size, moves and
the turns to analyse; answers come as they are found, exactly one final one a
turn. When the input ends, what was asked is finished first, or dropped with
--quit-without-waiting; an interrupt drops it.

With --dialect katago points and win rates are as KataGo writes them, and flags
may have a single dash, so that tools written for it need nothing but names of
rules. The other flags are defaults, for what a query leaves open.

docs/analysis.md describes the messages, and --schema prints their JSON Schema.`,
		Example: `  echo '{"id":"a","moves":[["B","h8"],["W","i9"]],"maxVisits":200}' | carozero analysis
  carozero analysis --engine both --max-visits 400 --max-nodes 100000 <queries.jsonl >answers.jsonl
  carozero analysis --dialect katago --report-winrates-as BLACK
  carozero analysis --schema >schema.json`,
		Args: noArgs,
		RunE: a.run,
	}
	a.variant.register(cmd)
	fs, o := cmd.Flags(), &a.opts
	fs.StringVar(&a.net.model, "model", "", "network: a shipped name, a path, or 'uniform' (default: the shipped net that suits the rule and size best)")
	a.net.registerRuntime(cmd)
	solvers := engine.DefaultSolvers()
	fs.StringVar(&a.engine, "engine", engineMCTS, "what analyses: mcts, alphabeta, or both")
	addInt(cmd, &o.MaxVisits, option.Visits.Named("max-visits").With(800, "mcts: visits of a position"))
	addInt(cmd, &o.MaxNodes, option.Nodes.Named("max-nodes").With(200_000, "alphabeta: moves that the search of a position plays at most"))
	addInt(cmd, &o.PVLength, option.Count.Named("pv-length").With(15, "moves of a line that are shown beside the first"))
	addInt(cmd, &a.inFlight, option.InFlight.With(0, "mcts: playouts under way at once; part of the algorithm: changes the tree; 2 by default"))
	addInt(cmd, &a.memory, option.TreeMemory.With(512, "mcts: bound on the memory of each search tree"))
	addInt(cmd, &a.solvers.Leaf, option.SolverNodes.With(int64(solvers.Leaf), "mcts: budget of the solver of continuous fours at each leaf"))
	addInt(cmd, &a.solvers.Root, option.SolverNodes.Named("root-solver-nodes").With(int64(solvers.Root), "mcts: budget of the solvers of forced wins at the root"))
	addInt(cmd, &a.solvers.Defences, option.SolverNodes.Named("parry-nodes").With(int64(solvers.Defences), "mcts: budget of the solver of the opponent's fours after each move of the root"))
	addInt(cmd, &a.table, option.Table.With(defaultTableMiB, "alphabeta: size of each transposition table"))
	addInt(cmd, &o.Workers, option.Workers.Named("analysis-threads").With(int64(runtime.NumCPU()), "positions at once; changes no final answer"))
	addInt(cmd, &o.CacheMiB, option.Cache.With(128, "memory of the cache of network results; changes no answer"))
	addInt(cmd, &o.Limits.Tasks, option.Count.Named("max-queue").With(100_000, "positions that may wait"))
	addSeed(cmd, &o.Seed, option.RandomSeed)
	fs.StringVar(&a.dialect, "dialect", "native", "how points and win rates are written: native (h8, for the side to move) or katago (H8 without the letter I, for Black)")
	fs.StringVar(&a.as, "report-winrates-as", "", "side whose win rates are shown: BLACK, WHITE or SIDETOMOVE (default: the dialect's)")
	fs.StringVar(&a.config, "config", "", "configuration file of KataGo's analysis engine, of which a few settings are read")
	fs.BoolVar(&a.quit, "quit-without-waiting", false, "drop open queries when the input ends")
	fs.BoolVar(&a.unwarned, "no-warnings", false, "no warnings about unknown fields and settings")
	fs.BoolVar(&a.showForm, "schema", false, "print the JSON Schema of the messages and end")
	complete(cmd, "engine", engineMCTS, engineAlphaBeta, string(analysis.Both))
	complete(cmd, "dialect", "native", string(analysis.KataGo))
	complete(cmd, "report-winrates-as", string(analysis.AsBlack), string(analysis.AsWhite), string(analysis.SideToMove))
	return cmd
}

func (a *analysisCommand) run(cmd *cobra.Command, _ []string) (err error) {
	if a.showForm {
		_, err := cmd.OutOrStdout().Write(analysis.Schema())
		return err
	}
	if err := a.finish(cmd); err != nil {
		return err
	}
	loader, err := a.net.loader()
	if err != nil {
		return err
	}
	nets := engine.NewNets(loader, a.net.model)
	defer func() { err = errors.Join(err, nets.Close()) }()
	service, err := analysis.New(nets, a.opts)
	if err != nil {
		return asUsage(err)
	}
	end := analysis.Finish
	if a.quit {
		end = analysis.Quit
	}
	err = service.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), end)
	if errors.Is(err, analysis.ErrInterrupted) {
		return interrupted(err, "%s", strings.TrimPrefix(strings.TrimSuffix(err.Error(), ": context canceled"), "interrupted: "))
	}
	return err
}

// finish checks the flags and makes them options.
func (a *analysisCommand) finish(cmd *cobra.Command) error {
	v, err := a.variant.variant()
	if err != nil {
		return err
	}
	o := &a.opts
	o.Game, o.Rules, o.Size, o.OpenRule = v.Game, v.Rule(), v.Size, v.OpenRule
	if err := a.configure(cmd); err != nil {
		return err
	}
	name, ok := analysis.ParseEngine(a.engine)
	if !ok {
		return usagef("--engine %q: want mcts, alphabeta or both", a.engine)
	}
	o.Engine = name
	if o.Dialect, err = analysis.ParseDialect(a.dialect); err != nil {
		return usagef("--dialect: %w", err)
	}
	if a.as != "" {
		if o.WinratesAs, err = analysis.ParsePerspective(a.as); err != nil {
			return usagef("--report-winrates-as: %w", err)
		}
	}
	o.Tree = fmt.Sprintf("memory=%d,solver=%d,vct=%d,parries=%d", a.memory, a.solvers.Leaf, a.solvers.Root, a.solvers.Defences)
	if a.inFlight > 0 {
		o.Tree += fmt.Sprintf(",in-flight=%d", a.inFlight)
	}
	o.Classical = fmt.Sprintf("table=%d", a.table)
	o.Unwarned = o.Unwarned || a.unwarned
	o.Version, o.Commit = version, commit
	var m option.Memory
	if name != analysis.AlphaBeta {
		m.Add(fmt.Sprintf("--analysis-threads %d, --memory %d", o.Workers, a.memory), v.TreeBytes(0, a.memory), o.Workers)
		m.Add("", v.RowBytes(), engine.MaxInFlight, o.Workers)
	}
	if name != analysis.MCTS {
		m.Add(fmt.Sprintf("--analysis-threads %d, --table %d", o.Workers, a.table), engine.ClassicalBytes(1, a.table), o.Workers)
	}
	addCache(&m, o.CacheMiB)
	return checkMemory(&m)
}

// longestConfig bounds what is read of a configuration file, in bytes.
const longestConfig = 1 << 20

// configure reads the configuration file, whose settings stand behind flags that
// were given.
func (a *analysisCommand) configure(cmd *cobra.Command) error {
	if a.config == "" {
		return nil
	}
	text, err := bounded.ReadFile(a.config, longestConfig)
	if err != nil {
		return fmt.Errorf("--config %s: %w", a.config, err)
	}
	file := a.opts
	others, err := file.Configure(string(text))
	if err != nil {
		return usagef("--config %s: %w", a.config, err)
	}
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	if given("max-visits") {
		file.MaxVisits = a.opts.MaxVisits
	}
	if given("pv-length") {
		file.PVLength = a.opts.PVLength
	}
	if given("analysis-threads") {
		file.Workers = a.opts.Workers
	}
	a.opts = file
	if others > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "carozero: --config %s: %d settings have no meaning here and were left out\n", a.config, others)
	}
	return nil
}

// doubleDashes returns the arguments of the program with flags of "analysis" as
// KataGo's tools write them, with one dash, turned into the program's own form.
func doubleDashes(args []string) []string {
	if len(args) == 0 || args[0] != "analysis" {
		return args
	}
	turned := append([]string{}, args...)
	for i, arg := range turned {
		if len(arg) > 2 && arg[0] == '-' && arg[1] >= 'a' && arg[1] <= 'z' {
			turned[i] = "-" + arg
		}
	}
	return turned
}
