package analysis

import (
	"encoding/json"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// Game is what the fields of a query say of a game.
type Game struct {
	Variant games.Variant
	Start   game.Position // of turn 0
	Moves   []game.Move   // legal
}

// ParseGame reads those fields of an object that say what a query's game is. With
// openRule it has the opening rule, which the object's own field openRule asks for.
func (s *Service) ParseGame(of map[string]json.RawMessage, openRule bool) (*Game, *Problem) {
	f := &fields{of: of}
	q := &Query{openRule: openRule}
	if q.readGame(f, &s.opts); f.wrong != nil {
		return nil, f.wrong
	}
	return &Game{Variant: q.Variant, Start: q.Start, Moves: q.Moves}, nil
}
