package crosscheck

import (
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
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
