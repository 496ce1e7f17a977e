package gomocup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
)

// Yixin-Board runs openings by commands of its own and wants MESSAGE lines with
// the two numbers of a point apart: MESSAGE SWAP2 MOVE1 7 7.

// swap2Start answers with the three stones of an opening.
func (s *session) swap2Start(r *request) (*job, error) {
	return s.offer(r, func() {
		for i, cell := range s.record.cells() {
			text := strings.Replace(FormatCell(s.record.size, cell), ",", " ", 1)
			s.out.printf("MESSAGE SWAP2 MOVE%d %s", i+1, text)
		}
	})
}

// swap2Step returns what answers whether Black is taken after so many stones, which the
// board has set before. Where it is not, the board asks for a move itself.
func swap2Step(stones int, what string) func(*session, *request) (*job, error) {
	return func(s *session, r *request) (*job, error) {
		if n := len(s.record.stones); n != stones {
			return nil, fmt.Errorf("%s: want %d stones on the board, not %d", r.verb, stones, n)
		}
		return s.judge(r, s.record, 0, nil, func(_ *gomoku.Board, found *engine.Answer) {
			choice := "NO"
			if found.Value < 0 {
				choice = "YES"
			}
			s.out.printf("MESSAGE %s %s", what, choice)
		})
	}
}

// swap2 answers SWAP2BOARD: no stones ask for three, three or five for a choice
// of colours.
func (s *session) swap2(r *request) (*job, error) {
	next, err := inTurn(s.record.size, r)
	if err != nil {
		return nil, err
	}
	switch len(r.rows) {
	case 0:
		return s.offer(r, func() {
			s.out.printf("%s", strings.Join(formatCells(next.size, s.record.cells()), " "))
		})
	case 3, 5:
		return s.judge(r, next, 0, nil, func(_ *gomoku.Board, found *engine.Answer) {
			if found.Value < 0 {
				s.record = next.swapped()
				s.out.printf("SWAP")
				return
			}
			s.record = next.mustWith(found.Move, true)
			s.out.printf("%s", FormatCell(next.size, found.Move))
		})
	}
	return nil, fmt.Errorf("SWAP2BOARD: want no stones, 3 or 5, not %d", len(r.rows))
}

// offer makes the most even of the openings that fit the board the game, the engine being
// Black for the time being, and has say answer it. Of the time, and of the nodes, each
// opening gets an equal part.
func (s *session) offer(r *request, say func()) (*job, error) {
	var records []record
	for _, o := range gomoku.Offers {
		next := record{size: s.record.size}
		cells, fits := o.On(next.size)
		for i, cell := range cells {
			next = next.mustWith(cell, i%2 == 0)
		}
		if fits {
			records = append(records, next)
		}
	}
	limits, end := s.settings.bounds(r.arrival, &s.opts)
	if limits.Nodes > 0 {
		limits.Nodes = max(1, limits.Nodes/int64(len(records)))
	}
	return s.job(r, end, func(ctx context.Context) (func(), error) {
		best, least := 0, float32(2)
		for i, next := range records {
			board, err := next.open(r.rules, game.Second)
			if err != nil {
				return nil, err
			}
			part, cancel := ctx, context.CancelFunc(func() {})
			if !end.IsZero() {
				now := s.opts.Time.Now()
				part, cancel = s.opts.Time.WithDeadline(ctx, now.Add(end.Sub(now)/time.Duration(len(records)-i)))
			}
			found, err := s.ask(part, board, limits, time.Time{})
			cancel()
			if err != nil {
				return nil, err
			}
			if v := max(found.Value, -found.Value); v < least {
				best, least = i, v
			}
		}
		return func() {
			s.record = records[best]
			say()
		}, nil
	}), nil
}
