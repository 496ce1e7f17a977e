package games

import (
	"context"
	"errors"
	"fmt"

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

// Win implements [Endgames].
func (e onitamaEndgames) Win(pos game.Position) mcts.ForcedWin {
	b, ok := pos.(*onitama.Board)
	if !ok {
		return mcts.ForcedWin{}
	}
	value, plies, ok := e.table.Probe(b)
	if !ok || value != bitbase.Win {
		return mcts.ForcedWin{}
	}
	m, ok := e.table.Best(b)
	if !ok {
		return mcts.ForcedWin{}
	}
	return mcts.ForcedWin{Move: m, Plies: plies}
}

// Close implements [Endgames].
func (e onitamaEndgames) Close() error { return errors.Join(e.table.Err(), e.table.Close()) }
