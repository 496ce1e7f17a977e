package analysis

import (
	"context"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/openings"
	"github.com/carozero/carozero/internal/support/option"
)

// swap2Query is what query_swap2 asks: the engine's part in the opening rule swap2.
type swap2Query struct {
	query  *Query
	turned func(game.Move) game.Move // the symmetry in which an offer is made
}

// querySwap2 asks for three stones, or after three or five which colour the engine
// takes.
func (c *Client) querySwap2(id string, f *fields, size int) {
	o := &c.service.opts
	q := &Query{Perspective: o.WinratesAs, MaxNodes: o.MaxNodes, classical: o.Classical}
	if q.readGame(f, o); f.wrong != nil {
		return
	}
	seed := int64(-1)
	begins := "moves" // the field that says who does
	if f.has("initialPlayer") {
		begins = "initialPlayer"
	}
	captured := q.Variant.Display(q.Start).Captured
	f.number("maxNodes", option.Nodes.Min, int64(o.Limits.Nodes), &q.MaxNodes)
	f.whole("seed", 0, mostSeed, &seed)
	n := len(q.Moves)
	switch pos := q.At(n); {
	case f.wrong != nil:
	case q.Variant.Columns() == 0:
		f.fail("game", "there is no swap2 in %s", q.Variant.Game)
	case q.Start.Ply() > 0:
		f.fail("moves", "swap2 begins on an empty board: want all its stones as moves, Black first")
	case q.Start.ToMove() != game.First:
		f.fail(begins, "White begins: want Black's stone first")
	case captured != nil && *captured != [2]int{}:
		f.fail("captured", "swap2 begins without captured stones: leave it out")
	case n != 0 && n != 3 && n != 5:
		f.fail("moves", "%d stones: want none, 3 or 5", n)
	case pos.Outcome() != game.Undecided:
		f.fail("moves", "the game is over: there is nothing to choose")
	}
	if f.wrong != nil {
		return
	}
	s := swap2Query{query: q, turned: func(m game.Move) game.Move { return m }}
	if seed >= 0 {
		maps := q.Variant.Symmetries(q.Start)
		if at := rand.New(rand.NewPCG(uint64(seed), 0)).IntN(len(maps) + 1); at > 0 {
			s.turned = maps[at-1]
		}
	}
	if n == 0 {
		c.enqueue(id, QuerySwap2, f, q, size, s.offer)
		return
	}
	c.enqueue(id, QuerySwap2, f, q, size, s.choose)
}

// offer returns the three stones of the opening that is the most even, with what it
// is worth.
func (s *swap2Query) offer(ctx context.Context, e *engines) (map[string]any, error) {
	q := s.query
	size := q.Variant.Columns()
	var best []string
	var winrate float32
	least := float32(2)
	for _, o := range openings.Offers {
		cells, fits := o.On(size)
		if !fits {
			continue
		}
		pos := q.Start.Clone()
		moves, legal := []string{}, true
		for _, cell := range cells {
			m := s.turned(cell)
			if legal = legal && pos.Outcome() == game.Undecided && pos.Legal(m); legal {
				pos.Play(m)
			}
			moves = append(moves, q.notation.FormatMove(m))
		}
		if !legal || pos.Outcome() != game.Undecided {
			continue
		}
		found, err := s.think(ctx, e, pos, int64(max(1, q.MaxNodes/len(openings.Offers))))
		if err != nil || ctx.Err() != nil {
			return nil, err
		}
		if v := openings.Even(found.Value); v < least {
			least, best, winrate = v, moves, s.winrate(pos, found)
		}
	}
	return map[string]any{"moves": best, "winrate": winrate}, nil
}

// choose returns the colour that the engine takes, White being to move, and White's
// move if it takes that.
func (s *swap2Query) choose(ctx context.Context, e *engines) (map[string]any, error) {
	q := s.query
	pos := q.At(len(q.Moves))
	found, err := s.think(ctx, e, pos, int64(q.MaxNodes))
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	said := map[string]any{"choice": "white", "winrate": s.winrate(pos, found)}
	if openings.Swaps(found.Value) {
		said["choice"] = "black"
	} else {
		said["move"] = q.notation.FormatMove(found.Move)
	}
	return said, nil
}

// think has the classical search think.
func (s *swap2Query) think(ctx context.Context, e *engines, pos game.Position, nodes int64) (*engine.Answer, error) {
	c, err := e.forClassical(s.query)
	if err != nil {
		return nil, err
	}
	return c.Think(ctx, pos, engine.Limits{Nodes: nodes})
}

// winrate shows what a position is worth.
func (s *swap2Query) winrate(pos game.Position, found *engine.Answer) float32 {
	return s.query.newView(pos, nil, nil).rates(found.Value, 0).winrate
}
