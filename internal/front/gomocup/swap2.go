package gomocup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/openings"
)

// swap2 answers SWAP2BOARD: no stones ask for three, three or five for a choice
// of colours. The stones are given in the order in which they were put, black
// first, and White is to move.
func (s *session) swap2(rules gomoku.Rules, rows [][]int, l line) (*job, error) {
	next := record{size: s.record.size, own: game.Second}
	for i, row := range rows {
		cell, err := Cell(next.size, row[0], row[1])
		if err == nil {
			next, err = next.with(cell, i%2 == 1)
		}
		if err != nil {
			return nil, fmt.Errorf("SWAP2BOARD line %d: %w", i+1, err)
		}
	}
	switch len(rows) {
	case 0:
		return s.offer(rules, openings.Offers[:], l, s.sayOpening)
	case 3, 5:
		return s.choose(rules, next, l, func(value float32, m game.Move) {
			if openings.Swaps(value) {
				s.record = next.swapped()
				s.out.printf("SWAP")
				return
			}
			s.record, _ = next.with(m, true)
			s.out.printf("%s", FormatCell(next.size, m))
		})
	}
	return nil, fmt.Errorf("SWAP2BOARD: want no stones, 3 or 5, not %d", len(rows))
}

// sayOpening answers with three stones, in the terms of the protocol.
func (s *session) sayOpening(points []string) { s.out.printf("%s", strings.Join(points, " ")) }

// choose judges next, in which the engine is to move, and has say answer what it
// is worth to it, with its best move.
func (s *session) choose(rules gomoku.Rules, next record, l line, say func(value float32, m game.Move)) (*job, error) {
	return s.judge(rules, next, l, 0, func(_ *gomoku.Board, found *engine.Answer) { say(found.Value, found.Move) })
}

// judge has say answer what the engine, which is to move in next, found there:
// that many of the best moves, or one if choices is 0.
func (s *session) judge(rules gomoku.Rules, next record, l line, choices int, say func(*gomoku.Board, *engine.Answer)) (*job, error) {
	board, err := next.open(rules, next.own)
	if err != nil {
		return nil, err
	}
	want := s.wanted(rules.Name, next.size)
	limits, end := s.bounds(next, l)
	limits.Lines = choices
	return &job{end: end, run: func(ctx context.Context) func() {
		found, err := s.ask(ctx, want, board, limits, l.arrival)
		return func() {
			s.settings.spend(s.opts.Time.Now().Sub(l.arrival))
			if err != nil {
				s.out.errorf("%v", err)
				return
			}
			say(board, found)
		}
	}}, nil
}

// swapped returns the record with the sides changed.
func (r record) swapped() record {
	swapped := record{size: r.size, own: r.own.Other()}
	for _, st := range r.stones {
		swapped.stones = append(swapped.stones, stone{st.cell, !st.own})
	}
	return swapped
}

// offer has say propose the stones of one of the openings, the engine being
// Black for the time being.
func (s *session) offer(rules gomoku.Rules, from []openings.Offer, l line, say func(points []string)) (*job, error) {
	var records []record
	for _, o := range from {
		if r, ok := (record{size: s.record.size}).opening(o); ok {
			records = append(records, r)
		}
	}
	want := s.wanted(rules.Name, s.record.size)
	limits, end := s.settings.bounds(l.arrival, &s.opts)
	return &job{end: end, run: func(ctx context.Context) func() {
		best, err := s.pick(ctx, rules, want, records, limits, end, openings.Even)
		return func() {
			s.settings.spend(s.opts.Time.Now().Sub(l.arrival))
			if err != nil {
				s.out.errorf("%v", err)
				return
			}
			s.record = records[best]
			say(s.record.points())
		}
	}}, nil
}

// points returns the stones in the terms of the protocol, in their order.
func (r record) points() []string {
	texts := make([]string, len(r.stones))
	for i, st := range r.stones {
		texts[i] = FormatCell(r.size, st.cell)
	}
	return texts
}

// opening returns the record with an opening's stones, and false if they do not
// fit the board.
func (r record) opening(o openings.Offer) (record, bool) {
	cells, fits := o.On(r.size)
	if !fits {
		return r, false
	}
	for i, cell := range cells {
		var err error
		if r, err = r.with(cell, i%2 == 0); err != nil {
			return r, false
		}
	}
	return r, true
}

// pick returns the index of the record whose value to the side to move has the
// least badness; of the time until end, and of the nodes, each record gets an
// equal part.
func (s *session) pick(ctx context.Context, rules gomoku.Rules, want Settings, records []record, limits engine.Limits, end time.Time, badness func(value float32) float32) (int, error) {
	best, least := 0, float32(3)
	if limits.Nodes > 0 {
		limits.Nodes = max(1, limits.Nodes/int64(len(records)))
	}
	for i, r := range records {
		board, err := r.open(rules, r.toMove())
		if err != nil {
			return best, err
		}
		part, cancel := ctx, context.CancelFunc(func() {})
		if !end.IsZero() {
			now := s.opts.Time.Now()
			part, cancel = s.opts.Time.WithDeadline(ctx, now.Add(end.Sub(now)/time.Duration(len(records)-i)))
		}
		found, err := s.ask(part, want, board, limits, time.Time{})
		cancel()
		if err != nil {
			return best, err
		}
		if v := badness(found.Value); v < least {
			best, least = i, v
		}
	}
	return best, nil
}

// toMove returns the side whose turn it is by the number of stones.
func (r record) toMove() game.Side {
	if len(r.stones)%2 == 0 {
		return game.First
	}
	return game.Second
}

// balanceChoices is how many moves are judged to find an even one.
const balanceChoices = 16

// balance answers with a move of the side to move, or with its best move and a
// reply, after which neither side stands better.
func (s *session) balance(two bool, l line) (*job, error) {
	rules, err := s.ready()
	if err != nil {
		return nil, err
	}
	start := s.record
	board, err := start.open(rules, start.own)
	if err != nil {
		return nil, err
	}
	want := s.wanted(rules.Name, s.record.size)
	limits, end := s.settings.bounds(l.arrival, &s.opts)
	limits.Lines = balanceChoices
	return &job{end: end, run: func(ctx context.Context) func() {
		next, text := start, ""
		found, err := s.ask(ctx, want, board, limits, l.arrival)
		if err == nil && two {
			next, _ = next.with(found.Move, true)
			text = FormatCell(next.size, found.Move) + " "
			if board, err = next.open(rules, next.own.Other()); err == nil {
				found, err = s.ask(ctx, want, board, limits, l.arrival)
			}
		}
		return func() {
			s.settings.spend(s.opts.Time.Now().Sub(l.arrival))
			if err != nil {
				s.out.errorf("%v", err)
				return
			}
			m := mostEven(found)
			s.record, _ = next.with(m, !two)
			s.out.printf("%s%s", text, FormatCell(next.size, m))
		}
	}}, nil
}

// mostEven returns the move whose value is nearest to a draw, of those that the
// search has looked at, or its choice if there are none.
func mostEven(a *engine.Answer) game.Move {
	best, least := a.Move, float32(2)
	for _, o := range a.Moves {
		if v := max(o.Value, -o.Value); (o.Visits > 0 || o.Depth > 0) && v < least {
			best, least = o.Move, v
		}
	}
	return best
}
