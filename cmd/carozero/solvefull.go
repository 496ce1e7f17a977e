package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/outfile"
)

// kindFull is the kind of solving that tries all moves of both sides.
const kindFull = "full"

// solveFully finds out who wins, or that nobody does.
func (f *solveFlags) solveFully(cmd *cobra.Command, v games.Variant, pos game.Position) (*report.Solution, error) {
	bar := newProgress(f.nodes, "moves")
	decider, err := v.Decider(games.DecideOptions{
		TableBytes: int64(f.memory) << 20,
		Progress:   func(nodes int64) { bar.at(int(nodes), f.nodes) },
	})
	if err != nil {
		return nil, err
	}
	kept, _ := decider.(games.KeptDecider)
	if f.state != "" {
		if kept == nil {
			return nil, usagef("--state: the search in %s is not kept", v.Game)
		}
		held, err := f.takeState(kept, games.IsDeciderState, pos)
		if err != nil {
			return nil, fmt.Errorf("--state: %w", err)
		}
		defer held.Close()
	}
	start := time.Now()
	var d games.Decision
	for budget := int64(0); d.Outcome == game.Undecided && !d.Ended && budget < int64(f.nodes); {
		budget = min(max(budget, d.Nodes)+stateSlice, int64(f.nodes))
		d, err = decider.Solve(cmd.Context(), pos, budget)
		if f.state != "" && (err == nil || cmd.Context().Err() != nil) { // what an interrupted search has found is kept too
			if unsaved := outfile.Write(f.state, kept.Save); unsaved != nil {
				_ = bar.Close()
				return nil, fmt.Errorf("--state: nothing new was kept after %d moves: %w", d.Nodes, unsaved)
			}
		}
		if err != nil {
			_ = bar.Close()
			advice := ""
			if kept != nil {
				advice = "; with --state FILE the same command goes on"
			}
			return nil, interrupted(err, "%d moves were played%s", d.Nodes, advice)
		}
	}
	_ = bar.Close()
	r := report.NewDecided(v, kindFull, resultFor(d.Outcome, pos.ToMove()), &d, time.Since(start))
	data, err := decider.Certify(cmd.Context(), pos, d)
	switch {
	case err != nil && cmd.Context().Err() == nil && !errors.Is(err, games.ErrTooLarge):
		return nil, err // what was found does not hold
	case err != nil || data == nil:
		return r, interrupted(err, "no certificate was written")
	}
	facts, err := games.CheckCertificate(cmd.Context(), data)
	if err != nil {
		return nil, err
	}
	r.Plies, r.Line = facts.Plies, append(r.Line, facts.Line...)
	if f.certificate != "" {
		err = f.write(cmd.Context(), data, r)
	}
	return r, err
}

// resultFor returns an outcome as the side to move sees it, in a word.
func resultFor(o game.Outcome, side game.Side) string {
	switch o {
	case game.Undecided:
		return "unknown"
	case game.Draw:
		return "draw"
	case game.WinFor(side):
		return "win"
	}
	return "loss"
}
