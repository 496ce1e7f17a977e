package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

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

// symmetries are the maps of moves under which a position stays what it is, the
// identity left out.
type symmetries []func(game.Move) game.Move

// first returns the least of the moves that are like m, m among them.
func (s symmetries) first(m game.Move) game.Move {
	least := m
	for _, f := range s {
		least = min(least, f(m))
	}
	return least
}

// images returns the moves that are like m, m the first of them, and beside each the map that
// leads to it, nil for m.
func (s symmetries) images(m game.Move) (like []game.Move, by symmetries) {
	like, by = []game.Move{m}, symmetries{nil}
	for _, f := range s {
		if to := f(m); !slices.Contains(like, to) {
			like, by = append(like, to), append(by, f)
		}
	}
	return like, by
}

// pruned is an engine that looks at one of each set of moves that are alike. What plays
// before it searches may play any of them.
type pruned struct {
	engine.Engine
	alike symmetries // of the position that it thinks about
}

// Think implements [engine.Engine]. Where moves are barred already, no others are.
func (p pruned) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	if l.Restrict == nil {
		l.Restrict = &engine.Restriction{Plies: 1,
			Barred: func(ply int, _ game.Side, m game.Move) bool { return ply == 0 && p.alike.first(m) != m }}
	}
	return p.Engine.Think(ctx, pos, l)
}

// share returns by what the prior of a move that was looked at is multiplied, so that the
// priors of all moves, those alike included, sum to what they do in the answer.
func (s symmetries) share(a *engine.Answer) float32 {
	looked, all := float32(0), float32(0)
	for i := range a.Moves {
		p := finite(a.Moves[i].Prior)
		like, _ := s.images(a.Moves[i].Move)
		looked += p
		all += float32(p * float32(len(like)))
	}
	if all == 0 {
		return 1
	}
	return looked / all
}

// unfold puts behind every move, of which only the first of those alike were
// looked at, the others, with all that was found copied and turned.
func (s symmetries) unfold(list []MoveInfo, moves []game.Move, lines [][]game.Move, n game.Notation) []MoveInfo {
	if len(s) == 0 {
		return list
	}
	var all []MoveInfo
	for i, info := range list {
		info.Order = len(all)
		all = append(all, info)
		images, by := s.images(moves[i])
		for k, m := range images[1:] {
			f := by[1+k]
			like := info
			like.Move, like.IsSymmetryOf, like.Order = n.FormatMove(m), info.Move, len(all)
			like.PV = nil
			for _, next := range lines[i] {
				like.PV = append(like.PV, n.FormatMove(f(next)))
			}
			if like.Proven != nil {
				proof := *like.Proven
				proof.Line = nil // it is the other move's
				like.Proven = &proof
			}
			all = append(all, like)
		}
	}
	return all
}
