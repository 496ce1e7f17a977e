package games

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
)

// Endgames are positions of a game that were solved before. Several goroutines may
// use them; each has positions of its own.
type Endgames interface {
	// Suits returns nil if positions that may follow pos are among them, or says why
	// not. Covers returns nil if pos itself is.
	Suits(pos game.Position) error
	Covers(pos game.Position) error

	// Probe returns what an undecided position comes to for its side to move, and the
	// plies to the end of the game if the winner is as quick and the loser as slow as can
	// be, 0 for a draw. It returns [game.Unproven] if pos is not covered. pos is the same
	// afterwards.
	Probe(pos game.Position) (result game.Result, plies int)

	// Best returns a move with which an undecided position comes to what Probe says: the
	// quickest win, a draw, or the slowest loss; NoMove if pos is not covered.
	Best(pos game.Position) game.Move

	// Close frees what the endgames hold. It returns the first error of reading, after
	// which nothing was known.
	Close() error
}

// ErrNoEndgames says that a game has no files of solved endgames.
var ErrNoEndgames = errors.New("there are no solved endgames")

// OpenEndgames opens a file of solved endgames of the variant's game, of whatever game has such
// files for the zero Variant. It reads all of it once. The error wraps ErrNoEndgames if there
// are no such files.
func (v Variant) OpenEndgames(ctx context.Context, path string) (Endgames, error) {
	from := list
	if v.game != nil {
		from = []*Game{v.game}
	}
	for _, g := range from {
		if g.Endgames != nil {
			return g.Endgames(ctx, path)
		}
	}
	return nil, fmt.Errorf("%w of %s", ErrNoEndgames, v.Game)
}

// endgames returns e where the variant's game has endgames, else nil.
func (v Variant) endgames(e Endgames) Endgames {
	if v.game.Endgames == nil {
		return nil
	}
	return e
}

// BestLine returns the moves of Best from pos to the end of the game; none of a draw,
// which has no end, or if pos is not covered.
func BestLine(of Endgames, pos game.Position) []game.Move {
	result, plies := of.Probe(pos)
	if result != game.Won && result != game.Lost {
		return nil
	}
	pos = pos.Clone()
	var line []game.Move
	for range plies {
		m := of.Best(pos)
		if m == game.NoMove {
			break
		}
		pos.Play(m)
		line = append(line, m)
	}
	return line
}

// After returns what a legal move of a covered position comes to for the side that plays
// it, and the plies to the end, the move included; 0 for a draw. pos is the same
// afterwards.
func After(of Endgames, pos game.Position, m game.Move) (result game.Result, plies int) {
	side := pos.ToMove()
	pos.Play(m)
	defer pos.Undo()
	if o := pos.Outcome(); o != game.Undecided {
		return [...]game.Result{game.Lost, game.Drawn, game.Won}[o.Value(side)+1], 1
	}
	if result, plies = of.Probe(pos); result == game.Won || result == game.Lost {
		plies++
	}
	return result.Flip(), plies
}

// longestEndgame is more than the plies of any win.
const longestEndgame = 1 << 20

// EndgameRank orders what moves come to: the greater the better, quick wins before late
// ones, draws, late losses, quick losses.
func EndgameRank(result game.Result, plies int) int {
	switch result {
	case game.Won:
		return longestEndgame - plies
	case game.Lost:
		return plies - longestEndgame
	}
	return 0
}

// endgameSolver implements [mcts.Solver] with solved endgames.
type endgameSolver struct {
	mcts.NoSolver
	of     Endgames
	played int
}

// EndgameSolver returns a solver for one searcher that looks positions up, whatever
// the budgets of others are.
func EndgameSolver(of Endgames) mcts.Solver { return &endgameSolver{of: of} }

// Leaf implements [mcts.Solver].
func (s *endgameSolver) Leaf(_ context.Context, pos game.Position) mcts.Solution {
	f := mcts.Solution{Move: game.NoMove}
	switch f.Proof, f.Plies = s.of.Probe(pos); f.Proof {
	case game.Won:
		f.Move = s.of.Best(pos)
	case game.Drawn:
		f.Plies = mcts.Endless
	}
	return f
}

// Root implements [mcts.Solver].
func (s *endgameSolver) Root(ctx context.Context, pos game.Position) mcts.Solution {
	return s.Leaf(ctx, pos)
}

// Refute implements [mcts.Solver].
func (s *endgameSolver) Refute(ctx context.Context, pos game.Position, moves []game.Move, after []mcts.Solution) {
	for i, m := range moves {
		after[i] = s.Audit(ctx, pos, m)
	}
}

// Audit implements [mcts.Solver].
func (s *endgameSolver) Audit(ctx context.Context, pos game.Position, m game.Move) mcts.Solution {
	pos.Play(m)
	defer pos.Undo()
	s.played++
	if pos.Outcome() != game.Undecided {
		return mcts.Solution{}
	}
	return s.Leaf(ctx, pos)
}

// RootNodes implements [mcts.Solver].
func (s *endgameSolver) RootNodes() int { return s.played }

// withEndgames is a game for the classical search that knows endgames besides.
type withEndgames struct {
	alphabeta.Game
	of Endgames
}

// Bind implements [alphabeta.Game].
func (g withEndgames) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	h, err := g.Game.Bind(pos)
	if err == nil {
		h.Endgames = &endgameLookup{g.of, h.Position}
	}
	return h, err
}

// endgameLookup implements [alphabeta.Endgames].
type endgameLookup struct {
	of  Endgames
	pos game.Position
}

// Probe implements [alphabeta.Endgames].
func (l *endgameLookup) Probe() (alphabeta.Score, bool) {
	switch result, plies := l.of.Probe(l.pos); result {
	case game.Won:
		return alphabeta.WinIn(plies), true
	case game.Lost:
		return alphabeta.LossIn(plies), true
	case game.Drawn:
		return 0, true
	}
	return 0, false
}

// Best implements [alphabeta.Endgames].
func (l *endgameLookup) Best() game.Move { return l.of.Best(l.pos) }
