package selfplay

import (
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// The budget of the leaf solver follows the kind of network, and what records a
// search records the number; a budget that was asked for stays.
func TestLeafBudgetFollowsTheNetwork(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Size: 9})
	for model, want := range map[string]int{"taught7-line16": games.LineLeafFours, networks.Uniform: games.LeafNodes} {
		n, err := networks.NewLoader(networks.LoaderOptions{}).Open(v, model)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		for _, c := range []struct{ asked, want int }{{games.ByNetwork, want}, {0, 0}, {77, 77}} {
			tree, err := engine.NewTree(n,
				engine.TreeOptions{Solvers: games.SolverNodes{Leaf: c.asked, Root: 9, Replies: 8, Fours: true}})
			settled := games.SolverNodes{Leaf: c.want, Root: 9, Replies: 8, Fours: c.want > 0}
			if err != nil || tree.Options().Solvers != settled {
				t.Errorf("%s, asked for %d: %+v, %v", model, c.asked, tree.Options().Solvers, err)
			}
			setup, err := Run{SolverNodes: c.asked, Fours: true}.Setup(n, Machine{})
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := setup.Header.Search.Get("solver_nodes"); got != int64(c.want) {
				t.Errorf("%s, asked for %d: the shards say %v", model, c.asked, got)
			}
			if got, _ := setup.Header.Search.Get("leaf_solver"); (got == "fours") != (c.want > 0) {
				t.Errorf("%s, asked for %d: the shards name the solver %v", model, c.asked, got)
			}
		}
		// A run of before the fours were known goes on with vcf and says nothing of it.
		old, err := Run{SolverNodes: games.LineLeafNodes}.Setup(n, Machine{})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := old.Header.Search.Get("leaf_solver"); ok {
			t.Errorf("%s: an old run names the solver %v", model, got)
		}
	}
}

// The policy's temperature divides what the network says; shards tell of it where it is
// not 1.
func TestPolicyTemperature(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Size: 9})
	n, err := networks.NewLoader(networks.LoaderOptions{}).Open(v, "taught7-line16")
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	var best [2]float32
	for i, asked := range []float32{0, 1, 1.3} {
		setup, err := Run{PolicyTemperature: asked}.Setup(n, Machine{})
		if err != nil {
			t.Fatal(err)
		}
		if got, told := setup.Header.Search.Get("policy_temperature"); told != (i == 2) || told && got != 1.3 {
			t.Errorf("temperature %v: the shards say %v", asked, got)
		}
		eval, err := setup.Evaluator(0, nil)
		if err != nil {
			t.Fatal(err)
		}
		pos := setup.Start.Clone()
		moves := pos.Moves(nil)
		out := nn.Result{Priors: make([]float32, len(moves))}
		if !eval.Add(pos, eval.Tag(pos), moves, &out) {
			if err := eval.Wait(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		best[i/2] = slices.Max(out.Priors)
	}
	if !(best[1] < best[0]) {
		t.Errorf("the likeliest move has %v, and %v when divided by 1.3", best[0], best[1])
	}
}

// A game is described once: with its file and its line in the list both engines find the win
// that exhaustive search proves, it plays itself, and its samples verify.
func TestAThirdGame(t *testing.T) {
	v := enginetest.AddToyGame(t)
	net := enginetest.Uniform(t, v)
	pos := enginetest.Parse(t, v, "b2a1")
	c, err := engine.NewClassical(v, engine.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := c.Search(t.Context(), pos, alphabeta.Limits{Depth: 5})
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

func TestSampleCodecRefusesOtherParameters(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "renju", Size: 9, OpenRule: true})
	rule, err := samples.FieldsOf(v.Parameters())
	if err != nil {
		t.Fatal(err)
	}
	h := &samples.Header{Game: games.Gomoku, Rule: rule, Size: 9}
	codec, err := SampleCodec(h)
	if err != nil {
		t.Fatal(err)
	}
	// The opening rule must have come through.
	start, _, err := codec.Parse("")
	if err != nil {
		t.Fatal(err)
	}
	start.Play(start.Moves(nil)[40])
	start.Play(start.Moves(nil)[0])
	if start.Legal(41) {
		t.Error("the third stone beside the first is legal under the opening rule")
	}
	for i := range rule {
		changed := append(samples.OrderedMap{}, rule...)
		changed[i].Value = "other"
		if _, err := SampleCodec(&samples.Header{Game: games.Gomoku, Rule: changed, Size: 9}); err == nil {
			t.Errorf("parameter %s may be anything", rule[i].Key)
		}
	}
	for _, bad := range []*samples.Header{
		{Game: "chess", Rule: rule, Size: 9}, {Game: games.Gomoku, Size: 9}, {Game: games.Gomoku, Rule: rule, Size: 99},
		{
			Game: games.Gomoku, Rule: append(rule[:len(rule):len(rule)], samples.Field{Key: "more", Value: true}),
			Size: 9,
		},
	} {
		if _, err := SampleCodec(bad); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}
