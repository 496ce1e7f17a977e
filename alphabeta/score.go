package alphabeta

import "fmt"

// Score is the worth of a position to its side to move, in the evaluation's
// own units, or a claim that one side wins within a number of plies.
type Score int32

// Bounds of scores. Evaluations lie within -MaxEval..MaxEval; a draw is 0; a
// win in n plies, n at most MaxClaim, is Win-n, and a loss in n plies n-Win.
const (
	MaxEval  Score = 30000
	Win      Score = 32000
	MaxClaim       = 1000

	infinity Score = Win + 1
	leastWin       = Win - MaxClaim
)

// WinIn returns the score of a win that ends the game in that many plies.
func WinIn(plies int) Score { return Win - Score(plies) }

// LossIn returns the score of a loss that ends the game in that many plies.
func LossIn(plies int) Score { return Score(plies) - Win }

// Claim reports whether s claims a win (s > 0) or a loss (s < 0), and in how
// many plies. A claim is not a proof; see the package comment.
func (s Score) Claim() (plies int, ok bool) {
	switch {
	case s >= leastWin:
		return int(Win - s), true
	case s <= -leastWin:
		return int(s + Win), true
	}
	return 0, false
}

// decided reports whether s is a claim.
func (s Score) decided() bool { return s >= leastWin || s <= -leastWin }

// lost reports whether s claims a loss. It holds for -infinity too.
func (s Score) lost() bool { return s <= -leastWin }

// String returns "win in 5", "loss in 4" or the number with its sign.
func (s Score) String() string {
	plies, ok := s.Claim()
	switch {
	case !ok:
		return fmt.Sprintf("%+d", int32(s))
	case s > 0:
		return fmt.Sprintf("win in %d", plies)
	}
	return fmt.Sprintf("loss in %d", plies)
}

// fromNode turns a score whose claims count plies from a node into one that
// counts them from the root, ply plies above.
func (s Score) fromNode(ply int) Score {
	switch {
	case s >= leastWin:
		return s - Score(ply)
	case s <= -leastWin:
		return s + Score(ply)
	}
	return s
}

// toNode is the reverse of fromNode.
func (s Score) toNode(ply int) Score {
	switch {
	case s >= leastWin:
		return s + Score(ply)
	case s <= -leastWin:
		return s - Score(ply)
	}
	return s
}
