package tactics

import (
	"errors"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// isIllegal reports whether a setup was refused because no game can hold it.
func isIllegal(err error) bool { return errors.Is(err, gomoku.ErrIllegal) }

// brute finds short wins by trying every move and every reply, with nothing but
// the rules. It is the truth that solvers are held against.
type brute struct {
	board *gomoku.Board
	moves []game.Move  // lists of all levels, one after the other
	hot   [6]game.Move // by plies: the reply that refuted last, tried first
}

// newBrute returns a search of b, which is the same after every call.
func newBrute(b *gomoku.Board) *brute {
	s := &brute{board: b}
	for i := range s.hot {
		s.hot[i] = game.NoMove
	}
	return s
}

// wins returns a move with which the side to move wins within that many plies,
// at most 5, whatever the opponent replies.
func (s *brute) wins(plies int) (game.Move, bool) {
	from := len(s.moves)
	defer func() { s.moves = s.moves[:from] }()
	if s.moves = s.board.Wins(s.moves); len(s.moves) > from {
		return s.moves[from], true
	}
	if plies < 3 {
		return game.NoMove, false
	}
	s.moves = s.board.Moves(s.moves)
	for i, end := from, len(s.moves); i < end; i++ {
		if m := s.moves[i]; s.winsBy(m, plies) {
			return m, true
		}
	}
	return game.NoMove, false
}

// winsBy reports whether the side to move wins by m within that many plies.
func (s *brute) winsBy(m game.Move, plies int) bool {
	b := s.board
	side := b.ToMove()
	b.Play(m)
	defer b.Undo()
	if b.Outcome() != game.Undecided {
		return b.Outcome() == game.WinFor(side)
	}
	from := len(s.moves)
	defer func() { s.moves = s.moves[:from] }()
	if s.moves = b.Wins(s.moves); len(s.moves) > from {
		return false
	}
	if hot := s.hot[plies]; hot != game.NoMove && b.Legal(hot) && !s.survives(side, hot, plies) {
		return false
	}
	s.moves = b.Moves(s.moves)
	for i, end := from, len(s.moves); i < end; i++ {
		if reply := s.moves[i]; !s.survives(side, reply, plies) {
			s.hot[plies] = reply
			return false
		}
	}
	return true
}

// survives reports whether side's win in that many plies stands after the reply.
func (s *brute) survives(side game.Side, reply game.Move, plies int) bool {
	b := s.board
	b.Play(reply)
	won := b.Outcome() == game.WinFor(side)
	if b.Outcome() == game.Undecided {
		_, won = s.wins(plies - 2)
	}
	b.Undo()
	return won
}
