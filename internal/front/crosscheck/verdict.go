package crosscheck

import "github.com/carozero/carozero/alphabeta/vcf"

// Verdict sorts a position.
type Verdict string

// The verdicts.
const (
	Agree            Verdict = "agree"
	Differ           Verdict = "differ"   // different moves, and neither looks wrong
	Unproven         Verdict = "unproven" // a move looks like a blunder, and nothing shows that it is one
	MCTSBlunder      Verdict = "mcts_blunder"
	AlphaBetaBlunder Verdict = "alphabeta_blunder"
)

// Side names an engine in rows.
const (
	nameMCTS      = "mcts"
	nameAlphaBeta = "alphabeta"
)

// Kinds of blunders.
const (
	Loses  = "loses"      // the opponent has a proven win after the move
	Misses = "misses_win" // the side had a proven win, and is shown to have none after the move
)

// finding is what the deeper search found out about one move.
type finding struct {
	wins    bool        // it ends the game with a win
	loses   bool        // proven
	left    vcf.Outcome // of a position with a proven win: what its side has left of it after the move
	claimed bool        // an engine, looking deeper, claims that the move wins
}

// blunder is what a move looks like: the kind of blunder, "" for none, and whether it is
// shown to be one.
type blunder struct {
	kind  string
	shown bool
}

// proven returns the kind if the blunder is shown, unproven the kind if not.
func (b blunder) proven() string {
	if b.shown {
		return b.kind
	}
	return ""
}

func (b blunder) unproven() string {
	if b.shown {
		return ""
	}
	return b.kind
}

// judgement is the verdict, and the blunder that each engine's move looks like.
type judgement struct {
	verdict         Verdict
	mcts, alphaBeta blunder
}

// judge returns the verdict on two different moves. won says that the position
// has a proven win; lost what the opponent has where a move loses: None if a
// move was shown that leaves it nothing, Win if every move is claimed to lose.
func judge(mcts, alphaBeta finding, won bool, lost vcf.Outcome) judgement {
	j := judgement{verdict: Differ, mcts: blunderOf(mcts, won, lost), alphaBeta: blunderOf(alphaBeta, won, lost)}
	switch {
	case j.mcts.proven() != "":
		j.verdict = MCTSBlunder
	case j.alphaBeta.proven() != "":
		j.verdict = AlphaBetaBlunder
	case j.mcts.kind != "" || j.alphaBeta.kind != "":
		j.verdict = Unproven
	}
	return j
}

// blunderOf returns the blunder that one move looks like.
func blunderOf(f finding, won bool, lost vcf.Outcome) blunder {
	switch {
	case f.wins:
		return blunder{}
	case f.loses && won:
		return blunder{Loses, true}
	case f.loses && lost == vcf.Win:
		return blunder{}
	case f.loses:
		return blunder{Loses, lost == vcf.None}
	case won && !f.claimed && f.left != vcf.Win:
		return blunder{Misses, f.left == vcf.None}
	}
	return blunder{}
}
