package engine

import (
	"testing"

	"github.com/carozero/carozero/internal/think"
	"github.com/carozero/carozero/models"
)

// BestWeights search as the network does that the manifest names for rule and size,
// and as the fitted weights where it names none; a level has the fitted ones.
func TestBestWeights(t *testing.T) {
	search := func(o VariantOptions, c ClassicalOptions) (int, int64) {
		c.Search.TableMiB = 1
		v := variant(t, o)
		e, err := NewClassical(v, c)
		if err != nil {
			t.Fatal(err)
		}
		a := answer(t, e, t.Context(), parse(t, v, "e5f6e6e7d5f5"), think.Limits{Depth: 3})
		return a.Moves[0].Score, a.Stats.Nodes
	}
	judges := 0
	for _, rule := range []string{"caro", "freestyle", "school42"} {
		for _, size := range []int{8, 15, 20, 22} {
			o, c := VariantOptions{Rule: rule, Size: size}, ClassicalOptions{}
			entry, found, err := models.ForClassical(rule, size)
			if err == nil && found {
				judges++
				c.Judge, err = loadJudge(entry.Name)
			}
			if err != nil {
				t.Fatal(err)
			}
			score, nodes := search(o, c)
			if s, n := search(o, ClassicalOptions{Weights: BestWeights}); s != score || n != nodes {
				t.Errorf("%s %d: score %d, %d nodes; want %d, %d", rule, size, s, n, score, nodes)
			}
			level := Level{Name: "test", Nodes: 500, Lines: 1}
			score, nodes = search(o, ClassicalOptions{Level: level})
			if s, n := search(o, ClassicalOptions{Level: level, Weights: BestWeights}); s != score || n != nodes {
				t.Errorf("%s %d, at a level: score %d, %d nodes; want %d, %d", rule, size, s, n, score, nodes)
			}
		}
	}
	if judges == 0 {
		t.Error("no shipped network judges anywhere")
	}
	if _, err := NewClassical(variant(t, VariantOptions{Game: Onitama}), ClassicalOptions{Weights: BestWeights}); err != nil {
		t.Errorf("onitama: %v", err)
	}
}

// Players are judged by what their descriptions say, and by the best without a word.
func TestPlayersJudge(t *testing.T) {
	for text, want := range map[string]Weights{
		"alphabeta": BestWeights, "alphabeta:weights=best": BestWeights, "alphabeta:net=none": FittedWeights,
		"alphabeta:weights=fitted": FittedWeights, "alphabeta:weights=hand": HandWeights,
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
