package bitbase

import (
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

// ErrRefuted is wrapped by the error of a replay that did not come out as the table
// says.
var ErrRefuted = errors.New("bitbase: refuted")

// Replay plays wins of a table through the rules against every defence. The winner
// plays the table's move, the loser every move; a position that was replayed before
// is not replayed again. The zero value with a Table works.
type Replay struct {
	Table *Table

	// Positions counts those with the winner to move that were replayed.
	Positions int

	replayed map[[2]uint64]bool
}

// Win replays b, which the side to move must win, and leaves it as it was. It
// returns nil if every line ends with that side's win, the longest after exactly the
// table's number of plies; an error that wraps ErrRefuted says what went otherwise,
// one that wraps ErrCards or ErrMen that b is not covered.
func (r *Replay) Win(b *onitama.Board) error {
	if err := r.Table.Covers(b); err != nil {
		return err
	}
	if r.replayed == nil {
		r.replayed = map[[2]uint64]bool{}
	}
	value, plies, ok := r.Table.Probe(b)
	switch {
	case !ok:
		return r.Table.Err()
	case value != Win:
		return fmt.Errorf("%w: the table has a %v", ErrRefuted, value)
	}
	return r.win(b, plies)
}

// win replays b, which the table has as won in so many plies.
func (r *Replay) win(b *onitama.Board, plies int) error {
	key := b.Key()
	if r.replayed[key] {
		return nil
	}
	winner := b.ToMove()
	m, ok := r.Table.Best(b)
	if !ok {
		return r.refuted(b, "no move wins in %d plies", plies)
	}
	b.Play(m)
	defer b.Undo()
	left := 0
	if b.Outcome() == game.Undecided {
		var err error
		if left, err = r.defend(b); err != nil {
			return err
		}
	} else if b.Outcome() != game.WinFor(winner) {
		return r.refuted(b, "the winner has lost")
	}
	if left != plies-1 {
		return r.refuted(b, "the slowest defence holds for %d plies; the table has %d", left, plies-1)
	}
	r.replayed[key] = true
	r.Positions++
	return nil
}

// defend replays every move of b, whose side to move is to lose, and returns how
// many plies the slowest holds.
func (r *Replay) defend(b *onitama.Board) (slowest int, err error) {
	for _, m := range b.Moves(nil) {
		b.Play(m)
		value, plies, ok := r.Table.Probe(b)
		if !ok || value != Win {
			err = r.refuted(b, "this was to be won and is a %v in %d plies", value, plies)
		} else {
			err = r.win(b, plies)
		}
		b.Undo()
		if err != nil {
			return 0, err
		}
		slowest = max(slowest, plies+1)
	}
	return slowest, nil
}

// refuted returns what is wrong at b.
func (r *Replay) refuted(b *onitama.Board, format string, args ...any) error {
	if err := r.Table.Err(); err != nil {
		return err
	}
	return fmt.Errorf("%w: after %q of\n%v\n%s", ErrRefuted, onitama.Notation{}.FormatMoves(b.History()), b, fmt.Sprintf(format, args...))
}
