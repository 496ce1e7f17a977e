package enginetest

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

// The toy game is a small third one: whatever works with games has to work with it, and
// nothing may know it by name.
const (
	ToyName = "mnk"
	ToyRule = "three" // its only rule set
	ToySide = 4       // of the board, on which three in a row win
)

// toyGame and toyRules are all that the game gives. What they leave out, every front must do
// without: solvers, drawings, sizes, forbidden points, texts about its rules, a form in SGF.
var toyGame = games.Game{
	Name:     ToyName,
	RuleSets: []string{ToyRule},
	Inputs: []games.Inputs{{
		Version: "mnk-1", Planes: []string{"own", "opp"}, Globals: []string{"ply"},
		Encoder: func(games.Variant) (nn.Encoder, error) { return toyEncoder{}, nil },
	}},
	Check: func(o games.VariantOptions) (games.VariantOptions, games.Rules, error) {
		switch {
		case o.Rule != "" && o.Rule != ToyRule:
			return o, nil, fmt.Errorf("unknown rule set %q: want %s", o.Rule, ToyRule)
		case o.Size != 0 && o.Size != ToySide:
			return o, nil, fmt.Errorf("size %d: want %d", o.Size, ToySide)
		}
		return games.VariantOptions{Size: ToySide, Rule: ToyRule}, toyRules{}, nil
	},
}

// toyRules implements [games.Rules].
type toyRules struct{}

func (toyRules) Parameters() any                           { return struct{ Name string }{ToyRule} }
func (toyRules) Deal(*rand.Rand) (game.Position, error)    { return emptyToy(), nil }
func (toyRules) Notation() game.Notation                   { return emptyToy().Notation() }
func (toyRules) Evaluated(games.Evaluation) alphabeta.Game { return alphabeta.Plain{} }
func (toyRules) Columns() int                              { return ToySide }
func (toyRules) FormatGame(_ game.Position, moves []game.Move) string {
	return emptyToy().Notation().FormatMoves(moves)
}

func (toyRules) ParseGame(text string) (game.Position, []game.Move, error) {
	moves, err := emptyToy().Notation().ParseMoves(text)
	return emptyToy(), moves, err
}

func (r toyRules) Parse(text string) (game.Position, error) {
	pos, moves, err := r.ParseGame(text)
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		if !pos.Legal(m) {
			return nil, fmt.Errorf("%s is not legal", r.Notation().FormatMove(m))
		}
		pos.Play(m)
	}
	return pos, nil
}

func (toyRules) Stones(pos game.Position) []games.Stone {
	board, stones := pos.(*gametest.MNK), make([]games.Stone, ToySide*ToySide)
	for c := range stones {
		if board.Stones(game.First)>>c&1 != 0 {
			stones[c] = games.FirstStone
		} else if board.Stones(game.Second)>>c&1 != 0 {
			stones[c] = games.SecondStone
		}
	}
	return stones
}

func (r toyRules) Display(pos game.Position) games.Display {
	d := games.Display{Size: ToySide, Pieces: make([]games.Piece, ToySide*ToySide)}
	for c, stone := range r.Stones(pos) {
		d.Pieces[c].Stone = stone
	}
	return d
}

func (toyRules) Step(m game.Move) games.Step              { return games.Step{From: -1, To: int(m)} }
func (toyRules) Played(game.Position) ([]game.Move, bool) { return nil, false }
func (toyRules) About() games.About                       { return games.About{Title: ToyRule} }
func (toyRules) ParseDiagram(games.Diagram) (game.Position, error) {
	return nil, fmt.Errorf("%s has no drawings", ToyName)
}

func emptyToy() *gametest.MNK { return gametest.NewMNK(ToySide, ToySide, 3) }

// toyEncoder shows the stones of either side.
type toyEncoder struct{}

func (toyEncoder) Shape() nn.Shape {
	return nn.Shape{Planes: 2, Height: ToySide, Width: ToySide, Globals: 1, Actions: ToySide * ToySide}
}
func (toyEncoder) Version() string                                { return "mnk-1" }
func (toyEncoder) Symmetries() int                                { return 1 }
func (toyEncoder) Action(_ game.Position, m game.Move, _ int) int { return int(m) }
func (toyEncoder) Key(pos game.Position) nn.Key                   { return nn.Key{pos.Hash()} }
func (toyEncoder) Clone() nn.Encoder                              { return toyEncoder{} }
func (toyEncoder) Encode(pos game.Position, _ int, planes, globals []float32) {
	p := pos.(*gametest.MNK)
	for i, side := range []game.Side{p.ToMove(), p.ToMove().Other()} {
		for c := range ToySide * ToySide {
			planes[i*ToySide*ToySide+c] = float32(p.Stones(side) >> c & 1)
		}
	}
	globals[0] = float32(p.Ply())
}

// AddToyGame makes the toy game known for one test, and returns its variant. The test must not
// run beside others that look games up.
func AddToyGame(t testing.TB) games.Variant {
	t.Helper()
	own := toyGame
	t.Cleanup(games.Add(&own))
	v, err := games.NewVariant(games.VariantOptions{Game: ToyName})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
