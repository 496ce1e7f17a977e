package crosscheck

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"

	"github.com/carozero/carozero/internal/search"
)

// A scene has every stone, the last one marked, both engines' moves, and the lines
// that have moves.
func TestScene(t *testing.T) {
	v := variant(t, "freestyle", 9)
	g := newGrid(9)
	row := &Row{
		Position: "e5a1f5", MCTS: MCTSView{Move: "d5", PV: []string{"d5", "c5"}}, AlphaBeta: AlphaBetaView{Move: "g5"},
		Win: &ProofView{Line: []string{"i9"}},
	}
	s, err := newScene(g, v, row)
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) (int, point) {
		c := int(move(t, v, text))
		return c, g.at(c)
	}
	want := map[string]stone{"e5": {White: false}, "a1": {White: true}, "f5": {Last: true}}
	if len(s.Stones) != len(want) {
		t.Errorf("stones %+v", s.Stones)
	}
	for text, w := range want {
		w.Cell, w.point = at(text)
		found := false
		for _, got := range s.Stones {
			found = found || got == w
		}
		if !found {
			t.Errorf("%s: %+v is not among %+v", text, w, s.Stones)
		}
	}
	_, d5 := at("d5")
	_, g5 := at("g5")
	if fmt.Sprint(s.Marks) != fmt.Sprint([]mark{{d5, "m", "M"}, {g5, "a", "A"}}) {
		t.Errorf("marks %v", s.Marks)
	}
	var names []string
	for _, l := range s.Lines {
		names = append(names, fmt.Sprint(l.Name, " ", len(l.Moves)))
	}
	if got := strings.Join(names, ", "); got != "proven win 1, MCTS 2" {
		t.Errorf("lines %s", got)
	}
}

// A summary counts what kinds of blunders there were, whose, and how predictions
// compare with results where there are any.
func TestSummaryCounts(t *testing.T) {
	a := newTally(9)
	for _, r := range []Row{
		{Verdict: Agree, Outcome: game.Won, MCTS: MCTSView{Value: 1, NetValue: 0}, AlphaBeta: AlphaBetaView{Value: -1}},
		{Verdict: Differ, MCTS: MCTSView{Value: -1}},
		{Verdict: MCTSBlunder, MCTSBlunder: Loses, Outcome: game.Lost, MCTS: MCTSView{Value: -1, NetValue: -1},
			AlphaBeta: AlphaBetaView{Value: -1}},
		{Verdict: MCTSBlunder, MCTSBlunder: Misses, AlphaBetaBlunder: Misses},
		{Verdict: AlphaBetaBlunder, AlphaBetaBlunder: Loses, Outcome: game.Drawn, AlphaBeta: AlphaBetaView{Value: 1}},
	} {
		a.add(&r)
	}
	s := a.summary()
	brier := map[string]float64{}
	for _, c := range s.Calibration {
		if c.N != 3 {
			t.Errorf("%s: %d positions, want the 3 with a result", c.Of, c.N)
		}
		brier[c.Of] = c.Brier
	}
	if s.Positions != 5 || s.Of != 9 || s.Agree != 1 || s.Differ != 1 || s.MCTSBlunders != 2 || s.AlphaBetaBlunder != 1 ||
		s.BothBlunders != 1 ||
		s.MCTSLoses != 1 || s.MCTSMisses != 1 || s.AlphaBetaLoses != 1 || s.AlphaBetaMisses != 1 {
		t.Errorf("%+v", s)
	}
	for of, want := range map[string]float64{"network": rounded(0.25 / 3), nameMCTS: 0,
		nameAlphaBeta: rounded((1 + 0.25) / 3)} {
		if brier[of] != want {
			t.Errorf("%s: Brier score %v, want %v", of, brier[of], want)
		}
	}
}

// An answer of the other side is turned round: its value, its score, and a claim that
// is one ply further away.
func TestTurned(t *testing.T) {
	for _, c := range []struct {
		proof game.Proof
		want  int
	}{
		{game.Proof{}, 0}, {game.Proof{Result: game.Won, Plies: 3}, -4}, {game.Proof{Result: game.Lost, Plies: 4}, 5},
	} {
		v := turned(AlphaBetaView{Move: "a1", Value: 0.25, Score: -70}, &engine.Answer{Proof: c.proof})
		if v.Move != "a1" || v.Value != -0.25 || v.Score != 70 || v.Claim != c.want {
			t.Errorf("%+v: %+v", c.proof, v)
		}
	}
}

// A line that expects nothing after the winner's move goes on with any reply.
func TestLineWithoutAReply(t *testing.T) {
	v := variant(t, "freestyle", 9)
	pos, err := v.Parse("e5a1f5a3g5a5")
	if err != nil {
		t.Fatal(err)
	}
	h5, d5 := move(t, v, "h5"), move(t, v, "d5")
	said := answers{pos.Hash(): {By: byClaim, Line: []game.Move{h5}}}
	line := said.line(pos)
	if len(line) != 3 || line[0] != h5 || pos.Ply() != 6 {
		t.Fatalf("%s", v.Notation().FormatMoves(line))
	}
	said[pos.Hash()] = Proof{By: byClaim, Line: []game.Move{h5, d5}}
	if line = said.line(pos); len(line) != 3 || line[1] != d5 {
		t.Errorf("%s, want the reply that was expected", v.Notation().FormatMoves(line))
	}
}

// thinks counts what an engine is asked.
type thinks struct {
	engine.Engine
	n int
}

func (e *thinks) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	e.n++
	return e.Engine.Think(ctx, pos, l)
}

// The replay of a claim asks the engine so many times and no more: a claim with more
// defences than that is not proven.
func TestReplaysAreBounded(t *testing.T) {
	v := variant(t, "freestyle", 15)
	classical, err := search.NewClassical(v, search.ClassicalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer classical.Close()
	pos, err := v.Parse("h8a1i8a3j9a15j10o15") // a stone that makes two open threes wins in 5
	if err != nil {
		t.Fatal(err)
	}
	o, err := think(t.Context(), classical, pos, 20_000)
	if err != nil || o.Proof.Result != game.Won || o.Proof.Plies < 5 {
		t.Fatalf("%+v, %v", o, err)
	}
	e := &thinks{Engine: classical}
	found, err := newProver(v, 0).proveClaim(t.Context(), pos, o, e, 500)
	if err != nil || found != nil || e.n != claimSearches {
		t.Errorf("%d searches, want %d and no proof: %+v, %v", e.n, claimSearches, found, err)
	}
}
