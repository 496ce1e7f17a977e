package selfplay

import (
	"context"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/search"
)

// labelled returns the setup of games that a classical player plays.
func labelled(tb testing.TB, v games.Variant, player string) Setup {
	tb.Helper()
	setup, err := (&Run{Player: player}).labelled(v)
	if err != nil {
		tb.Fatal(err)
	}
	return setup
}

// TestTeacherSaysWhatTheSearchSays compares a teacher's opinion to the search that
// it stands for, in every rule set.
func TestTeacherSaysWhatTheSearchSays(t *testing.T) {
	for _, rule := range games.RuleNames() {
		v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: 15})
		if err != nil {
			t.Fatal(err)
		}
		labeler, err := parseAlphaBeta("alphabeta:nodes=500")
		if err != nil {
			t.Fatal(err)
		}
		teacher, err := labelled(t, v, "alphabeta:nodes=500").Labeler(0)
		if err != nil {
			t.Fatal(err)
		}
		search, err := search.NewClassical(v, labeler.engine)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"h8", "h8i9j7", "h8i9j7i8g8k9", "h8a1i8a3"} {
			pos, err := v.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			teacher.Forget()
			search.Forget()
			var o Opinion
			if err := teacher.Search(context.Background(), pos, 3, &o); err != nil {
				t.Fatal(err)
			}
			r, err := search.Search(context.Background(), pos, alphabeta.Limits{Nodes: 500, Lines: 3})
			if err != nil {
				t.Fatal(err)
			}
			if len(o.Moves) != len(r.Lines) || o.Moves[0].Move != r.Move {
				t.Fatalf("%s %s: %v, the search has %v", rule, text, o.Moves, r.Lines)
			}
			for i, l := range r.Lines {
				if m := o.Moves[i]; m.Move != l.Moves[0] || m.Value != v.Curve().Value(l.Score) {
					t.Errorf("%s %s: line %d is %v, the search has %v worth %v", rule, text, i, m, l.Moves[0], l.Score)
				}
			}
			if o.Proven == game.Won {
				if _, ok := v.Certify(context.Background(), pos, 100_000); !ok {
					t.Errorf("%s %s: proven, but nothing can be replayed", rule, text)
				}
			}
		}
	}
}

// TestTeacherTakesWins wants all moves that win at once, and nothing else.
func TestTeacherTakesWins(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle"})
	if err != nil {
		t.Fatal(err)
	}
	teacher, err := labelled(t, v, "alphabeta:nodes=50").Labeler(0)
	if err != nil {
		t.Fatal(err)
	}
	pos, err := v.Parse("h8a1i8a3j8a5k8a7")
	if err != nil {
		t.Fatal(err)
	}
	var o Opinion
	if err := teacher.Search(context.Background(), pos, 1, &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Moves) != 2 || o.Proven != game.Won || o.Moves[0].Value != 1 || o.Moves[1].Value != 1 || teacher.Nodes() != 0 {
		t.Errorf("%+v after %d nodes, want the two fives", o, teacher.Nodes())
	}
}

// TestLabelsNameTheirWeights wants weights told apart, and the whole budget in the shards.
func TestLabelsNameTheirWeights(t *testing.T) {
	digests := map[string]string{}
	for _, rule := range []string{"caro", "renju", "freestyle"} {
		for _, weights := range []string{"fitted", "hand"} {
			v, err := games.NewVariant(games.VariantOptions{Rule: rule})
			if err != nil {
				t.Fatal(err)
			}
			h := labelled(t, v, "alphabeta:weights="+weights).Header
			before, known := digests[h.ModelSHA256]
			if known && before != weights || known && weights == "fitted" || len(h.ModelSHA256) != 64 || h.Model != "alphabeta" {
				t.Errorf("%s %s: model %s, digest %q as with %s weights", rule, weights, h.Model, h.ModelSHA256, before)
			}
			digests[h.ModelSHA256] = weights
			if got, _ := h.Search.Get("player"); got != "alphabeta:weights="+weights+",nodes=2000,table=2" {
				t.Errorf("player %v", got)
			}
		}
	}
}

func TestparseAlphaBeta(t *testing.T) {
	for _, text := range []string{
		"mcts", "alphabeta:threads=2", "alphabeta:time=1s", "alphabeta:level=hard", "alphabeta:ponder=true", "alphabeta:nodes=0",
	} {
		if _, err := parseAlphaBeta(text); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
