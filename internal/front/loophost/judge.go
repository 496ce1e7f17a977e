package loophost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/crosscheck"
	"github.com/carozero/carozero/internal/record/gamefiles"
	"github.com/carozero/carozero/internal/support/journal"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/loop"
)

// deeper is the factor by which both budgets grow when the engines disagree.
const deeper = 4

// perGame is the most positions of a game that are judged.
const perGame = 4

// CrossCheck implements [loop.Examiner].
func (w *Worker) CrossCheck(ctx context.Context, job loop.CrossCheckJob) (loop.BlunderScore, error) {
	var score loop.BlunderScore
	setup, err := crosscheck.ParseSetup(job.MCTS, job.AlphaBeta)
	if err != nil {
		return score, err
	}
	v, err := settleInput(job.Source)
	if err != nil {
		return score, err
	}
	net, err := w.Loader.Open(v, job.Network.Path)
	if err != nil {
		return score, err
	}
	defer net.Close()
	var cache *nn.CacheTable
	if job.Cache > 0 && net.Batches() != nil {
		if cache, err = v.CacheTable(job.Cache << 20); err != nil {
			return score, err
		}
	}
	findings, err := crosscheck.Run(ctx, crosscheck.Options{
		Playouts: setup.Playouts, Nodes: setup.Nodes, Deeper: deeper,
		Sampling: crosscheck.Sampling{PerGame: perGame, Limit: job.Positions, Seed: job.Seed},
		Setting:  fmt.Sprintf("%s; %s %s %d; model %s; mcts %s; alphabeta %s", w.Program, v.Game, v.Rule(), v.Size, net.SHA256, job.MCTS, job.AlphaBeta),
	}, crosscheck.Host{
		Games: func() (*gamefiles.Reader, error) {
			return gamefiles.Open([]string{job.Source}, gamefiles.Options{Variant: v})
		},
		Engines: setup.Builder(net, job.Seed, cache), Workers: job.Workers, Rows: job.Rows, Resume: true,
		Progress: func(s crosscheck.Summary) { job.Progress(s.Positions, s.Of) },
	})
	if errors.Is(err, crosscheck.ErrNone) {
		return score, nil
	}
	if errors.Is(err, journal.ErrRefused) {
		err = again(job.Rows, err)
	}
	if err != nil {
		return score, err
	}
	sum := findings.Summary()
	score.Positions = sum.Positions
	for _, c := range sum.Calibration {
		if c.Of == "network" {
			score.Brier = c.Brier
		}
	}
	score.Blunders, err = blunders(job.Rows)
	return score, err
}

// settleInput returns the variant of an input's games, or the default variant if it names
// none.
func settleInput(path string) (games.Variant, error) {
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		return v, err
	}
	r, err := gamefiles.Open([]string{path}, gamefiles.Options{Variant: v})
	if err != nil {
		return v, err
	}
	defer r.Close()
	if _, err := r.Next(); err != nil && !errors.Is(err, io.EOF) {
		return v, err
	}
	return r.Variant(), nil
}

// Bounds on a file of rows.
const (
	mostRow  = 4 << 20
	mostRows = 100_000_000
)

// blunders returns the positions of a file of rows in which the tree search's move
// is a proven blunder.
func blunders(path string) ([]int, error) {
	file, err := limitio.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list := []int{}
	lines := limitio.NewLines(file, mostRow, mostRows)
	for text, ok := lines.Next(); ok; text, ok = lines.Next() {
		var row crosscheck.Row
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, lines.Number(), err)
		}
		if row.MCTSBlunder != "" {
			list = append(list, row.Index)
		}
	}
	return list, lines.Err()
}
