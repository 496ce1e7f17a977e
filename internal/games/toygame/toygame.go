// Package toygame describes a small third game for tests: whatever works with games
// has to work with it, and nothing may know it by name.
package toygame

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/nn"
)

// Names of the game and of its only rule set.
const (
	Name = "mnk"
	Rule = "three"
)

// Side is the side length of the board, on which three in a row win.
const Side = 4

// description is all that the game gives beside its rules. What it leaves out, every
// front must do without: a display and steps of its own, solvers, drawings, sizes,
// forbidden points, texts about its rules, a form in SGF.
var description = games.Game{
	Name:     Name,
	RuleSets: []string{Rule},
	Inputs: []games.Inputs{{
		Version: "mnk-1", Planes: []string{"own", "opp"}, Globals: []string{"ply"},
		Encoder: func(games.Variant) (nn.Encoder, error) { return encoder{}, nil },
	}},
	Check: func(o games.VariantOptions) (games.VariantOptions, any, error) {
		switch {
		case o.Rule != "" && o.Rule != Rule:
			return o, nil, fmt.Errorf("unknown rule set %q: want %s", o.Rule, Rule)
		case o.Size != 0 && o.Size != Side:
			return o, nil, fmt.Errorf("size %d: want %d", o.Size, Side)
		}
		return games.VariantOptions{Size: Side, Rule: Rule}, nil, nil
	},
	Parameters: func(games.Variant) any { return struct{ Name string }{Rule} },
	Start:      func(games.Variant, *rand.Rand) (game.Position, error) { return empty(), nil },
	Position: func(_ games.Variant, text string) (game.Position, error) {
		pos := empty()
		moves, err := pos.Notation().ParseMoves(text)
		if err != nil {
			return nil, err
		}
		for _, m := range moves {
			if !pos.Legal(m) {
				return nil, fmt.Errorf("%s is not legal", pos.Notation().FormatMove(m))
			}
			pos.Play(m)
		}
		return pos, nil
	},
	Parse: func(_ games.Variant, text string) (game.Position, []game.Move, error) {
		moves, err := empty().Notation().ParseMoves(text)
		return empty(), moves, err
	},
	Format: func(_ games.Variant, _ game.Position, moves []game.Move) string {
		return empty().Notation().FormatMoves(moves)
	},
	Notation:  func(games.Variant) game.Notation { return empty().Notation() },
	Classical: func(games.Variant, games.Evaluation) alphabeta.Game { return alphabeta.Plain{} },
	Columns:   func(games.Variant) int { return Side },
	Stones: func(pos game.Position) []games.Stone {
		board, stones := pos.(*gametest.MNK), make([]games.Stone, Side*Side)
		for c := range stones {
			if board.Stones(game.First)>>c&1 != 0 {
				stones[c] = games.FirstStone
			} else if board.Stones(game.Second)>>c&1 != 0 {
				stones[c] = games.SecondStone
			}
		}
		return stones
	},
}

func empty() *gametest.MNK { return gametest.NewMNK(Side, Side, 3) }

// encoder shows the stones of either side.
type encoder struct{}

func (encoder) Shape() nn.Shape {
	return nn.Shape{Planes: 2, Height: Side, Width: Side, Globals: 1, Actions: Side * Side}
}
func (encoder) Version() string                                { return "mnk-1" }
func (encoder) Symmetries() int                                { return 1 }
func (encoder) Action(_ game.Position, m game.Move, _ int) int { return int(m) }
func (encoder) Key(pos game.Position) nn.Key                   { return nn.Key{pos.Hash()} }
func (encoder) Clone() nn.Encoder                              { return encoder{} }
func (encoder) Encode(pos game.Position, _ int, planes, globals []float32) {
	p := pos.(*gametest.MNK)
	for i, side := range []game.Side{p.ToMove(), p.ToMove().Other()} {
		for c := range Side * Side {
			planes[i*Side*Side+c] = float32(p.Stones(side) >> c & 1)
		}
	}
	globals[0] = float32(p.Ply())
}

// Add makes the game known for one test, and returns its variant. The test must not
// run beside others that look games up.
func Add(t testing.TB) games.Variant {
	t.Helper()
	own := description
	t.Cleanup(games.Add(&own))
	v, err := games.NewVariant(games.VariantOptions{Game: Name})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
