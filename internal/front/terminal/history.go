package terminal

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// history is a game so far, with the moves that were taken back.
type history struct {
	variant games.Variant
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

// newHistory returns the game in which moves, all legal, were played from start.
func newHistory(v games.Variant, start game.Position, moves []game.Move) *history {
	h := &history{variant: v, start: start.Clone(), pos: start.Clone()}
	for _, m := range moves {
		h.play(m)
	}
	return h
}

// play makes a legal move; moves that were taken back are lost.
func (h *history) play(m game.Move) {
	h.pos.Play(m)
	h.moves = append(h.moves[:h.at], m)
	h.ratings = h.ratings[:min(len(h.ratings), h.at+1)]
	h.at++
}

// stepTo takes moves back, or makes them again, until at of them count.
func (h *history) stepTo(at int) {
	for h.at > at {
		h.pos.Undo()
		h.at--
	}
	for h.at < at {
		h.pos.Play(h.moves[h.at])
		h.at++
	}
	h.given = game.Undecided
}

// played returns the moves that count.
func (h *history) played() []game.Move { return h.moves[:h.at] }

// mover returns the side to move after so many moves; sides alternate.
func (h *history) mover(at int) game.Side {
	if (h.at-at)%2 == 0 {
		return h.pos.ToMove()
	}
	return h.pos.ToMove().Other()
}

// outcome returns how the game has ended, by the rules or by resignation.
func (h *history) outcome() game.Outcome {
	if h.given != game.Undecided {
		return h.given
	}
	return h.pos.Outcome()
}

// reason says why it has ended.
func (h *history) reason() game.Reason {
	if h.given != game.Undecided {
		return game.Resigned
	}
	return h.pos.Reason()
}

// rate notes what the position after at moves is worth to the side to move.
func (h *history) rate(at int, value float32) {
	if h.mover(at) == game.Second {
		value = -value
	}
	for len(h.ratings) <= at {
		h.ratings = append(h.ratings, rating{})
	}
	h.ratings[at] = rating{value, true}
}

// refusal says in a line why the move m cannot be made, "" if it can.
func (h *history) refusal(m game.Move) string {
	if h.pos.Legal(m) {
		return ""
	}
	name := h.variant.Notation().FormatMove(m)
	if h.variant.Of().HasForbidden() {
		for _, f := range h.variant.Forbidden(h.pos) {
			if f.Move == m {
				return fmt.Sprintf("%s is forbidden: %s.", name, strings.Join(f.Reasons, ", "))
			}
		}
	}
	if pieces := h.variant.Stones(h.pos); int(m) < len(pieces) && pieces[m] != games.NoStone {
		return name + " is taken."
	}
	return name + " is not a legal move here."
}
