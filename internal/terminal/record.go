package terminal

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// record is a game so far, with the moves that were taken back.
type record struct {
	variant engine.Variant
	start   game.Position
	pos     game.Position // after the moves that count
	moves   []game.Move   // those from at on were taken back
	at      int
	given   game.Outcome // by resignation; Undecided: nobody has
	ratings []rating     // of the positions after so many moves
}

// rating is what an engine thinks of a position, for the first player.
type rating struct {
	value float32
	known bool
}

// newRecord returns the game in which moves, all legal, were played from start.
func newRecord(v engine.Variant, start game.Position, moves []game.Move) *record {
	r := &record{variant: v, start: start.Clone(), pos: start.Clone()}
	for _, m := range moves {
		r.play(m)
	}
	return r
}

// play makes a legal move; moves that were taken back are lost.
func (r *record) play(m game.Move) {
	r.pos.Play(m)
	r.moves = append(r.moves[:r.at], m)
	r.ratings = r.ratings[:min(len(r.ratings), r.at+1)]
	r.at++
}

// stepTo takes moves back, or makes them again, until at of them count.
func (r *record) stepTo(at int) {
	for r.at > at {
		r.pos.Undo()
		r.at--
	}
	for r.at < at {
		r.pos.Play(r.moves[r.at])
		r.at++
	}
	r.given = game.Undecided
}

// played returns the moves that count.
func (r *record) played() []game.Move { return r.moves[:r.at] }

// mover returns the side to move after so many moves; sides alternate.
func (r *record) mover(at int) game.Side {
	if (r.at-at)%2 == 0 {
		return r.pos.ToMove()
	}
	return r.pos.ToMove().Other()
}

// outcome returns how the game has ended, by the rules or by resignation.
func (r *record) outcome() game.Outcome {
	if r.given != game.Undecided {
		return r.given
	}
	return r.pos.Outcome()
}

// reason says why it has ended.
func (r *record) reason() game.Reason {
	if r.given != game.Undecided {
		return game.Resigned
	}
	return r.pos.Reason()
}

// rate notes what the position after at moves is worth to the side to move.
func (r *record) rate(at int, value float32) {
	if r.mover(at) == game.Second {
		value = -value
	}
	for len(r.ratings) <= at {
		r.ratings = append(r.ratings, rating{})
	}
	r.ratings[at] = rating{value, true}
}

// refusal says in a line why the move m cannot be made, "" if it can.
func (r *record) refusal(m game.Move) string {
	if r.pos.Legal(m) {
		return ""
	}
	name := r.variant.Notation().FormatMove(m)
	if r.variant.Of().HasForbidden() {
		for _, f := range r.variant.Forbidden(r.pos) {
			if f.Move == m {
				return fmt.Sprintf("%s is forbidden: %s.", name, strings.Join(f.Reasons, ", "))
			}
		}
	}
	if pieces := r.variant.Stones(r.pos); int(m) < len(pieces) && pieces[m] != engine.NoStone {
		return name + " is taken."
	}
	return name + " is not a legal move here."
}
