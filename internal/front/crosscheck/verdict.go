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
	acquits bool        // an engine, looking deeper, claims that the move wins
}

// charge returns the kind of blunder that a move looks like, "" for none, and
// whether it is shown to be one.
type charge struct {
	kind  string
	shown bool
}

// blunder returns the kind if the blunder is shown, unproven the kind if not.
func (c charge) blunder() string {
	if c.shown {
		return c.kind
	}
	return ""
}

func (c charge) unproven() string {
	if c.shown {
		return ""
	}
	return c.kind
}

// judgement is the verdict and what each engine's move is charged with.
type judgement struct {
	verdict         Verdict
	mcts, alphaBeta charge
}

// judge returns the verdict on two different moves. won says that the position
// has a proven win; lost what the opponent has where a move loses: None if a
// move was shown that leaves it nothing, Win if every move is claimed to lose.
func judge(mcts, alphaBeta finding, won bool, lost vcf.Outcome) judgement {
	j := judgement{verdict: Differ, mcts: accuse(mcts, won, lost), alphaBeta: accuse(alphaBeta, won, lost)}
	switch {
	case j.mcts.blunder() != "":
		j.verdict = MCTSBlunder
	case j.alphaBeta.blunder() != "":
		j.verdict = AlphaBetaBlunder
	case j.mcts.kind != "" || j.alphaBeta.kind != "":
		j.verdict = Unproven
	}
	return j
}

// accuse returns the judgement of one move.
func accuse(f finding, won bool, lost vcf.Outcome) charge {
	switch {
	case f.wins:
		return charge{}
	case f.loses && won:
		return charge{Loses, true}
	case f.loses && lost == vcf.Win:
		return charge{}
	case f.loses:
		return charge{Loses, lost == vcf.None}
	case won && !f.acquits && f.left != vcf.Win:
		return charge{Misses, f.left == vcf.None}
	}
	return charge{}
}
