package crosscheck

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/search"
)

// A move that loses is a blunder only where a move is shown to hold, or where there
// was a win; a win is missed only where it is shown to be gone.
func TestWhatConvicts(t *testing.T) {
	fine := finding{}
	for name, c := range map[string]struct {
		mcts, alphaBeta finding
		won             bool
		lost            vcf.Outcome
		want            judgement
	}{
		"loses where a move holds":           {finding{loses: true}, fine, false, vcf.None, shown(MCTSBlunder, Loses, "")},
		"loses where none is shown to":       {finding{loses: true}, fine, false, vcf.Unknown, judgement{Unproven, blunder{kind: Loses}, blunder{}}},
		"loses where every move does":        {finding{loses: true}, fine, false, vcf.Win, judgement{verdict: Differ}},
		"loses a won position":               {finding{left: vcf.Win}, finding{loses: true}, true, vcf.Unknown, shown(AlphaBetaBlunder, "", Loses)},
		"both lose where a third move holds": {finding{loses: true}, finding{loses: true}, false, vcf.None, shown(MCTSBlunder, Loses, Loses)},
		"the win is gone":                    {finding{left: vcf.None}, finding{left: vcf.Win}, true, vcf.Unknown, shown(MCTSBlunder, Misses, "")},
		"the win may be gone":                {finding{left: vcf.Unknown}, finding{left: vcf.Win}, true, vcf.Unknown, judgement{Unproven, blunder{kind: Misses}, blunder{}}},
		"the move is claimed to win":         {finding{left: vcf.None, claimed: true}, finding{left: vcf.Win}, true, vcf.Unknown, judgement{verdict: Differ}},
		"the move ends the game with a win":  {finding{wins: true}, finding{left: vcf.None}, true, vcf.Unknown, shown(AlphaBetaBlunder, "", Misses)},
	} {
		if got := judge(c.mcts, c.alphaBeta, c.won, c.lost); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

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

// conviction is one engine's blunder in a row.
type conviction struct {
	kind  string
	move  game.Move
	proof *ProofView
}

func convictionsOf(r *Row, mcts, alphaBeta *engine.Answer) (list []conviction) {
	if r.MCTSBlunder != "" {
		list = append(list, conviction{r.MCTSBlunder, mcts.Move, r.Proof})
	}
	if r.AlphaBetaBlunder != "" {
		proof := r.Proof
		if r.AlphaBetaProof != nil {
			proof = r.AlphaBetaProof
		}
		list = append(list, conviction{r.AlphaBetaBlunder, alphaBeta.Move, proof})
	}
	return list
}

// checkConviction checks the certificate of a conviction, and that it is of its position.
func checkConviction(t testing.TB, v games.Variant, pos game.Position, c conviction) {
	t.Helper()
	if c.kind == Loses {
		pos.Play(c.move)
		defer pos.Undo()
	}
	facts, err := games.CheckCertificate(t.Context(), c.proof.Certificate)
	if err != nil {
		t.Errorf("%s: %v\n%v", c.kind, err, pos)
		return
	}
	board := pos.(interface{ String() string }).String()
	if facts.Winner != pos.ToMove() || facts.ToMove != pos.ToMove() || facts.Rule != v.Rule() || facts.Board+"\n" != board {
		t.Errorf("%s: %v wins in\n%s\nwant %v in\n%s", c.kind, facts.Winner, facts.Board, pos.ToMove(), board)
	}
}
