package gomocup

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/openings"
)

// Yixin-Board runs openings by commands of its own and wants MESSAGE lines with
// the two numbers of a point apart: MESSAGE SWAP2 MOVE1 7 7.

// apart writes a cell as boards read it from MESSAGE lines: "7 7".
func apart(size int, m game.Move) string { return strings.Replace(FormatCell(size, m), ",", " ", 1) }

// sayStones tells a board the stones of the opening that was chosen.
func (s *session) sayStones(what string) {
	for i, cell := range s.record.cells() {
		s.out.printf("MESSAGE %s%d %s", what, i+1, apart(s.record.size, cell))
	}
}

// saySwap tells a board whether the engine, which is to move, changes sides.
func (s *session) saySwap(r *request, next record, what, yes, no string) (*job, error) {
	return s.judge(r, next, 0, nil, func(_ *gomoku.Board, found *engine.Answer) {
		if openings.Swaps(found.Value) {
			no = yes
		}
		s.out.printf("MESSAGE %s %s", what, no)
	})
}

// swap2Start answers with the three stones of an opening.
func (s *session) swap2Start(r *request) (*job, error) {
	return s.offer(r, openings.Offers[:], func() { s.sayStones("SWAP2 MOVE") })
}

// swap2Step returns what answers whether Black is taken after so many stones, which the
// board has set before. Where it is not, the board asks for a move itself.
func swap2Step(stones int, what string) func(*session, *request) (*job, error) {
	return func(s *session, r *request) (*job, error) {
		if n := len(s.record.stones); n != stones {
			return nil, fmt.Errorf("%s: want %d stones on the board, not %d", r.verb, stones, n)
		}
		return s.saySwap(r, s.record, what, "YES", "NO")
	}
}

// soosorvStart answers with an opening that Soosorv's rule allows: the second stone beside
// the centre, the third within two of it.
func (s *session) soosorvStart(r *request) (*job, error) {
	return s.offer(r, openings.Offers[:2], func() { s.sayStones("SOOSORV MOVE") })
}

// soosorvSteps returns the other steps of Soosorv's opening, which come with the stones so
// far: whether the engine swaps (after three and four), the fourth move and how many fifth
// ones it wants, the fifth ones, or which of them stays.
func soosorvSteps() map[string]func(*session, *request) (*job, error) {
	const fifths = 2
	steps := map[string]func(*session, *request) (*job, error){}
	for verb, step := range map[string]struct {
		least, most int // stones
		run         func(*session, *request, record) (*job, error)
	}{
		"YXSOOSORVSTEP2": {3, 3, func(s *session, r *request, next record) (*job, error) {
			return s.saySwap(r, next, "SOOSORV SWAP1", "Y", "N")
		}},
		"YXSOOSORVSTEP3": {3, 3, func(s *session, r *request, next record) (*job, error) {
			return s.judge(r, next, 0, nil, func(_ *gomoku.Board, found *engine.Answer) {
				s.out.printf("MESSAGE SOOSORV MOVE4 %s %d", apart(next.size, found.Move), fifths)
			})
		}},
		"YXSOOSORVSTEP4": {4, 4, func(s *session, r *request, next record) (*job, error) {
			return s.saySwap(r, next, "SOOSORV SWAP2", "Y", "N")
		}},
		"YXSOOSORVSTEP5": {4, 4, (*session).fifthMoves},
		"YXSOOSORVSTEP6": {5, mostRows, (*session).fifthKept},
	} {
		steps[verb] = func(s *session, r *request) (*job, error) {
			next, err := inTurn(s.record.size, r)
			if err != nil {
				return nil, err
			}
			if n := len(r.rows); n < step.least || n > step.most {
				return nil, fmt.Errorf("%s: want %d stones or, in the last step, more, not %d", verb, step.least, n)
			}
			return step.run(s, r, next)
		}
	}
	return steps
}

// fifthMoves offers as many of the best fifth moves as the command says, no two
// of which are the same position turned or mirrored.
func (s *session) fifthMoves(r *request, next record) (*job, error) {
	n, err := strconv.Atoi(r.args)
	if err != nil || n < 1 || n > mostRows {
		return nil, fmt.Errorf("%s %q: want how many fifth moves to offer, as in %s 2", r.verb, excerpt(r.args), r.verb)
	}
	return s.judge(r, next, 2*n, nil, func(board *gomoku.Board, found *engine.Answer) {
		s.out.printf("MESSAGE SOOSORV MOVE5 REFRESH")
		best := []game.Move{found.Move}
		for _, o := range found.Moves {
			best = append(best, o.Move)
		}
		seen := map[string]bool{}
		for _, m := range append(best, board.Moves(nil)...) {
			if form := next.form(m); len(seen) < n && !seen[form] {
				seen[form] = true
				s.out.printf("MESSAGE SOOSORV MOVE5 %s", apart(next.size, m))
			}
		}
		s.out.printf("MESSAGE SOOSORV MOVE5 DONE")
	})
}

// fifthKept answers which of the fifth moves, the last of the stones, is the best
// one for the engine, White.
func (s *session) fifthKept(r *request, next record) (*job, error) {
	var records []record
	for _, fifth := range next.stones[4:] {
		kept := record{size: next.size, own: game.Second}
		for i, old := range next.stones[:4] {
			kept = kept.mustWith(old.cell, i%2 == 1)
		}
		records = append(records, kept.mustWith(fifth.cell, false))
	}
	return s.pick(r, records, func(v float32) float32 { return -v }, func(best record) {
		s.out.printf("MESSAGE SOOSORV MOVE5C %s", apart(best.size, best.stones[4].cell))
	}), nil
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
		return s.offer(r, openings.Offers[:], func() {
			s.out.printf("%s", strings.Join(formatCells(next.size, s.record.cells()), " "))
		})
	case 3, 5:
		return s.judge(r, next, 0, nil, func(_ *gomoku.Board, found *engine.Answer) {
			if openings.Swaps(found.Value) {
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
// Black for the time being, and has say answer it.
func (s *session) offer(r *request, from []openings.Offer, say func()) (*job, error) {
	var records []record
	for _, o := range from {
		next := record{size: s.record.size}
		cells, fits := o.On(next.size)
		for i, cell := range cells {
			next = next.mustWith(cell, i%2 == 0)
		}
		if fits {
			records = append(records, next)
		}
	}
	return s.pick(r, records, openings.Even, func(best record) {
		s.record = best
		say()
	}), nil
}

// pick returns the job that has answer say the record whose value to the side to move has the
// least badness; of the time, and of the nodes, each record gets an equal part.
func (s *session) pick(r *request, records []record, badness func(value float32) float32,
	answer func(best record)) *job {
	limits, end := s.settings.bounds(r.arrival, &s.opts)
	if limits.Nodes > 0 {
		limits.Nodes = max(1, limits.Nodes/int64(len(records)))
	}
	return s.job(r, end, func(ctx context.Context) (func(), error) {
		best, least := 0, float32(3)
		for i, next := range records {
			board, err := next.open(r.rules, game.Side(len(next.stones)%2))
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
			if v := badness(found.Value); v < least {
				best, least = i, v
			}
		}
		return func() { answer(records[best]) }, nil
	})
}

// balance answers with a move of the side to move, or with its best move and a
// reply, after which neither side stands better.
func (s *session) balance(r *request) (*job, error) {
	const choices = 16
	next, two := s.record, r.verb == "YXBALANCETWO"
	board, err := next.open(r.rules, next.own)
	if err != nil {
		return nil, err
	}
	limits, end := s.settings.bounds(r.arrival, &s.opts)
	limits.Lines = choices
	return s.job(r, end, func(ctx context.Context) (func(), error) {
		text := ""
		found, err := s.ask(ctx, board, limits, r.arrival)
		if err == nil && two {
			next = next.mustWith(found.Move, true)
			text = FormatCell(next.size, found.Move) + " "
			if board, err = next.open(r.rules, next.own.Other()); err == nil {
				found, err = s.ask(ctx, board, limits, r.arrival)
			}
		}
		return func() {
			m := mostEven(found)
			s.record = next.mustWith(m, !two)
			s.out.printf("%s%s", text, FormatCell(next.size, m))
		}, err
	}), nil
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
