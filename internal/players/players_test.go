package players

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/models"
)

func TestSpecsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"mcts:playouts=10,visits=5":            "",
		"mcts:time=200ms":                      "",
		"mcts:playouts=0":                      "budget",
		"mcts:colour=red":                      "colour",
		"mcts:playouts=1,reuse=perhaps":        "reuse",
		"mcts:playouts=1,model=uniform,tc=1+x": "tc",
		"alphabeta:":                           "",
		"alphabeta:time=200ms,threads=2":       "",
		"alphabeta:depth=5,rfp=off,lmr=80":     "",
		"alphabeta:level=easy,table=1":         "",
		"alphabeta:playouts=5":                 "playouts",
		"alphabeta:level=clever":               "medium",
		"alphabeta:level=easy,nodes=5":         "level",
		"alphabeta:history=3":                  "on or off",
	} {
		_, err := parsePlayer(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(),
			"time control")):
			t.Errorf("%s: %v, want an error about %s", text, err, want)
		}
	}
}

// A player's games depend on the seed and the moves alone, and where chance plays on the seed.
func TestPlayersAreRepeatable(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle", Size: 9})
	play := func(text string, seed uint64) (moves []game.Move) {
		spec, err := parsePlayer(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewPlayers(networks.NewLoader(networks.LoaderOptions{Threads: 1}), v, 1, 0).Entrant(spec)
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.New()
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // nothing of the first game may change the second
			moves = nil
			pos := enginetest.Parse(t, v, "e5d6")
			if err := p.NewGame(t.Context(), arena.Start{Seed: seed}); err != nil {
				t.Fatal(err)
			}
			for len(moves) < 6 && pos.Outcome() == game.Undecided {
				a, err := p.Think(t.Context(), pos.Clone(), engine.Limits{})
				if err != nil || !pos.Legal(a.Move) {
					t.Fatalf("%+v, %v", a, err)
				}
				pos.Play(a.Move)
				moves = append(moves, a.Move)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		return moves
	}
	const noisy = "mcts:playouts=30,model=uniform,noise=true,temperature=1"
	for _, text := range []string{"alphabeta:nodes=400,table=1", "alphabeta:depth=3,table=1",
		"alphabeta:level=easy,table=1", "mcts:visits=40,model=uniform,reuse=false", noisy} {
		if a, b := play(text, 7), play(text, 7); !slices.Equal(a, b) {
			t.Errorf("%s plays %v and %v", text, a, b)
		}
	}
	if slices.Equal(play(noisy, 7), play(noisy, 8)) {
		t.Error("the seed changes nothing")
	}
	play("alphabeta:nodes=300,table=1,threads=2", 7)
}

// Without a network openings are judged by a search, a pure function of the
// position.
func TestClassicalBalance(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	spec, err := parsePlayer("alphabeta:nodes=5")
	if err != nil {
		t.Fatal(err)
	}
	judge, err := NewPlayers(nil, v, 1, 0).balance([]PlayerSpec{spec})
	if err != nil {
		t.Fatal(err)
	}
	won, err := judge(t.Context(), enginetest.Parse(t, v, "h8a1i8a2j8a3"))
	if err != nil || won != 1 {
		t.Errorf("a won position is worth %v, %v", won, err)
	}
	open := enginetest.Parse(t, v, "h8i9")
	first, err := judge(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := judge(t.Context(), enginetest.Parse(t, v, "h8i9i8")); err != nil {
		t.Fatal(err)
	}
	if again, err := judge(t.Context(), open); err != nil || again != first {
		t.Errorf("%v, then %v, %v", first, again, err)
	}
}

// The parts of a match player name the budget where neither its description nor the
// usual default does.
func TestMatchNamesTheLeafBudget(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"mcts:model=taught7-line16,playouts=5":            strconv.Itoa(games.LineLeafFours),
		"mcts:model=taught7-line16,playouts=5,solver=500": "",
		"mcts:model=uniform,playouts=5":                   "",
	} {
		spec, err := parsePlayer(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewPlayers(networks.NewLoader(networks.LoaderOptions{}), v, 1, 0).Entrant(spec)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := e.Parts()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, part := range parts {
			if part.What == "solver" {
				got = part.Name
			}
		}
		if got != want {
			t.Errorf("%s: parts %+v, want the solver %q", text, parts, want)
		}
	}
}

// BestWeights search as the network does that the manifest names for rule and size,
// and as the fitted weights where it names none; a level has the fitted ones.
func TestBestWeights(t *testing.T) {
	think := func(o games.VariantOptions, c engine.ClassicalOptions) (int, int64) {
		c.Search.TableMiB = 1
		v := enginetest.Variant(t, o)
		e, err := engine.NewClassical(v, c)
		if err != nil {
			t.Fatal(err)
		}
		a := enginetest.Answer(t, e, t.Context(), enginetest.Parse(t, v, "e5f6e6e7d5f5"), engine.Limits{Depth: 3})
		return a.Moves[0].Score, a.Stats.Nodes
	}
	judges := 0
	for _, rule := range []string{"caro", "freestyle", "school42"} {
		for _, size := range []int{8, 15, 20, 22} {
			o, c := games.VariantOptions{Rule: rule, Size: size}, engine.ClassicalOptions{}
			entry, found, err := models.ForClassical(rule, size)
			if err == nil && found {
				judges++
				c.Judge, err = networks.LoadJudge(entry.Name)
			}
			if err != nil {
				t.Fatal(err)
			}
			score, nodes := think(o, c)
			if s, n := think(o, engine.ClassicalOptions{Weights: games.BestWeights}); s != score || n != nodes {
				t.Errorf("%s %d: score %d, %d nodes; want %d, %d", rule, size, s, n, score, nodes)
			}
			level := engine.Level{Name: "test", Nodes: 500, Lines: 1}
			score, nodes = think(o, engine.ClassicalOptions{Level: level})
			if s, n := think(o, engine.ClassicalOptions{Level: level, Weights: games.BestWeights}); s != score || n != nodes {
				t.Errorf("%s %d, at a level: score %d, %d nodes; want %d, %d", rule, size, s, n, score, nodes)
			}
		}
	}
	if judges == 0 {
		t.Error("no shipped network judges anywhere")
	}
	if _, err := engine.NewClassical(enginetest.Variant(t, games.VariantOptions{Game: games.Onitama}),
		engine.ClassicalOptions{Weights: games.BestWeights}); err != nil {
		t.Errorf("onitama: %v", err)
	}
}

// Players are judged by what their descriptions say, and by the best without a word.
func TestPlayersJudge(t *testing.T) {
	for text, want := range map[string]games.Weights{
		"alphabeta": games.BestWeights, "alphabeta:weights=best": games.BestWeights,
		"alphabeta:net=none":       games.FittedWeights,
		"alphabeta:weights=fitted": games.FittedWeights, "alphabeta:weights=hand": games.HandWeights,
	} {
		spec, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseClassical(spec)
		if err != nil || s.Weights != want || s.Judge != nil {
			t.Errorf("%s: %v, %v; want %v and no network yet", text, s, err, want)
		}
	}
}
