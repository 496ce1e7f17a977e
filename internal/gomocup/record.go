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

// find returns the index of the stone on a cell, below 0 if there is none.
func (r record) find(cell game.Move) int {
	return slices.IndexFunc(r.stones, func(s stone) bool { return s.cell == cell })
}

// with returns a copy that holds one more stone.
func (r record) with(cell game.Move, own bool) (record, error) {
	if r.find(cell) >= 0 {
		return r, fmt.Errorf("%s is taken; choose an empty point", FormatCell(r.size, cell))
	}
	return r.mustWith(cell, own), nil
}

// mustWith is with for a cell that is empty.
func (r record) mustWith(cell game.Move, own bool) record {
	r.stones = append(slices.Clip(r.stones), stone{cell, own})
	return r
}

// without returns a copy without the stone on a cell.
func (r record) without(cell game.Move) (record, error) {
	i := r.find(cell)
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
func (r record) count(own bool) int {
	n := 0
	for _, s := range r.stones {
		if s.own == own {
			n++
		}
	}
	return n
}

// cells returns where the stones are.
func (r record) cells() []game.Move {
	cells := make([]game.Move, len(r.stones))
	for i, s := range r.stones {
		cells[i] = s.cell
	}
	return cells
}

// board returns the position with side to move.
func (r record) board(rules gomoku.Rules, side game.Side) (*gomoku.Board, error) {
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
func (r record) open(rules gomoku.Rules, side game.Side) (*gomoku.Board, error) {
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
		return r, fmt.Errorf("%s is forbidden to %s under %s", FormatCell(r.size, cell), [2]string{"black", "white"}[side],
			rules.Name)
	}
	return next, nil
}

// placed returns the record of the stones of BOARD, in any order, the engine being to move:
// its side follows from how many there are of each.
func placed(size int, r *request) (next record, err error) {
	next.size = size
	for i, row := range r.rows {
		cell, err := Cell(size, row[0], row[1])
		switch field := row[2]; {
		case err != nil:
		case field == 1 || field == 2:
			next, err = next.with(cell, field == 1)
		case field != 3: // a mark of a winning line or a forbidden point
			err = fmt.Errorf("field %d: want 1 (own), 2 (opponent) or 3 (a mark)", field)
		}
		if err != nil {
			return next, fmt.Errorf("%s line %d: %w", r.verb, i+1, err)
		}
	}
	if next.count(true) < next.count(false) {
		next.own = game.Second
	}
	return next, nil
}

// inTurn returns the record of stones in the order in which they were put, black
// first, the engine being to move.
func inTurn(size int, r *request) (next record, err error) {
	next.size, next.own = size, game.Side(len(r.rows)%2)
	for i, row := range r.rows {
		cell, err := Cell(size, row[0], row[1])
		if err == nil {
			next, err = next.with(cell, (len(r.rows)-i)%2 == 0)
		}
		if err != nil {
			return next, fmt.Errorf("%s line %d: %w", r.verb, i+1, err)
		}
	}
	return next, nil
}

// swapped returns the record with the sides changed.
func (r record) swapped() record {
	swapped := record{size: r.size, own: r.own.Other()}
	for _, st := range r.stones {
		swapped.stones = append(swapped.stones, stone{st.cell, !st.own})
	}
	return swapped
}
