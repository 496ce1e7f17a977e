package crosscheck

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"pgregory.net/rapid"
)

// TestSampling: positions are undecided, behind the opening, as many as asked
// for, and the same for the same seed.
func TestSampling(t *testing.T) {
	v := variant(t, "freestyle", 7)
	open := inputOf(t, v, "games.sgf", gamesOf(t, v, 20))
	rapid.Check(t, func(t *rapid.T) {
		rules := Sampling{
			Every: rapid.IntRange(1, 5).Draw(t, "every"), PerGame: rapid.IntRange(0, 4).Draw(t, "per game"),
			Limit: rapid.IntRange(0, 30).Draw(t, "limit"), Seed: rapid.Uint64().Draw(t, "seed"),
		}
		var texts [2]bytes.Buffer
		for i := range texts {
			games, err := open()
			if err != nil {
				t.Fatal(err)
			}
			s := sampler{games: games, rules: rules}
			perGame := map[string]int{}
			for n := 0; ; n++ {
				one, err := s.next()
				if err != nil {
					break
				}
				pos, err := one.game.At(one.plies)
				if err != nil || pos.Outcome() != game.Undecided || one.index != n {
					t.Fatalf("sample %d: %v, %v, index %d", n, err, pos.Outcome(), one.index)
				}
				if perGame[one.game.Source]++; rules.PerGame > 0 && perGame[one.game.Source] > rules.PerGame {
					t.Fatal("too many of one game")
				}
				fmt.Fprintln(&texts[i], one.game.Source, one.plies)
			}
			games.Close()
			if rules.Limit > 0 && s.given > rules.Limit {
				t.Fatal("over the limit")
			}
		}
		if texts[0].String() != texts[1].String() {
			t.Fatal("not repeatable")
		}
	})
}

// A summary counts what kinds of blunders there were, and whose.
func TestSummaryCounts(t *testing.T) {
	s := Summary{Of: 9}
	for _, r := range []Row{
		{Verdict: Agree, Outcome: game.Won, MCTS: MCTSView{Value: 1, NetValue: 0}, AlphaBeta: AlphaBetaView{Value: -1}},
		{Verdict: Differ, MCTS: MCTSView{Value: -1}},
		{Verdict: MCTSBlunder, MCTSBlunder: Loses, Outcome: game.Lost, MCTS: MCTSView{Value: -1, NetValue: -1},
			AlphaBeta: AlphaBetaView{Value: -1}},
		{Verdict: MCTSBlunder, MCTSBlunder: Misses, AlphaBetaBlunder: Misses},
		{Verdict: AlphaBetaBlunder, AlphaBetaBlunder: Loses, Outcome: game.Drawn, AlphaBeta: AlphaBetaView{Value: 1}},
	} {
		s.add(&r)
	}
	if s.Positions != 5 || s.Of != 9 || s.Agree != 1 || s.Differ != 1 || s.MCTSBlunders != 2 || s.AlphaBetaBlunder != 1 ||
		s.BothBlunders != 1 ||
		s.MCTSLoses != 1 || s.MCTSMisses != 1 || s.AlphaBetaLoses != 1 || s.AlphaBetaMisses != 1 {
		t.Errorf("%+v", s)
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
	classical, err := engine.NewClassical(v, engine.ClassicalOptions{})
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
		"loses where a move holds": {finding{loses: true}, fine, false, vcf.None, shown(MCTSBlunder, Loses, "")},
		"loses where none is shown to": {finding{loses: true}, fine, false, vcf.Unknown,
			judgement{Unproven, blunder{kind: Loses}, blunder{}}},
		"loses where every move does": {finding{loses: true}, fine, false, vcf.Win, judgement{verdict: Differ}},
		"loses a won position": {finding{left: vcf.Win}, finding{loses: true}, true, vcf.Unknown,
			shown(AlphaBetaBlunder, "", Loses)},
		"both lose where a third move holds": {finding{loses: true}, finding{loses: true}, false, vcf.None,
			shown(MCTSBlunder, Loses, Loses)},
		"the win is gone": {finding{left: vcf.None}, finding{left: vcf.Win}, true, vcf.Unknown,
			shown(MCTSBlunder, Misses, "")},
		"the win may be gone": {finding{left: vcf.Unknown}, finding{left: vcf.Win}, true, vcf.Unknown,
			judgement{Unproven, blunder{kind: Misses}, blunder{}}},
		"the move is claimed to win": {finding{left: vcf.None, claimed: true}, finding{left: vcf.Win}, true,
			vcf.Unknown, judgement{verdict: Differ}},
		"the move ends the game with a win": {finding{wins: true}, finding{left: vcf.None}, true, vcf.Unknown,
			shown(AlphaBetaBlunder, "", Misses)},
	} {
		if got := judge(c.mcts, c.alphaBeta, c.won, c.lost); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
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
	if facts.Winner != pos.ToMove() || facts.ToMove != pos.ToMove() || facts.Rule != v.Rule() ||
		facts.Board+"\n" != board {
		t.Errorf("%s: %v wins in\n%s\nwant %v in\n%s", c.kind, facts.Winner, facts.Board, pos.ToMove(), board)
	}
}
