package analysis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/mcts"
)

// What solved endgames say of a position stands beside the engines' opinions, which then
// are their own if that is wanted; of other positions and games nothing is said.
func TestEndgame(t *testing.T) {
	e := enginetest.Endgames(t, 3)
	o := small()
	o.Tree.Endgames = e
	o.Tree.Solvers = games.SolverNodes{} // so that only the endgames know
	o.Classical.SetEndgames(e)
	v := enginetest.Variant(t, games.VariantOptions{Game: games.Onitama})
	n, rng := v.Notation(), rand.New(rand.NewPCG(1, 2))
	results := map[string]int{}
	for i := range 12 {
		pos := e.Random(rng)
		text := v.FormatGame(pos, nil)
		p := told(t, o, fmt.Sprintf(`{"id":"p%d","action":"query_position","game":"onitama","initialPosition":%q,"moves":[]}`, i, text))
		got := p.Endgame
		result, plies := e.Probe(pos)
		if got == nil || got.Result != result.String() || got.Plies != plies || len(got.Line) != plies || got.Moves[0].Result != got.Result || got.Moves[0].Plies != plies {
			t.Fatalf("%s: %+v; want %v in %d", text, got, result, plies)
		}
		if (got.Winner == p.CurrentPlayer) != (result == mcts.Win) {
			t.Errorf("%s: %s wins a %v", text, got.Winner, result)
		}
		results[got.Result]++
		var names []string
		for j, m := range got.Moves {
			names = append(names, m.Move)
			if j > 0 && rankOf(t, m) > rankOf(t, got.Moves[j-1]) {
				t.Errorf("%s: %+v comes after a worse move", text, m)
			}
			moves, err := n.ParseMoves(m.Move)
			if err != nil {
				t.Fatal(err)
			}
			after := pos.Clone()
			after.Play(moves[0])
			want, left := mcts.Win, 0
			if after.Outcome() == game.Undecided {
				want, left = e.Probe(after)
				want = want.Flip()
			}
			if m.Result != want.String() || m.Plies != left+1 {
				t.Errorf("%s: %+v; want %v in %d", text, m, want, left+1)
			}
		}
		if slices.Sort(names); len(names) != len(p.Legal) || len(slices.Compact(names)) != len(p.Legal) {
			t.Errorf("%s: %v of %v", text, names, p.Legal)
		}
		query := func(more string) message {
			return ask(t, o, fmt.Sprintf(`{"id":"q","game":"onitama","initialPosition":%q,"moves":[],"engine":"each","maxVisits":2,"maxNodes":2%s}`, text, more))[0]
		}
		knowing := query("")
		if knowing.Endgame == nil || knowing.RootInfo.Proven == nil || knowing.RootInfo.Proven.Plies != plies || knowing.RootInfo.Proven.Result != got.Result {
			t.Errorf("%s: the tree search says %+v with the endgames", text, knowing.RootInfo)
		}
		alone := query(`,"useEndgames":false`)
		if alone.Endgame == nil || alone.Endgame.Plies != plies {
			t.Errorf("%s: %+v beside engines without endgames", text, alone.Endgame)
		}
		if p := alone.RootInfo.Proven; plies > 3 && p != nil || alone.RootInfo.Visits != 2 && plies > 3 {
			t.Errorf("%s: after two visits without endgames the tree search knows %+v", text, p)
		}
	}
	if results["win"] == 0 || results["loss"] == 0 {
		t.Errorf("only %v was looked up", results)
	}
	for _, query := range []string{`"game":"onitama","initialPosition":"Monkey,Crane/Tiger,Crab/Dragon"`, `"game":"onitama","initialPosition":"Boar,Ox/Eel,Frog/Cobra 2O2/5/5/5/2X2 first"`, `"rules":"caro"`} {
		if p := told(t, o, `{"id":"p","action":"query_position",`+query+`,"moves":[]}`); p.Endgame != nil {
			t.Errorf("%s: %+v", query, p.Endgame)
		}
	}
}

// rankOf orders what moves come to.
func rankOf(t *testing.T, m EndgameMove) int {
	t.Helper()
	proof, ok := map[string]mcts.Proof{"win": mcts.Win, "loss": mcts.Loss, "draw": mcts.Draw}[m.Result]
	if !ok {
		t.Fatalf("%+v", m)
	}
	return games.EndgameRank(proof, m.Plies)
}

// A level plays as strong as it was measured, whatever endgames the service has.
func TestLevelKnowsNoEndgames(t *testing.T) {
	e := enginetest.Endgames(t, 2)
	with := small()
	with.Tree.Endgames = e
	with.Classical.SetEndgames(e)
	v := enginetest.Variant(t, games.VariantOptions{Game: games.Onitama})
	rng := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		line := fmt.Sprintf(`{"id":"q","game":"onitama","initialPosition":%q,"moves":[],"level":"easy","seed":5}`, v.FormatGame(e.Random(rng), nil))
		a, b := ask(t, with, line)[0], ask(t, small(), line)[0]
		if a.RootInfo.Choice != b.RootInfo.Choice || a.RootInfo.Nodes != b.RootInfo.Nodes {
			t.Errorf("%s: %+v; want %+v", line, a.RootInfo, b.RootInfo)
		}
	}
}
