package gomocup

import (
	"errors"
	"fmt"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// stone is a stone on the board.
type stone struct {
	cell game.Move
	own  bool
}

// record is a game as the client told it: a value that is copied, changed and
// put in the place of the old one once a command has turned out to be good.
type record struct {
	size   int       // 0: no game was started
	own    game.Side // the engine's; First as long as nothing says otherwise
	stones []stone
}

// errOver wraps the reason why there is no move to find.
var errOver = errors.New("the game is over")

// with returns a copy that holds one more stone.
func (r record) with(cell game.Move, own bool) (record, error) {
	if slices.ContainsFunc(r.stones, func(s stone) bool { return s.cell == cell }) {
		return r, fmt.Errorf("%s is taken; choose an empty point", FormatCell(r.size, cell))
	}
	r.stones = append(slices.Clip(r.stones), stone{cell, own})
	return r, nil
}

// without returns a copy without the stone on a cell.
func (r record) without(cell game.Move) (record, error) {
	i := slices.IndexFunc(r.stones, func(s stone) bool { return s.cell == cell })
	if i < 0 {
		return r, fmt.Errorf("there is no stone on %s", FormatCell(r.size, cell))
	}
	r.stones = slices.Delete(slices.Clone(r.stones), i, i+1)
	if len(r.stones) == 0 {
		r.own = game.First
	}
	return r, nil
}

// count returns the number of the engine's stones, or of the opponent's.
func (r *record) count(own bool) int {
	n := 0
	for _, s := range r.stones {
		if s.own == own {
			n++
		}
	}
	return n
}

// settle decides the engine's side by the count of stones, the engine being to
// move.
func (r *record) settle() {
	r.own = game.First
	if r.count(true) < r.count(false) {
		r.own = game.Second
	}
}

// board returns the position with side to move.
func (r *record) board(rules gomoku.Rules, side game.Side) (*gomoku.Board, error) {
	setup := gomoku.Setup{Stones: make([]gomoku.Stone, r.size*r.size), ToMove: side}
	for _, s := range r.stones {
		owner := r.own
		if !s.own {
			owner = owner.Other()
		}
		setup.Stones[s.cell] = gomoku.StoneOf(owner)
	}
	return gomoku.NewSetup(rules, r.size, setup)
}

// open returns the position with side to move, and errOver if nothing is to be
// played there.
func (r *record) open(rules gomoku.Rules, side game.Side) (*gomoku.Board, error) {
	b, err := r.board(rules, side)
	if err != nil {
		return nil, err
	}
	switch b.Outcome() {
	case game.Undecided:
		return b, nil
	case game.Draw:
		return nil, fmt.Errorf("%w: a draw (%s)", errOver, b.Reason())
	case game.WinFor(r.own):
		return nil, fmt.Errorf("%w: this engine has won (%s)", errOver, b.Reason())
	}
	return nil, fmt.Errorf("%w: the opponent has won (%s)", errOver, b.Reason())
}

// play returns the record after a move that must be legal.
func (r record) play(rules gomoku.Rules, cell game.Move, own bool) (record, error) {
	next, err := r.with(cell, own)
	if err != nil {
		return r, err
	}
	side := r.own
	if !own {
		side = side.Other()
	}
	b, err := r.open(rules, side)
	if err != nil {
		return r, err
	}
	if !b.Legal(cell) {
		return r, fmt.Errorf("%s is forbidden to %s under %s", FormatCell(r.size, cell), colour(side), rules.Name)
	}
	return next, nil
}

func colour(s game.Side) string {
	if s == game.First {
		return "black"
	}
	return "white"
}
