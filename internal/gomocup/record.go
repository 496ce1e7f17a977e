package gomocup

import (
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

// find returns the index of the stone on a cell, below 0 if there is none.
func (r record) find(cell game.Move) int {
	return slices.IndexFunc(r.stones, func(s stone) bool { return s.cell == cell })
}

// put returns a copy that holds one more stone, on a cell that is empty.
func (r record) put(cell game.Move, own bool) record {
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

// side returns who plays the engine's stones, or the opponent's.
func (r record) side(own bool) game.Side {
	if own {
		return r.own
	}
	return r.own.Other()
}

// board returns the position with side to move.
func (r record) board(rules gomoku.Rules, side game.Side) (*gomoku.Board, error) {
	setup := gomoku.Setup{Stones: make([]gomoku.Stone, r.size*r.size), ToMove: side}
	for _, s := range r.stones {
		setup.Stones[s.cell] = gomoku.StoneOf(r.side(s.own))
	}
	return gomoku.NewSetup(rules, r.size, setup)
}

// open returns the position with side to move, and an error if the game is over there.
func (r record) open(rules gomoku.Rules, side game.Side) (*gomoku.Board, error) {
	b, err := r.board(rules, side)
	if err != nil {
		return nil, err
	}
	how := "the opponent has won"
	switch b.Outcome() {
	case game.Undecided:
		return b, nil
	case game.Draw:
		how = "a draw"
	case game.WinFor(r.own):
		how = "this engine has won"
	}
	return nil, fmt.Errorf("the game is over: %s (%s)", how, b.Reason())
}

// play returns the record after a move that must be legal. The first one decides whose
// colour is whose.
func (r record) play(rules gomoku.Rules, cell game.Move, own bool) (record, error) {
	if len(r.stones) == 0 && !own {
		r.own = game.Second
	} else if len(r.stones) == 0 {
		r.own = game.First
	}
	side := r.side(own)
	b, err := r.open(rules, side)
	switch {
	case err != nil:
		return r, err
	case r.find(cell) >= 0:
		return r, fmt.Errorf("%s is taken; choose an empty point", FormatCell(r.size, cell))
	case !b.Legal(cell):
		return r, fmt.Errorf("%s is forbidden to %s under %s", FormatCell(r.size, cell), [2]string{"black", "white"}[side],
			rules.Name)
	}
	return r.put(cell, own), nil
}

// placed returns the record of the stones of BOARD, in any order, the engine being to move:
// its side follows from how many there are of each.
func placed(size int, r *request) (next record, err error) {
	next.size = size
	for i, row := range r.rows {
		cell, err := Cell(size, row[0], row[1])
		switch field := row[2]; {
		case err != nil:
		case field == 3: // a mark of a winning line or a forbidden point
		case field != 1 && field != 2:
			err = fmt.Errorf("field %d: want 1 (own), 2 (opponent) or 3 (a mark)", field)
		case next.find(cell) >= 0:
			err = fmt.Errorf("%s is taken; choose an empty point", FormatCell(size, cell))
		default:
			next = next.put(cell, field == 1)
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
