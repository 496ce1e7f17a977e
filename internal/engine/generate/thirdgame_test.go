package generate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
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
var mnkGame = games.Game{
	Name:     "mnk",
	RuleSets: []string{"three"},
	Inputs:   games.Inputs{Version: "mnk-1", Planes: []string{"own", "opp"}, Globals: []string{"ply"}},
	Check: func(o games.VariantOptions) (games.VariantOptions, any, error) {
		if o.Size != 0 && o.Size != mnkSide {
			return o, nil, fmt.Errorf("size %d: want %d", o.Size, mnkSide)
		}
		return games.VariantOptions{Size: mnkSide, Rule: "three"}, nil, nil
	},
	Parameters: func(games.Variant) any { return struct{ Name string }{"three"} },
	Start:      func(games.Variant, *rand.Rand) (game.Position, error) { return newMNK(), nil },
	Position: func(_ games.Variant, text string) (game.Position, error) {
		pos := newMNK()
		moves, err := pos.Notation().ParseMoves(text)
		for _, m := range moves {
			pos.Play(m)
		}
		return pos, err
	},
	Parse: func(_ games.Variant, text string) (game.Position, []game.Move, error) {
		moves, err := newMNK().Notation().ParseMoves(text)
		return newMNK(), moves, err
	},
	Format: func(_ games.Variant, _ game.Position, moves []game.Move) string {
		return newMNK().Notation().FormatMoves(moves)
	},
	Diagram:   func(games.Variant, games.Diagram) (game.Position, error) { return nil, fmt.Errorf("no diagrams") },
	Notation:  func(games.Variant) game.Notation { return newMNK().Notation() },
	Encoder:   func(games.Variant) (nn.Encoder, error) { return mnkEncoder{}, nil },
	Classical: func(games.Variant, games.Evaluation) alphabeta.Game { return alphabeta.Plain{} },
	Columns:   func(games.Variant) int { return mnkSide },
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
func thirdGame(t *testing.T) games.Variant {
	t.Helper()
	t.Cleanup(games.Add(&mnkGame))
	v, err := games.NewVariant(games.VariantOptions{Game: "mnk"})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A game is described once: with its file and its line in the list it is searched
// by both engines, plays itself, and its samples and matches work.
func TestAThirdGame(t *testing.T) {
	v := thirdGame(t)
	net := enginetest.Uniform(t, v)
	t.Run("search", func(t *testing.T) { searchThird(t, v, net) })
	t.Run("selfplay", func(t *testing.T) { selfplayNew(t, net) })
	t.Run("match", func(t *testing.T) {
		matchNew(t, v, "mcts:playouts=30,model=uniform", "alphabeta:nodes=200,table=1")
	})
}

// searchThird has both engines find the win that exhaustive search proves.
func searchThird(t *testing.T, v games.Variant, net *networks.Net) {
	pos, err := v.Parse("b2a1")
	if err != nil {
		t.Fatal(err)
	}
	c, err := search.NewClassical(v, search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
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
	s := mcts.New(mcts.Options{}, eval, v.Solvers(games.DefaultSolvers()))
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
func selfplayNew(t *testing.T, net *networks.Net) {
	setup, err := SelfplaySetup(net, SelfplayOptions{Seed: 1, Capacity: 16, SolverNodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sum, err := selfplay.Run(t.Context(), setup, selfplay.Options{Games: 6, Playouts: 20, Opening: selfplay.Opening{MaxPlies: 2}}, selfplay.Host{Dir: dir})
	if err != nil || sum.OnDisk != 6 {
		t.Fatalf("%+v, %v", sum, err)
	}
	report, err := samples.Verify(t.Context(), samples.Disk{}, SampleCodec, 10, dir)
	if err != nil || report.Bad != 0 || report.Games != 6 {
		t.Errorf("%+v, %v", report, err)
	}
}

// matchNew has two players meet.
func matchNew(t *testing.T, v games.Variant, descriptions ...string) {
	entrants := players.NewPlayers(networks.NewLoader(networks.LoaderOptions{Threads: 1}), v, 1, 0)
	defer entrants.Close()
	var both []arena.Entrant
	for _, text := range descriptions {
		parsed, err := players.ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := players.ParsePlayer(parsed)
		if err != nil {
			t.Fatal(err)
		}
		e, err := entrants.Entrant(spec)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, e)
	}
	start, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	match, err := arena.New(arena.Options{
		Entrants: both, Games: 4, Start: start, Notation: v.Notation(), Setting: v.String(),
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
