package loop

import (
	_ "embed"
	"time"
)

// Example is a configuration with every key explained, which works as it stands.
//
//go:embed default.toml
var Example []byte

// DefaultConfig returns the values of an empty configuration. It has no games and no
// trainer.
func DefaultConfig() Config {
	return Config{
		Seed: 1, Rounds: 10, Start: Uniform, Patience: 3, AtOnce: 16, Cache: 64,
		Trainer: Trainer{
			Network: KindONNX, Checkpoint: "checkpoint.pt", Metrics: "metrics.jsonl", Window: 5, Limit: Duration(2 * time.Hour),
		},
		Gate: Gate{
			First: ByMatch, Games: 200, Batch: 10, Playouts: 100, Elo0: 0, Elo1: 40,
			Tactics:    Tactics{Playouts: 50, Problems: 20, Tolerance: 4},
			CrossCheck: CrossCheck{Positions: 50, MCTS: "playouts=100,solver=0,vct=0,parries=0", AlphaBeta: "nodes=20000,table=8", Sigmas: 1},
		},
	}
}
