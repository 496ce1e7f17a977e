package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/onitama/fit"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record/gamefiles"
)

// runOnitama fits the weights of Onitama to the games of all inputs.
func (f *fitFlags) runOnitama(cmd *cobra.Command, args []string) error {
	switch {
	case cmd.Flags().Changed("rule"):
		return usagef("--rule: onitama has one rule set")
	case f.method != methodResults:
		return usagef("--method %s: with --game onitama want %s", f.method, methodResults)
	}
	f.rule = ""
	return f.run(cmd, args, fitOnitama)
}

// fitOnitama reads the games, fits and writes the weights.
func fitOnitama(ctx context.Context, v games.Variant, f *fitFlags) (report.Report, error) {
	r := &report.Fit{Rule: v.Rule(), Method: f.method, Out: f.out}
	var c fit.Collector
	if err := f.read(ctx, v, func(g *gamefiles.Game) error {
		start, err := g.Start()
		if err != nil {
			return err
		}
		err = c.Add(ctx, fit.Game{
			Start: start, Moves: g.Moves, Opening: g.Opening,
			Scores: g.Values, Outcome: g.Outcome, Reason: g.Reason,
		})
		if errors.Is(err, fit.ErrNoResult) {
			r.Skipped++
			return nil
		}
		return err
	}); err != nil {
		return nil, err
	}
	data := c.Collected()
	r.Games, r.Positions, r.Held = data.Games, data.Fit.Len(), data.Held.Len()
	weights, err := fit.Fit(ctx, data, fit.Options{Spread: f.spread, Trust: f.trust})
	if err != nil {
		return nil, fmt.Errorf("--input: %w", err)
	}
	r.Comparison = fit.Measured(data, weights)
	return r, f.write(fit.Source(weights, f.notes(
		fmt.Sprintf("%d games, %d quiet positions and %d held out; spread %g, trust %g.", r.Games, r.Positions, r.Held, f.spread, f.trust),
		fmt.Sprintf("Loss %.4f, held out %.4f; set by hand %.4f and %.4f.", r.Loss[0], r.Loss[1], r.HandLoss[0], r.HandLoss[1]))))
}
