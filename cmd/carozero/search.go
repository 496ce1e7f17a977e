package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/option"
)

// newSearch returns the command "search".
func newSearch() *cobra.Command {
	var s searchCommand
	cmd := &cobra.Command{
		Use:   "search",
		Short: "Search one position and show the principal variation and the root's children",
		Long: `Search one position and show the move, its value, the principal variation and
the moves that were weighed. In JSON, value is what the chosen move is worth and
root_q the mean of all playouts; both are in -1..1 for the side to move.

With --engine both the two searches share the budget of --playouts, tell each other what
they find, and the line after the variation says which of them decided, and why.

With --engine alphabeta the budget is --nodes, --depth or --time, whichever
ends first; a table of the iterations is shown as they are completed if
standard error is a terminal, and with the result otherwise. A win or loss that
this engine claims in n plies is called proven only if it was replayed through
the rules against every defence.

--certificate writes a file that proves the win or loss that was found to anybody who
knows the rules ("certificate check"). The solvers look for that proof anew; without
one no file is written.`,
		Example: `  carozero search --position h8i9i8 --playouts 800
  carozero search --engine alphabeta --position h8i9i8 --depth 12 --lines 3
  carozero search --engine both --position h8i9j8h9 --playouts 2000
  carozero search --rule renju --board position.txt --json
  carozero search --position h8a1i8a3j8a15 --certificate win.cert
  carozero search --game onitama --model uniform --playouts 20000`,
		Args: noArgs,
		RunE: s.run,
	}
	s.net.register(cmd)
	s.search.register(cmd, 800, rootSolver)
	s.classical.register(cmd)
	s.classical.registerLines(cmd)
	cmd.Flags().BoolVar(&s.depths, "stats", false, "alphabeta: show what each iteration took: time, nodes, leaves, branching, table hits, first-move cut-offs, and whether the best move changed")
	s.position.register(cmd)
	s.output.register(cmd)
	s.engine.register(cmd, "what searches", engineMCTS)
	s.endgames.register(cmd)
	cmd.Flags().StringVar(&s.certificate, "certificate", "", "file to write the certificate of a won or lost position to")
	addDuration(cmd, &s.limit, option.Time.With(0, "stop after this time, as in 2s, even if the budget is not spent; not reproducible"))
	return cmd
}

// searchCommand holds the flags of the command "search".
type searchCommand struct {
	net       netFlags
	search    searchFlags
	classical classicalFlags
	position  positionFlags
	output    outputFlags
	engine    engineFlag
	limit     time.Duration
	endgames  endgamesFlag
	depths    bool

	certificate string // file
}

// run checks everything before it loads anything.
func (s *searchCommand) run(cmd *cobra.Command, _ []string) error {
	if err := s.engine.check(cmd); err != nil {
		return err
	}
	v, pos, err := s.position.open(cmd)
	if err != nil {
		return err
	}
	if s.certificate != "" {
		if err := checkCertificateFile("--certificate", s.certificate); err != nil {
			return err
		}
	}
	solved, err := s.endgames.openFor(cmd, v, pos)
	if err != nil {
		return err
	}
	s.classical.endgames, s.search.settings.Endgames = solved, solved
	if s.engine.name == engineAlphaBeta {
		err = s.runAlphaBeta(cmd, v, pos)
	} else {
		err = s.runTree(cmd, v, pos)
	}
	return s.endgames.close(err)
}

// runTree searches with the tree, or with both searches.
func (s *searchCommand) runTree(cmd *cobra.Command, v games.Variant, pos game.Position) error {
	if err := s.search.check(v); err != nil {
		return err
	}
	n, err := s.net.open(v)
	if err != nil {
		return err
	}
	defer n.Close()
	tree, err := search.NewTree(n, s.search.tree())
	if err != nil {
		return err
	}
	e := preparedEngine(tree)
	if s.engine.name == engineBoth {
		c, err := s.classical.open(v, 1, search.Level{})
		if err != nil {
			return err
		}
		e = s.engine.join(tree, c, s.net.threads)
	}
	if s.limit > 0 {
		if err := e.Prepare(); err != nil {
			return err
		}
	}
	limits := engine.Limits{Nodes: int64(s.search.playouts), Clock: engine.Clock{Turn: s.limit}}
	a, err := engine.Complete(cmd.Context(), e, pos, limits)
	if err != nil {
		return unsearched(err)
	}
	r := report.NewTree(n, pos, a)
	r.Position, r.Board = s.position.shown(v, pos)
	if r.Certificate, err = s.certify(cmd, v, pos, a.Proof); err != nil {
		return s.output.printAfter(cmd, err, r)
	}
	return s.output.print(cmd, r)
}

// preparedEngine is an engine whose setup can be done before a clock runs.
type preparedEngine interface {
	engine.Engine
	Prepare() error
}

// unsearched is the error of a search that an interrupt may have ended.
func unsearched(err error) error {
	return interrupted(err, "the search was not done and has no result; --time bounds one")
}

// certifyNodes bounds the solver that looks for a win by fours in the place of
// one that the search only claims.
const certifyNodes = 200_000

func (s *searchCommand) runAlphaBeta(cmd *cobra.Command, v games.Variant, pos game.Position) error {
	limits := s.classical.limits(s.limit)
	e, err := s.classical.open(v, s.net.threads, search.Level{})
	if err != nil {
		return err
	}
	table := report.NewIterations(cmd.ErrOrStderr(), v.Notation(), isTerminal(cmd.ErrOrStderr()))
	limits.Report = table.Add
	a, err := engine.Complete(cmd.Context(), e, pos, limits)
	table.Flush()
	if err != nil {
		return unsearched(err)
	}
	r := report.NewClassical(v, pos, a, table)
	r.Depths = s.depths
	if a.Proof.Result == engine.Win {
		if c, ok := v.Certify(cmd.Context(), pos, certifyNodes); ok {
			r.Prove(v.Notation(), c)
		}
	}
	if err := cmd.Context().Err(); err != nil {
		return unsearched(err) // the search was done, the proof of its claim may not be
	}
	r.Position, r.Board = s.position.shown(v, pos)
	if r.Certificate, err = s.certify(cmd, v, pos, a.Proof); err != nil {
		return s.output.printAfter(cmd, err, r)
	}
	return s.output.print(cmd, r)
}

// certify writes the certificate of what a search has found, proven or claimed, if that
// was asked for. It says so where there is nothing to write.
func (s *searchCommand) certify(cmd *cobra.Command, v games.Variant, pos game.Position, p engine.Proof) (*report.Certificate, error) {
	if s.certificate == "" {
		return nil, nil
	}
	winner := pos.ToMove()
	switch p.Result {
	case engine.Win:
	case engine.Loss:
		winner = winner.Other()
	default:
		fmt.Fprintf(cmd.ErrOrStderr(), "carozero: %s was not written: neither a win nor a loss was found\n", oneLine(s.certificate))
		return nil, nil
	}
	c, err := writeWinCertificate(cmd.Context(), s.certificate, v, pos, winner)
	if err != nil {
		err = fmt.Errorf("--certificate: nothing was written: %w", err)
	}
	return c, interrupted(err, "the search was done, and no certificate was written")
}
