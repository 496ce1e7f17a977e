package players

import (
	"testing"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/models"
)

// BestWeights search as the network does that the manifest names for rule and size,
// and as the fitted weights where it names none; a level has the fitted ones.
func TestBestWeights(t *testing.T) {
	think := func(o games.VariantOptions, c search.ClassicalOptions) (int, int64) {
		c.Search.TableMiB = 1
		v := enginetest.Variant(t, o)
		e, err := search.NewClassical(v, c)
		if err != nil {
			t.Fatal(err)
		}
		a := enginetest.Answer(t, e, t.Context(), enginetest.Parse(t, v, "e5f6e6e7d5f5"), engine.Limits{Depth: 3})
		return a.Moves[0].Score, a.Stats.Nodes
	}
	judges := 0
	for _, rule := range []string{"caro", "freestyle", "school42"} {
		for _, size := range []int{8, 15, 20, 22} {
			o, c := games.VariantOptions{Rule: rule, Size: size}, search.ClassicalOptions{}
			entry, found, err := models.ForClassical(rule, size)
			if err == nil && found {
				judges++
				c.Judge, err = networks.LoadJudge(entry.Name)
			}
			if err != nil {
				t.Fatal(err)
			}
			score, nodes := think(o, c)
			if s, n := think(o, search.ClassicalOptions{Weights: games.BestWeights}); s != score || n != nodes {
				t.Errorf("%s %d: score %d, %d nodes; want %d, %d", rule, size, s, n, score, nodes)
			}
			level := search.Level{Name: "test", Nodes: 500, Lines: 1}
			score, nodes = think(o, search.ClassicalOptions{Level: level})
			if s, n := think(o, search.ClassicalOptions{Level: level, Weights: games.BestWeights}); s != score || n != nodes {
				t.Errorf("%s %d, at a level: score %d, %d nodes; want %d, %d", rule, size, s, n, score, nodes)
			}
		}
	}
	if judges == 0 {
		t.Error("no shipped network judges anywhere")
	}
	if _, err := search.NewClassical(enginetest.Variant(t, games.VariantOptions{Game: games.Onitama}), search.ClassicalOptions{Weights: games.BestWeights}); err != nil {
		t.Errorf("onitama: %v", err)
	}
}

// Players are judged by what their descriptions say, and by the best without a word.
func TestPlayersJudge(t *testing.T) {
	for text, want := range map[string]games.Weights{
		"alphabeta": games.BestWeights, "alphabeta:weights=best": games.BestWeights, "alphabeta:net=none": games.FittedWeights,
		"alphabeta:weights=fitted": games.FittedWeights, "alphabeta:weights=hand": games.HandWeights,
	} {
		spec, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseClassical(spec)
		if err != nil || s.engine.Weights != want || s.engine.Judge != nil {
			t.Errorf("%s: %v, %v; want %v and no network yet", text, s, err, want)
		}
	}
}
