package analysis

import (
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/mcts"
)

// Endgame is what solved endgames say of a position that they have: how it ends if both
// sides play as well as they can, and how after each move.
type Endgame struct {
	Proof
	Moves []EndgameMove `json:"moves"` // all legal ones, the best first
}

// EndgameMove is what a move comes to, for the side that plays it.
type EndgameMove struct {
	Move   string `json:"move"`
	Result string `json:"result"` // win, loss or draw
	Plies  int    `json:"plies"`  // to the end of the game, this one included; 0 for a draw
}

// endgame returns what endgames say of a position, nil if they do not have it. nil
// endgames have none.
func endgame(of games.Endgames, pos game.Position, n game.Notation) *Endgame {
	if of == nil || pos.Outcome() != game.Undecided || of.Covers(pos) != nil {
		return nil
	}
	result, plies := of.Probe(pos)
	if result == mcts.Unknown {
		return nil // it could not be read
	}
	e := &Endgame{Proof: Proof{Result: result.String(), Plies: plies, Winner: "none"}}
	switch result {
	case mcts.Win:
		e.Winner = PlayerOf(pos.ToMove())
	case mcts.Loss:
		e.Winner = PlayerOf(pos.ToMove().Other())
	}
	for _, m := range games.BestLine(of, pos) {
		e.Line = append(e.Line, n.FormatMove(m))
	}
	ranks := map[string]int{}
	for _, m := range pos.Moves(nil) {
		result, plies := games.After(of, pos, m)
		move := EndgameMove{Move: n.FormatMove(m), Result: result.String(), Plies: plies}
		e.Moves = append(e.Moves, move)
		ranks[move.Move] = games.EndgameRank(result, plies)
	}
	slices.SortStableFunc(e.Moves, func(a, b EndgameMove) int { return ranks[b.Move] - ranks[a.Move] })
	return e
}
