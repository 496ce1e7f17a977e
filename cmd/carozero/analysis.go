package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/front/analysis"
	"github.com/carozero/carozero/internal/support/limitio"
)

// analysisCommand holds the flags of the command "analysis".
type analysisCommand struct {
	serviceFlags
	dialect, as    string
	config         string
	quit, showForm bool
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
  carozero analysis --engine each --max-visits 400 --max-nodes 100000 <queries.jsonl >answers.jsonl
  carozero analysis --dialect katago --report-winrates-as BLACK
  carozero analysis --schema >schema.json`,
		Args: noArgs,
		RunE: a.run,
	}
	a.register(cmd, serviceDefaults{memory: 512, table: defaultTableMiB, cache: 128, queue: 100_000})
	fs := cmd.Flags()
	fs.StringVar(&a.dialect, "dialect", "native", "how points and win rates are written: native (h8, for the side to move) or katago (H8 without the letter I, for Black)")
	fs.StringVar(&a.as, "report-winrates-as", "", "side whose win rates are shown: BLACK, WHITE or SIDETOMOVE (default: the dialect's)")
	fs.StringVar(&a.config, "config", "", "configuration file of KataGo's analysis engine, of which a few settings are read")
	fs.BoolVar(&a.quit, "quit-without-waiting", false, "drop open queries when the input ends")
	fs.BoolVar(&a.showForm, "schema", false, "print the JSON Schema of the messages and end")
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
	defer func() { err = a.forget(cmd, err) }()
	if err := a.know(cmd); err != nil {
		return err
	}
	nets := a.net.nets()
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
func (a *analysisCommand) finish(cmd *cobra.Command) (err error) {
	o := &a.opts
	if err := a.configure(cmd); err != nil {
		return err
	}
	if o.Dialect, err = analysis.ParseDialect(a.dialect); err != nil {
		return usagef("--dialect: %w", err)
	}
	if a.as != "" {
		if o.WinratesAs, err = analysis.ParsePerspective(a.as); err != nil {
			return usagef("--report-winrates-as: %w", err)
		}
	}
	return a.settle()
}

// longestConfig bounds what is read of a configuration file, in bytes.
const longestConfig = 1 << 20

// configure reads the configuration file, whose settings stand behind flags that
// were given.
func (a *analysisCommand) configure(cmd *cobra.Command) error {
	if a.config == "" {
		return nil
	}
	text, err := limitio.ReadFile(a.config, longestConfig)
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
