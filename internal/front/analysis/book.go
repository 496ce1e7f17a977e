package analysis

import (
	"github.com/carozero/carozero/internal/engine/bookplay"
)

// queryBook answers an action's question about what the book says of a turn of a game.
func (c *Client) queryBook(f *fields) {
	o := &c.service.opts
	q := &Query{}
	if q.readGame(f, o); f.wrong != nil {
		return
	}
	turn := len(q.Moves)
	if f.number("turnNumber", 0, int64(len(q.Moves)), &turn); f.wrong != nil {
		return
	}
	if o.Book == nil {
		f.failAs(Failed, "action", "no book is open: start the program with --book FILE")
		return
	}
	v, err := bookplay.Look(o.Book, q.At(turn), q.notation)
	if err != nil {
		f.failAs(Failed, "", "book %s: %v", o.Book.Path(), err)
		return
	}
	f.of["book"] = encoded(v)
}
