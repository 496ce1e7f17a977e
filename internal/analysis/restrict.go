package analysis

import (
	"encoding/json"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// bars are the moves that a query keeps the search from. The zero value bars none.
type bars struct {
	field string // avoidMoves or allowMoves
	plies int    // of the deepest
	until [2]map[game.Move]int
	rest  [2]int // for moves that until does not have
}

// barred reports whether a move may not be looked at.
func (b *bars) barred(ply int, side game.Side, m game.Move) bool {
	until, ok := b.until[side][m]
	if !ok {
		until = b.rest[side]
	}
	return ply < until
}

// restriction returns the bars of the query; nil for none.
func (q *Query) restriction() *engine.Restriction {
	if !q.Restricted() {
		return nil
	}
	return &engine.Restriction{Plies: q.Bars.plies, Barred: q.Bars.barred}
}

// mostDepth bounds untilDepth, as KataGo does.
const mostDepth = 1_000_000_000

// searchedDepth is deeper than any search looks.
const searchedDepth = 1 << 20

// readBars reads avoidMoves or allowMoves.
func readBars(f *fields, q *Query) (b bars) {
	avoid, allow := f.has("avoidMoves"), f.has("allowMoves")
	switch {
	case avoid && allow:
		f.fail("allowMoves", "allowMoves and avoidMoves exclude each other: leave one of them out")
		return b
	case allow:
		b.field = "allowMoves"
	case avoid:
		b.field = "avoidMoves"
	default:
		return b
	}
	b.until = [2]map[game.Move]int{{}, {}}
	list := f.list(b.field, "objects with player, moves and untilDepth")
	if allow && len(list) > 2 {
		f.fail(b.field, "%d entries: want one a player at most", len(list))
		return b
	}
	var seen [2]bool
	for i, raw := range list {
		side, ok := b.readEntry(f, q, raw, i)
		if !ok {
			return b
		}
		if allow && seen[side] {
			f.fail(entry(b.field, i), "entry %d: there is one for %s already", i+1, PlayerOf(side))
		}
		seen[side] = true
	}
	return b
}

// readEntry reads an entry of avoidMoves or allowMoves.
func (b *bars) readEntry(f *fields, q *Query, raw json.RawMessage, i int) (game.Side, bool) {
	path, at := entry(b.field, i), fmt.Sprintf("entry %d", i+1)
	object, ok := isObject(raw)
	e := &fields{of: object}
	var name string
	depth := int64(-1)
	e.text("player", &name)
	whole(e, "untilDepth", 1, mostDepth, &depth)
	moves := e.list("moves", "moves")
	side, isPlayer := parsePlayer(name)
	switch {
	case !ok || !e.has("player") || !e.has("moves") || !e.has("untilDepth"):
		f.fail(path, "%s: want an object with player, moves and untilDepth", at)
	case e.wrong != nil:
		f.fail(member(path, e.wrong.Field), "%s: %s: %s", at, e.wrong.Field, e.wrong.Error)
	case !isPlayer:
		f.fail(member(path, "player"), "%s: unknown player %s: want B or W", at, shown(name))
	}
	if f.wrong != nil {
		return side, false
	}
	until := int(min(depth, searchedDepth))
	b.plies = max(b.plies, until)
	if b.field == "allowMoves" {
		b.rest[side] = until
	}
	for k, raw := range moves {
		move := entry(member(path, "moves"), k)
		var text string
		if !isText(raw, &text) {
			f.fail(move, "%s: want a move, found %s", at, found(raw))
			return side, false
		}
		if text == "pass" && q.Variant.Columns() > 0 {
			continue // there is none to bar
		}
		m, err := parseMove(q.notation, text)
		if err != nil {
			f.fail(move, "%s: %v", at, err)
			return side, false
		}
		if b.field == "allowMoves" {
			b.until[side][m] = 0
			continue
		}
		b.until[side][m] = max(b.until[side][m], until)
	}
	return side, true
}

// leaveNone reports whether all moves of a position are barred.
func (b *bars) leaveNone(pos game.Position) bool {
	if b.plies == 0 {
		return false
	}
	for _, m := range pos.Moves(nil) {
		if !b.barred(0, pos.ToMove(), m) {
			return false
		}
	}
	return true
}
