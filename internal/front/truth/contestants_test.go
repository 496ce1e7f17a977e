package truth

import (
	"context"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/nn"
)

// build writes endgames of three men.
func build(t *testing.T, path string) {
	t.Helper()
	five, err := bitbase.ParseCards("Crab,Crane,Dragon,Monkey,Tiger")
	if err == nil {
		err = bitbase.Build(t.Context(), path, five, 3, bitbase.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// within is an engine with a budget as a player.
type within struct {
	engine.Engine
	limits engine.Limits
}

func (w within) NewGame(context.Context, arena.Start) error { w.Forget(); return nil }

func (w within) Think(ctx context.Context, pos game.Position, _ engine.Limits) (*engine.Answer, error) {
	return w.Engine.Think(ctx, pos, w.limits)
}

// contestants returns both searches with little to think, with or without endgames.
func contestants(t *testing.T, of games.Endgames, knows bool) map[string]arena.Player {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	if !knows {
		of = nil
	}
	c, err := search.NewClassical(v, search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Endgames: of})
	if err != nil {
		t.Fatal(err)
	}
	tree := search.NewTreeOver(nn.NewUniform(4), v.SolversWith(games.SolverNodes{}, of), search.TreeOptions{})
	return map[string]arena.Player{"classical": within{c, engine.Limits{Nodes: 30}}, "tree": within{tree, engine.Limits{Nodes: 1}}}
}
