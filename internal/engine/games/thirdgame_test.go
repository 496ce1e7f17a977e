package games

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// mnkSide is the side length of the toy game's board, on which three in a row
// win.
const mnkSide = 4

// mnkGame describes the toy game of gametest: all that a third game needs beside
// its own packages.
var mnkGame = Game{
	Name:     "mnk",
	RuleSets: []string{"three"},
	Inputs:   Inputs{Version: "mnk-1", Planes: []string{"own", "opp"}, Globals: []string{"ply"}},
	check: func(o VariantOptions) (Variant, error) {
		if o.Size != 0 && o.Size != mnkSide {
			return Variant{}, fmt.Errorf("size %d: want %d", o.Size, mnkSide)
		}
		return Variant{Size: mnkSide, rule: "three"}, nil
	},
	parameters: func(Variant) any { return struct{ Name string }{"three"} },
	start:      func(Variant, *rand.Rand) (game.Position, error) { return newMNK(), nil },
	position: func(_ Variant, text string) (game.Position, error) {
		pos := newMNK()
		moves, err := pos.Notation().ParseMoves(text)
		for _, m := range moves {
			pos.Play(m)
		}
		return pos, err
	},
	parse: func(_ Variant, text string) (game.Position, []game.Move, error) {
		moves, err := newMNK().Notation().ParseMoves(text)
		return newMNK(), moves, err
	},
	format: func(_ Variant, _ game.Position, moves []game.Move) string {
		return newMNK().Notation().FormatMoves(moves)
	},
	diagram:   func(Variant, Diagram) (game.Position, error) { return nil, fmt.Errorf("no diagrams") },
	notation:  func(Variant) game.Notation { return newMNK().Notation() },
	encoder:   func(Variant) (nn.Encoder, error) { return mnkEncoder{}, nil },
	classical: func(Variant, ClassicalOptions) alphabeta.Game { return alphabeta.Plain{} },
	columns:   func(Variant) int { return mnkSide },
}

func newMNK() *gametest.MNK { return gametest.NewMNK(mnkSide, mnkSide, 3) }

// mnkEncoder shows the stones of either side.
type mnkEncoder struct{}

func (mnkEncoder) Shape() nn.Shape {
	return nn.Shape{Planes: 2, Height: mnkSide, Width: mnkSide, Globals: 1, Actions: mnkSide * mnkSide}
}
func (mnkEncoder) Version() string                                { return "mnk-1" }
func (mnkEncoder) Symmetries() int                                { return 1 }
func (mnkEncoder) Action(_ game.Position, m game.Move, _ int) int { return int(m) }
func (mnkEncoder) Key(pos game.Position) nn.Key                   { return nn.Key{pos.Hash()} }
func (mnkEncoder) Clone() nn.Encoder                              { return mnkEncoder{} }
func (mnkEncoder) Encode(pos game.Position, _ int, planes, globals []float32) {
	p := pos.(*gametest.MNK)
	for i, side := range []game.Side{p.ToMove(), p.ToMove().Other()} {
		for c := range mnkSide * mnkSide {
			planes[i*mnkSide*mnkSide+c] = float32(p.Stones(side) >> c & 1)
		}
	}
	globals[0] = float32(p.Ply())
}

// thirdGame lists the toy game for one test.
func thirdGame(t *testing.T) Variant {
	t.Helper()
	games = append(games, &mnkGame)
	t.Cleanup(func() { games = games[:len(games)-1] })
	v, err := NewVariant(VariantOptions{Game: "mnk"})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A game is described once: with its file and its line in the list it is searched
// by both engines, plays itself, and its samples and matches work.
func TestAThirdGame(t *testing.T) {
	v := thirdGame(t)
	net := uniform(t, v)
	t.Run("search", func(t *testing.T) { searchThird(t, v, net) })
	t.Run("selfplay", func(t *testing.T) { selfplayNew(t, net) })
	t.Run("match", func(t *testing.T) {
		matchNew(t, v, "mcts:playouts=30,model=uniform", "alphabeta:nodes=200,table=1")
	})
}

// searchThird has both engines find the win that exhaustive search proves.
func searchThird(t *testing.T, v Variant, net *Net) {
	pos, err := v.Parse("b2a1")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClassical(v, ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Search(t.Context(), pos, alphabeta.Limits{Depth: 5})
	if err != nil {
		t.Fatal(err)
	}
	if plies, claimed := r.Score.Claim(); !claimed || plies != 3 {
		t.Errorf("alpha-beta: %v by %s, want a win in 3", r.Score, v.Notation().FormatMove(r.Move))
	}
	eval, err := net.Evaluator(nn.EvaluatorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := mcts.New(mcts.Options{}, eval, v.Solvers(DefaultSolvers()))
	if err := s.SetPosition(v.Searchable(pos)); err != nil {
		t.Fatal(err)
	}
	if err := s.Search(t.Context(), mcts.Limits{Playouts: 2000}); err != nil {
		t.Fatal(err)
	}
	var found mcts.Result
	if s.Result(&found); found.Proven != mcts.Win {
		t.Errorf("tree search: %v in %d plies, want a win", found.Proven, found.ProofPlies)
	}
}

// selfplayNew plays games, writes their samples and verifies them.
func selfplayNew(t *testing.T, net *Net) {
	setup, err := SelfplaySetup(net, SelfplayOptions{Seed: 1, Capacity: 16, SolverNodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sum, err := selfplay.Run(t.Context(), setup, selfplay.Options{Games: 6, Playouts: 20, Opening: selfplay.Opening{MaxPlies: 2}}, selfplay.Host{Dir: dir})
	if err != nil || sum.OnDisk != 6 {
		t.Fatalf("%+v, %v", sum, err)
	}
	report, err := samples.Verify(t.Context(), samples.Disk{}, SampleKit, 10, dir)
	if err != nil || report.Bad != 0 || report.Games != 6 {
		t.Errorf("%+v, %v", report, err)
	}
}

// matchNew has two players meet.
func matchNew(t *testing.T, v Variant, descriptions ...string) {
	players := NewPlayers(NewLoader(LoaderOptions{Threads: 1}), v, 1, 0)
	defer players.Close()
	var entrants []arena.Entrant
	for _, text := range descriptions {
		spec, err := parsePlayer(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := players.Entrant(spec)
		if err != nil {
			t.Fatal(err)
		}
		entrants = append(entrants, e)
	}
	start, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	match, err := arena.New(arena.Options{
		Entrants: entrants, Games: 4, Start: start, Notation: v.Notation(), Setting: v.String(),
		Openings: &arena.RandomOpenings{Start: start, Plies: 1, Seed: 1, Candidates: v.Candidates()},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := match.Run(t.Context())
	if s := r.Summary(); err != nil || s.Games != 4 || s.Forfeits != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
