package games

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/mcts"
)

// onitamaEndgames implements [Endgames] with a bitbase.
type onitamaEndgames struct{ table *bitbase.Table }

func openOnitamaEndgames(ctx context.Context, path string) (Endgames, error) {
	t, err := bitbase.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return onitamaEndgames{t}, nil
}

// Suits implements [Endgames]. The cards must be the same; men that are too many may
// be taken.
func (e onitamaEndgames) Suits(pos game.Position) error {
	b, ok := pos.(*onitama.Board)
	if !ok {
		return fmt.Errorf("%T is not a board of Onitama", pos)
	}
	if err := e.table.Covers(b); !errors.Is(err, bitbase.ErrMen) {
		return err
	}
	return nil
}

// Covers implements [Endgames].
func (e onitamaEndgames) Covers(pos game.Position) error {
	b, ok := pos.(*onitama.Board)
	if !ok {
		return fmt.Errorf("%T is not a board of Onitama", pos)
	}
	return e.table.Covers(b)
}

// proofs are the values of a table as a tree search names them.
var proofs = [...]mcts.Proof{bitbase.Draw: mcts.Draw, bitbase.Win: mcts.Win, bitbase.Loss: mcts.Loss}

// Probe implements [Endgames].
func (e onitamaEndgames) Probe(pos game.Position) (mcts.Proof, int) {
	b, ok := pos.(*onitama.Board)
	if !ok {
		return mcts.Unknown, 0
	}
	value, plies, ok := e.table.Probe(b)
	if !ok {
		return mcts.Unknown, 0
	}
	return proofs[value], plies
}

// Best implements [Endgames].
func (e onitamaEndgames) Best(pos game.Position) game.Move {
	b, ok := pos.(*onitama.Board)
	if !ok {
		return game.NoMove
	}
	m, ok := e.table.Best(b)
	if !ok {
		return game.NoMove
	}
	return m
}

// Random implements [Endgames].
func (e onitamaEndgames) Random(rng *rand.Rand) game.Position { return e.table.Random(rng) }

// Close implements [Endgames].
func (e onitamaEndgames) Close() error { return errors.Join(e.table.Err(), e.table.Close()) }
