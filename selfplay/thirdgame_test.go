package selfplay

import (
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// A game is described once: with its file and its line in the list it is searched
// by both engines, plays itself, and its samples and matches work.
func TestAThirdGame(t *testing.T) {
	v := enginetest.AddToyGame(t)
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
	if s.Result(&found); found.Proven != game.Won {
		t.Errorf("tree search: %v in %d plies, want a win", found.Proven, found.ProofPlies)
	}
}

// selfplayNew plays games, writes their samples and verifies them.
func selfplayNew(t *testing.T, net *networks.Net) {
	setup, err := Run{Options: Options{Seed: 1}, SolverNodes: 100}.Setup(net, Machine{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sum, err := Play(t.Context(), setup, Options{Games: 6, Playouts: 20, Opening: Opening{MaxPlies: 2}}, Host{Dir: dir})
	if err != nil || sum.OnDisk != 6 {
		t.Fatalf("%+v, %v", sum, err)
	}
	report, err := samples.Verify(t.Context(), SampleCodec, 10, dir)
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
