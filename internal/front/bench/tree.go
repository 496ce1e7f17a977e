package bench

import (
	"context"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// Tree is the speed of the search's tree alone, from the start position, where
// evaluations cost nothing.
type Tree struct {
	UniformPerS float64 `json:"uniform_playouts_per_s"` // searches of 20,000 playouts with equal priors
	ShapedPerS  float64 `json:"shaped_playouts_per_s"`  // the same with priors and values as uneven as a network's
	CostRatio   float64 `json:"cost_ratio"`             // time of a playout in searches of 100,000 by that in searches of 1,000, shaped
}

// Sizes of the searches that measureTree times.
const (
	smallTree  = 1_000
	mediumTree = 20_000
	largeTree  = 100_000
	treeRounds = 2
)

// measureTree takes the best of a few interleaved rounds, as other programs
// slow single ones down.
func measureTree(ctx context.Context, v games.Variant) (*Tree, error) {
	pos, err := v.Start()
	if err != nil {
		return nil, err
	}
	shaped := nn.NewMock(1)
	shaped.Immediate, shaped.Sharp = true, true
	uniform := nn.NewUniform(1)
	small, large := mcts.New(mcts.Options{}, shaped, nil), mcts.New(mcts.Options{}, shaped, nil)
	even, uneven := mcts.New(mcts.Options{}, uniform, nil), mcts.New(mcts.Options{}, shaped, nil)
	best := map[*mcts.Searcher]float64{}
	for range treeRounds {
		for _, run := range []struct {
			s               *mcts.Searcher
			playouts, times int
		}{{small, smallTree, largeTree / smallTree}, {even, mediumTree, 1}, {uneven, mediumTree, 1}, {large, largeTree, 1}} {
			speed, err := timeTree(ctx, run.s, pos, run.playouts, run.times)
			if err != nil {
				return nil, err
			}
			best[run.s] = max(best[run.s], speed)
		}
	}
	return &Tree{UniformPerS: best[even], ShapedPerS: best[uneven], CostRatio: best[small] / best[large]}, nil
}

// timeTree returns the playouts per second of a number of searches.
func timeTree(ctx context.Context, s *mcts.Searcher, pos game.Position, playouts, times int) (float64, error) {
	var elapsed time.Duration
	for range times {
		if err := s.SetPosition(pos); err != nil {
			return 0, err
		}
		start := time.Now()
		if err := s.Search(ctx, mcts.Limits{Playouts: playouts}); err != nil {
			return 0, err
		}
		elapsed += time.Since(start)
	}
	return float64(playouts*times) / elapsed.Seconds(), nil
}
