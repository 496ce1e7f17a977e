package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/gomoku/fit"

	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/selfplay/samples"
)

// newFitScale returns the command "fit scale".
func newFitScale() *cobra.Command {
	var file fittedFile
	cmd := &cobra.Command{
		Use:   "scale --input RUN [RUN...] --out FILE",
		Short: "Fit how scores of the classical search turn into expected results",
		Long: `Fit how scores of the classical search turn into expected results, for each rule
set that the inputs have games of, and write the scales as the Go file that the
program is built with. Inputs are runs of selfplay --player alphabeta. A tenth of
the games is held out, and shows how often what was expected came true.`,
		Example: `  carozero selfplay --player alphabeta --rule renju --games 500 --out runs/renju
  carozero fit scale --input runs/renju runs/caro --out alphabeta/gomoku/scales.go`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return file.run(cmd, args, "runs of selfplay --player alphabeta, as in runs/caro", "scales.go", func(ctx context.Context) (report.Report, error) {
				return runFitScale(ctx, &file)
			})
		},
	}
	file.register(cmd, "a run of selfplay --player alphabeta, or a shard (required; more may follow)")
	return cmd
}

// runFitScale reads the samples, fits and writes the scales.
func runFitScale(ctx context.Context, f *fittedFile) (*report.FitScale, error) {
	c := scaleCollector{byRule: map[string][]fit.ScoredPosition{}}
	for _, path := range f.inputs {
		if err := c.read(ctx, path); err != nil {
			return nil, fmt.Errorf("--input: %w", err)
		}
	}
	r := &report.FitScale{Out: f.out}
	for _, rule := range c.rules {
		s, err := fit.FitScale(rule, c.byRule[rule])
		if err != nil {
			return nil, fmt.Errorf("--input: %w", err)
		}
		r.Scales = append(r.Scales, s)
	}
	return r, f.write(fit.ScaleSource(r.Scales, f.notes()))
}

// scaleCollector gathers the scored positions of shards.
type scaleCollector struct {
	rules  []string // in the order met
	byRule map[string][]fit.ScoredPosition
	games  int
}

// read takes in the positions of a run or a shard.
func (c *scaleCollector) read(ctx context.Context, path string) error {
	paths, err := samples.ShardPaths(samples.Disk{}, path)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := samples.ReadFile(samples.Disk{}, p)
		if err != nil {
			return err
		}
		if err := c.add(s); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// add adds a shard's positions, except those with scores that claim a win or a
// loss.
func (c *scaleCollector) add(s *samples.Shard) error {
	v, err := generate.SampleVariant(&s.Header)
	if err != nil {
		return err
	}
	scale, _ := s.Header.Search.Get("score_scale")
	units, ok := scale.(float64)
	if !ok {
		return fmt.Errorf("model %.40q: the rows have no scores; want a run of selfplay --player alphabeta", s.Header.Model)
	}
	rule := v.Rule()
	if !slices.Contains(c.rules, rule) {
		c.rules = append(c.rules, rule)
	}
	for i := range s.Columns.Rows {
		q := float64(s.Columns.RootQ[i])
		if math.Abs(q) >= 1-1e-6 {
			continue
		}
		c.byRule[rule] = append(c.byRule[rule], fit.ScoredPosition{
			Game:   c.games + int(s.Columns.Game[i]),
			Score:  units * math.Log((1+q)/(1-q)),
			Result: (1 + float64(s.Columns.Outcome[i])) / 2,
		})
	}
	c.games += len(s.Header.Games)
	return nil
}
