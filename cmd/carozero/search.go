package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
)

// positionSearch is an engine and the position that it begins at.
type positionSearch struct {
	engineFlags
	position positionFlags
	limit    time.Duration // of a search; 0: none
}

// read returns the position and opens the endgames, which the caller closes.
func (s *positionSearch) read(cmd *cobra.Command) (games.Variant, game.Position, error) {
	v, pos, err := s.position.undecided(cmd)
	if err == nil {
		err = s.endgames.open(cmd, v, pos)
		s.tree.Endgames = s.endgames.solved
	}
	return v, pos, err
}

// searchCommand is the command "search".
type searchCommand struct{ positionSearch }

// newSearch returns the command "search".
func newSearch() *cobra.Command {
	var s searchCommand
	return define(&cobra.Command{
		Use:   "search",
		Short: "Search one position and show the principal variation and the root's children",
		Long: `Search one position and show the move, its value, the principal variation and
the moves that were weighed. In JSON, value is what the chosen move is worth and
root_q the mean of all playouts; both are in -1..1 for the side to move.

With --engine alphabeta the budget is --nodes, --depth or --time, whichever
ends first; a table of the iterations is shown as they are completed if
standard error is a terminal, and with the result otherwise. A win or loss that
this engine claims in n plies is called proven only if it was replayed through
the rules against every defence.`,
		Example: `  carozero search --position h8i9i8 --playouts 800
  carozero search --engine alphabeta --position h8i9i8 --depth 12 --lines 3
  carozero search --rule renju --board position.txt --json
  carozero search --game onitama --model uniform --playouts 20000`,
	}, s.run, s.position.register, s.endgames.register, s.register)
}

func (s *searchCommand) register(cmd *cobra.Command) {
	s.engineFlags.register(cmd, "what searches", engineMCTS, 800, rootSolver)
	addNum(cmd, &s.limits.Lines, option.Lines.With(1, "alphabeta: best moves to show, each with its line"))
	addNum(cmd, &s.limit, option.Time.With(0,
		"stop after this time, as in 2s, even if the budget is not spent; not reproducible"))
}

// run checks everything before it loads anything.
func (s *searchCommand) run(cmd *cobra.Command, _ []string) (_ report.Report, err error) {
	v, pos, err := s.read(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = s.endgames.close(err) }()
	search := s.searchTree
	if s.name == engineAlphaBeta {
		search = s.searchClassical
	}
	r, err := search(cmd, v, pos)
	if err != nil {
		return nil, interrupted(err, "the search was not done and has no result; --time bounds one")
	}
	r.Position, r.Board = s.position.shown(v, pos)
	return r, nil
}

// searchTree searches with the tree.
func (s *searchCommand) searchTree(
	cmd *cobra.Command, v games.Variant, pos game.Position,
) (_ *report.Search, err error) {
	n, tree, err := s.openTree(v, s.playouts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if s.limit > 0 {
		if err := tree.Prepare(); err != nil {
			return nil, err
		}
	}
	limits := engine.Limits{Nodes: int64(s.playouts), Clock: engine.Clock{Turn: s.limit}}
	a, err := engine.Complete(cmd.Context(), tree, pos, limits)
	if err != nil {
		return nil, err
	}
	return report.NewTree(n, pos, a), nil
}

// certifyNodes bounds the solver that looks for a win by fours in the place of
// one that the search only claims.
const certifyNodes = 200_000

// searchClassical searches with alpha-beta.
func (s *searchCommand) searchClassical(
	cmd *cobra.Command, v games.Variant, pos game.Position,
) (_ *report.Search, err error) {
	e, err := s.openClassical(v, "")
	if err != nil {
		return nil, err
	}
	table := report.NewIterations(cmd.ErrOrStderr(), v.Notation(), isTerminal(cmd.ErrOrStderr()))
	limits := s.within(s.limit)
	limits.Report = table.Add
	a, err := engine.Complete(cmd.Context(), e, pos, limits)
	table.Flush()
	if err != nil {
		return nil, err
	}
	r := report.NewClassical(v, pos, a, table)
	if a.Proof.Result == game.Won {
		if c, ok := v.Certify(cmd.Context(), pos, certifyNodes); ok {
			r.Prove(v.Notation(), c)
		}
	}
	return r, cmd.Context().Err() // the search was done, the proof of its claim may not be
}
