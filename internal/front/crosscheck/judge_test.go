package crosscheck

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/record/gamefiles"
)

// A judge that is given both answers says what the row of a run says.
func TestJudgeAgreesWithRows(t *testing.T) {
	v := variant(t, "freestyle", 9)
	net, err := networks.NewLoader(networks.LoaderOptions{Threads: 1}).Open(v, networks.Uniform)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := search.NewTree(net, search.TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	classical, err := search.NewClassical(v, search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		t.Fatal(err)
	}
	e := Engines{MCTS: tree, AlphaBeta: classical}
	o := Options{Playouts: 20, Nodes: 2000, SolverNodes: 5000}
	verdicts := map[Verdict]int{}
	for _, text := range []string{"e5e6d5", "e5e6d5d6f5", "e5f6d5d6f5", "e5f6e6e7d5d6"} {
		_, moves, err := v.ParseGame(text)
		if err != nil {
			t.Fatal(err)
		}
		g := &gamefiles.Game{Variant: v, Moves: moves}
		want, err := newExaminer(e, o.WithDefaults()).row(context.Background(), sample{game: g, plies: len(moves)})
		if err != nil {
			t.Fatal(err)
		}
		pos, _ := v.Parse(text)
		tree.Forget()
		classical.Forget()
		a, _ := tree.Think(t.Context(), pos, engine.Limits{Nodes: 20})
		b, _ := classical.Think(t.Context(), pos, engine.Limits{Nodes: 2000})
		got, err := NewJudge(v, v.Notation(), e, o).Row(t.Context(), pos, a, b)
		if err != nil {
			t.Fatal(err)
		}
		got.Format, got.Version, got.Run, got.Source, got.Rule, got.Size = want.Format, want.Version, want.Run, want.Source, want.Rule, want.Size
		got.Position, got.Ply, got.ToMove, got.Outcome = want.Position, want.Ply, want.ToMove, want.Outcome
		x, _ := json.Marshal(got)
		y, _ := json.Marshal(want)
		if string(x) != string(y) {
			t.Errorf("%s:\n%s\n%s", text, x, y)
		}
		verdicts[got.Verdict]++
	}
	if len(verdicts) < 2 {
		t.Errorf("only %v", verdicts)
	}
}
