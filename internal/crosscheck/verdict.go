package crosscheck

// Verdict sorts a position.
type Verdict string

// The verdicts.
const (
	Agree            Verdict = "agree"
	Differ           Verdict = "differ" // different moves, and neither is proven wrong
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
	Misses = "misses_win" // the side had a proven win, and has none after the move
)

// finding is what looking deeper told of one move.
type finding struct {
	wins    bool // it ends the game with a win
	loses   bool // proven
	claimed bool // alpha-beta claims that it loses
	noKept  bool // the position has a proven win, and a reply to the move leaves none
	acquits bool // an engine, looking deeper, claims that the move wins
}

// misses reports whether the move gives a proven win away.
func (f finding) misses() bool { return !f.wins && (f.loses || f.noKept && !f.acquits) }

// judgement is the verdict and what each engine's blunder was, "" for none.
type judgement struct {
	verdict         Verdict
	mcts, alphaBeta string
}

// judge weighs two different moves. won says that the position has a proven
// win; escapes that alpha-beta, looking deeper at the position itself, does not
// claim a loss.
func judge(mcts, alphaBeta finding, won, escapes bool) judgement {
	j := judgement{verdict: Differ}
	j.mcts = blunder(mcts, alphaBeta, won, escapes)
	j.alphaBeta = blunder(alphaBeta, mcts, won, escapes)
	switch {
	case j.mcts != "":
		j.verdict = MCTSBlunder
	case j.alphaBeta != "":
		j.verdict = AlphaBetaBlunder
	}
	return j
}

// blunder returns the kind of blunder that a move is, given the other
// engine's, "" if it is none.
func blunder(f, other finding, won, escapes bool) string {
	switch {
	case f.wins:
		return ""
	case f.loses && won:
		return Loses
	case f.loses && (!other.loses && !other.claimed || escapes):
		return Loses
	case won && f.misses():
		return Misses
	}
	return ""
}
