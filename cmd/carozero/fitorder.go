package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/gomoku/fit"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record/gamefiles"
)

// newFitOrder returns the command "fit order".
func newFitOrder() *cobra.Command {
	var flags fitFlags
	cmd := &cobra.Command{
		Use:   "order --input PATH [PATH...] --rule RULE --out FILE",
		Short: "Fit the order in which the classical search tries moves",
		Long: `Fit the order in which the classical search tries moves to the moves that
searches have chosen, by softmax regression over the lines that a stone makes and
spoils, and write it as the Go file that the program is built with. Inputs are
those of fit; "fit play" makes them. The same inputs and options give the same
bytes.`,
		Example: `  carozero fit play --rule standard --games 5000 --nodes 2000 --out games/standard
  carozero fit order --input games/standard --rule standard --out alphabeta/gomoku/order_standard.go`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args, runFitOrder) },
	}
	flags.register(cmd, "how far the order may stray from none at all; see package alphabeta/gomoku/fit")
	return cmd
}

// runFitOrder reads the games, fits and writes the order.
func runFitOrder(ctx context.Context, v games.Variant, f *fitFlags) (report.Report, error) {
	rules, _ := v.Gomoku()
	c := fit.NewChoiceCollector(rules)
	if err := f.read(ctx, v, func(g *gamefiles.Game) error { return c.Add(ctx, fitGame(g)) }); err != nil {
		return nil, err
	}
	data := c.Collected()
	r := &report.FitOrder{Rule: v.Rule(), Out: f.out, Games: data.Games, Choices: data.Fit.Len(), Held: data.Held.Len()}
	var err error
	if r.OrderResult, err = fit.FitOrder(ctx, data, f.spread); err != nil {
		return nil, fmt.Errorf("--input: %w", err)
	}
	return r, f.write(fit.OrderSource(rules, r.Order, f.notes(
		fmt.Sprintf("%s: %d games, %d choices and %d held out; spread %g.", r.Rule, r.Games, r.Choices, r.Held, f.spread),
		fmt.Sprintf("The chosen move comes first in %.1f%% and, held out, in %.1f%%; loss %.4f and %.4f.", 100*r.First[0], 100*r.First[1], r.Loss[0], r.Loss[1]))))
}
