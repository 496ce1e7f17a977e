package gomocup

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
)

// spec says how a command is carried out.
type spec struct {
	run    func(*session, *request) (*job, error)
	game   bool   // it needs a game by rules that are supported
	begins bool   // it starts afresh, and may break off a block
	calm   bool   // the position, and what was learned of it, stay: pondering may go on
	block  string // form of the lines that follow up to DONE; "": none do
}

// commands returns the commands of a session.
func commands() map[string]spec {
	return map[string]spec{
		"START":     {run: (*session).start, begins: true},
		"RECTSTART": {run: (*session).start, begins: true},
		"RESTART":   {run: (*session).restart, begins: true, game: true},
		"BEGIN":     {run: (*session).begin, game: true},
		"TURN":      {run: (*session).turn, game: true},
		"PLAY":      {run: (*session).play, game: true},
		"TAKEBACK":  {run: (*session).takeBack, game: true},
		"BOARD":     {run: (*session).board, game: true, block: "x,y,field"},
		"INFO":      {run: (*session).info, calm: true},
		"ABOUT":     {run: (*session).about, calm: true},

		"SWAP2BOARD":   {run: (*session).swap2, game: true, block: "x,y"},
		"YXBOARD":      {run: (*session).board, game: true, block: "x,y,field"},
		"YXNBEST":      {run: (*session).nBest, game: true},
		"YXSHOWFORBID": {run: (*session).showForbidden, game: true, calm: true},
		"YXSHOWINFO":   {run: (*session).showLimits, calm: true},
		"YXHASHCLEAR":  {run: (*session).forget},
		"YXSTOP":       {run: func(*session, *request) (*job, error) { return nil, nil }}, // no search is running

		"YXSWAP2STEP1": {run: (*session).swap2Start, game: true},
		"YXSWAP2STEP2": {run: swap2Step(3, "SWAP1"), game: true},
		"YXSWAP2STEP3": {run: swap2Step(5, "SWAP2"), game: true},
	}
}

// start takes one width, or two as RECTSTART and boards of the Yixin family send them.
func (s *session) start(r *request) (*job, error) {
	sizes := strings.FieldsFunc(r.args, func(c rune) bool { return c == ' ' || c == ',' })
	if len(sizes) == 1 {
		sizes = append(sizes, sizes[0])
	}
	n, err := numbers(strings.Join(sizes, ","), "width,height")
	if err != nil {
		return nil, fmt.Errorf("%s %q: want the width of the board, as in START 15", r.verb, excerpt(r.args))
	}
	if n[0] != n[1] {
		return nil, fmt.Errorf("%s %d,%d: only square boards are supported", r.verb, n[0], n[1])
	}
	return nil, s.reset(n[0])
}

func (s *session) restart(*request) (*job, error) { return nil, s.reset(s.record.size) }

// reset begins a new game, if the engine can play it by the rules that were
// named so far. It answers when the engine is ready.
func (s *session) reset(size int) error {
	if size < gomoku.MinSize || size > gomoku.MaxSize {
		return fmt.Errorf("unsupported size %d; boards are %d to %d wide", size, gomoku.MinSize, gomoku.MaxSize)
	}
	s.stale = true
	rules, err := s.rules()
	if err != nil {
		return err
	}
	if err := s.configure(rules.Name, size); err != nil {
		return err
	}
	s.record = record{size: size}
	s.settings.left = s.settings.match
	s.stale = false
	s.engine.Forget()
	s.out.printf("OK")
	return nil
}

// info takes a setting. INFO has no answer, so an error in it is sent as a
// message, which may come at any time.
func (s *session) info(r *request) (*job, error) {
	if err := s.settings.set(cutWord(r.args)); err != nil {
		s.out.printf("MESSAGE ignored: %v", err)
	}
	s.stale = true
	return nil, nil
}

func (s *session) about(*request) (*job, error) {
	s.out.printf(`name="CaroZero", version=%q, author="the CaroZero authors", country="none"`, s.opts.Version)
	return nil, nil
}

func (s *session) begin(r *request) (*job, error) {
	if len(s.record.stones) > 0 {
		return nil, errors.New("BEGIN on a board with stones; send RESTART before it, or BOARD in its place")
	}
	return s.think(r, record{size: s.record.size}, 1)
}

// change returns what do makes of the game with the cell behind a command, and the cell.
func (s *session) change(r *request, do func(game.Move) (record, error)) (next record, cell game.Move, err error) {
	if cell, err = ParseCell(s.record.size, r.args); err != nil {
		return next, cell, fmt.Errorf("%s %w", r.verb, err)
	}
	next, err = do(cell)
	return next, cell, err
}

func (s *session) turn(r *request) (*job, error) {
	next, _, err := s.change(r, func(c game.Move) (record, error) { return s.record.play(r.rules, c, false) })
	if err != nil {
		return nil, err
	}
	return s.think(r, next, 1)
}

// play makes the move for the engine that the client chose.
func (s *session) play(r *request) (*job, error) {
	next, cell, err := s.change(r, func(c game.Move) (record, error) { return s.record.play(r.rules, c, true) })
	if err == nil {
		s.record = next
		s.out.printf("%s", FormatCell(next.size, cell))
	}
	return nil, err
}

func (s *session) takeBack(r *request) (*job, error) {
	next, _, err := s.change(r, s.record.without)
	if err == nil {
		s.record = next
		s.out.printf("OK")
	}
	return nil, err
}

// board takes a position, and answers it with a move if it is BOARD.
func (s *session) board(r *request) (*job, error) {
	next, err := placed(s.record.size, r)
	switch {
	case err != nil:
		return nil, err
	case r.verb == "BOARD":
		return s.think(r, next, 1)
	}
	s.record = next
	return nil, nil
}

// nBest thinks about the current position and shows so many of the best moves.
func (s *session) nBest(r *request) (*job, error) {
	n, err := strconv.Atoi(r.args)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("YXNBEST %q: want how many moves to show, as in YXNBEST 3", excerpt(r.args))
	}
	return s.think(r, s.record, n)
}

// showForbidden lists the points that Black may not play.
func (s *session) showForbidden(r *request) (*job, error) {
	size := s.record.size
	b, err := s.record.board(r.rules, game.First)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for i := range size * size {
		x, y := i%size, i/size
		cell, _ := Cell(size, x, y)
		if b.At(int(cell)) == gomoku.Empty && !b.AllowedFor(game.First, int(cell)) {
			fmt.Fprintf(&text, "%02d%02d", x, y)
		}
	}
	s.out.printf("FORBID %s.", &text)
	return nil, nil
}

// showLimits tells a board what it may offer its user; a table's size is the logarithm to
// base 2 of a number of KiB.
func (s *session) showLimits(*request) (*job, error) {
	s.out.printf("MESSAGE INFO MAX_THREAD_NUM %d", s.opts.Threads)
	s.out.printf("MESSAGE INFO MAX_HASH_SIZE %d", bits.Len64(uint64(tableBytes(s.opts.Memory))>>10)-1)
	return nil, nil
}

func (s *session) forget(*request) (*job, error) {
	if s.engine != nil {
		s.engine.Forget()
	}
	return nil, nil
}

// Yixin-Board runs openings by commands of its own and wants MESSAGE lines with
// the two numbers of a point apart: MESSAGE SWAP2 MOVE1 7 7.

// swap2Start answers with the three stones of an opening.
func (s *session) swap2Start(r *request) (*job, error) {
	return s.offer(r, func(cells []game.Move) {
		for i, cell := range cells {
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
		return s.judge(r, s.record, 0, nil, func(found *engine.Answer) {
			choice := "NO"
			if found.Value < 0 {
				choice = "YES"
			}
			s.out.printf("MESSAGE SWAP2 %s %s", what, choice)
		})
	}
}

// swap2 answers SWAP2BOARD: no stones ask for three, three or five, in the order in which
// they were put, for a choice of colours.
func (s *session) swap2(r *request) (*job, error) {
	n := len(r.rows)
	for i, row := range r.rows {
		r.rows[i] = append(row, 1+(n-i)%2) // the engine is to move
	}
	next, err := placed(s.record.size, r)
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return s.offer(r, func(cells []game.Move) { s.out.printf("%s", formatCells(next.size, cells)) })
	case n != 3 && n != 5:
		return nil, fmt.Errorf("SWAP2BOARD: want no stones, 3 or 5, not %d", n)
	}
	return s.judge(r, next, 0, nil, func(found *engine.Answer) {
		if found.Value >= 0 {
			s.record = next.put(found.Move, true)
			s.out.printf("%s", FormatCell(next.size, found.Move))
			return
		}
		s.record = record{size: next.size, own: next.own.Other()}
		for _, st := range next.stones {
			s.record = s.record.put(st.cell, !st.own)
		}
		s.out.printf("SWAP")
	})
}

// offer makes the most even of the openings that fit the board the game, the engine being
// Black for the time being, and has say answer it. Of the time, and of the nodes, each
// opening gets an equal part.
func (s *session) offer(r *request, say func(cells []game.Move)) (*job, error) {
	var offers [][3]game.Move
	for _, o := range gomoku.Offers {
		if cells, fits := o.On(s.record.size); fits {
			offers = append(offers, cells)
		}
	}
	limits, end := s.settings.bounds(r.arrival, &s.opts)
	if limits.Nodes > 0 {
		limits.Nodes = max(1, limits.Nodes/int64(len(offers)))
	}
	size := s.record.size
	return s.job(r, end, func(ctx context.Context) (func(), error) {
		var best [3]game.Move
		chosen, least := record{}, float32(0)
		for i, cells := range offers {
			next := record{size: size}.put(cells[0], true).put(cells[1], false).put(cells[2], true)
			board, err := next.open(r.rules, game.Second)
			if err != nil {
				return nil, err
			}
			part, cancel := ctx, context.CancelFunc(func() {})
			if !end.IsZero() {
				now := s.opts.Time.Now()
				part, cancel = s.opts.Time.WithDeadline(ctx, now.Add(end.Sub(now)/time.Duration(len(offers)-i)))
			}
			found, err := s.ask(part, board, limits, time.Time{})
			cancel()
			if err != nil {
				return nil, err
			}
			if v := max(found.Value, -found.Value); i == 0 || v < least {
				best, chosen, least = cells, next, v
			}
		}
		return func() {
			s.record = chosen
			say(best[:])
		}, nil
	}), nil
}
