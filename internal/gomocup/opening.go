package gomocup

import (
	"context"
	"fmt"
	"slices"
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

// swap2Step answers a step of swap2: the three stones, or whether Black is taken
// after three or five stones, which the board has set before. Where it is not,
// the board asks for a move itself.
func (s *session) swap2Step(verb string, l line) (*job, error) {
	rules, err := s.ready()
	if err != nil {
		return nil, err
	}
	if verb == "YXSWAP2STEP1" {
		return s.offer(rules, openings.Offers[:], l, func(points []string) { s.sayMoves("SWAP2 MOVE", points) })
	}
	answer := "SWAP2 SWAP1"
	want := 3
	if verb == "YXSWAP2STEP3" {
		answer, want = "SWAP2 SWAP2", 5
	}
	if len(s.record.stones) != want {
		return nil, fmt.Errorf("%s: want %d stones on the board, not %d", verb, want, len(s.record.stones))
	}
	return s.choose(rules, s.record, l, func(value float32, _ game.Move) {
		if openings.Swaps(value) {
			s.out.printf("MESSAGE %s YES", answer)
		} else {
			s.out.printf("MESSAGE %s NO", answer)
		}
	})
}

// sayMoves tells a board the stones of an opening.
func (s *session) sayMoves(what string, points []string) {
	for i, p := range points {
		s.out.printf("MESSAGE %s%d %s", what, i+1, apart(p))
	}
}

// apart writes a point as boards read it from MESSAGE lines: "7 7".
func apart(point string) string { return strings.Replace(point, ",", " ", 1) }

// narrow are the openings that Soosorv's rule allows: the second stone beside the
// centre, the third within two of it.
var narrow = openings.Offers[:2]

// fifths is how many fifth moves the engine asks for when it has put the fourth.
const fifths = 2

// soosorvStart answers with the three stones of an opening.
func (s *session) soosorvStart(l line) (*job, error) {
	rules, err := s.ready()
	if err != nil {
		return nil, err
	}
	return s.offer(rules, narrow, l, func(points []string) { s.sayMoves("SOOSORV MOVE", points) })
}

// soosorvStep answers a step of Soosorv's opening, with the stones so far in
// rows: whether the engine swaps (after three and four stones), the fourth move
// and how many fifth ones it wants, the fifth ones, or which of them stays.
func (s *session) soosorvStep(c command, rules gomoku.Rules, rows [][]int, l line) (*job, error) {
	next, err := s.inTurn(c.verb, rows)
	if err != nil {
		return nil, err
	}
	least, most := 3, 3
	switch c.verb {
	case "YXSOOSORVSTEP4", "YXSOOSORVSTEP5":
		least, most = 4, 4
	case "YXSOOSORVSTEP6":
		least, most = 5, mostRows
	}
	if len(rows) < least || len(rows) > most {
		return nil, fmt.Errorf("%s: want %d stones or, in the last step, more, not %d", c.verb, least, len(rows))
	}
	swap := func(what string) func(float32, game.Move) {
		return func(value float32, _ game.Move) {
			if openings.Swaps(value) {
				s.out.printf("MESSAGE SOOSORV %s Y", what)
			} else {
				s.out.printf("MESSAGE SOOSORV %s N", what)
			}
		}
	}
	switch c.verb {
	case "YXSOOSORVSTEP2":
		return s.choose(rules, next, l, swap("SWAP1"))
	case "YXSOOSORVSTEP3":
		return s.choose(rules, next, l, func(_ float32, m game.Move) {
			s.out.printf("MESSAGE SOOSORV MOVE4 %s %d", apart(FormatCell(next.size, m)), fifths)
		})
	case "YXSOOSORVSTEP4":
		return s.choose(rules, next, l, swap("SWAP2"))
	case "YXSOOSORVSTEP5":
		return s.fifthMoves(c, rules, next, l)
	}
	return s.fifthKept(rules, next, l)
}

// inTurn returns the record of stones in the order in which they were put, black
// first, the engine being to move.
func (s *session) inTurn(verb string, rows [][]int) (record, error) {
	next := record{size: s.record.size}
	for i, row := range rows {
		cell, err := Cell(next.size, row[0], row[1])
		if err == nil {
			next, err = next.with(cell, (len(rows)-i)%2 == 0)
		}
		if err != nil {
			return next, fmt.Errorf("%s line %d: %w", verb, i+1, err)
		}
	}
	next.own = next.toMove()
	return next, nil
}

// fifthMoves offers as many of the best fifth moves as the command says, no two
// of which are the same position turned or mirrored.
func (s *session) fifthMoves(c command, rules gomoku.Rules, next record, l line) (*job, error) {
	n, err := strconv.Atoi(c.args)
	if err != nil || n < 1 || n > mostRows {
		return nil, fmt.Errorf("%s %q: want how many fifth moves to offer, as in %s 2", c.verb, excerpt(c.args), c.verb)
	}
	return s.judge(rules, next, l, 2*n, func(board *gomoku.Board, found *engine.Answer) {
		s.out.printf("MESSAGE SOOSORV MOVE5 REFRESH")
		for _, m := range next.different(found, board.Moves(nil), n) {
			s.out.printf("MESSAGE SOOSORV MOVE5 %s", apart(FormatCell(next.size, m)))
		}
		s.out.printf("MESSAGE SOOSORV MOVE5 DONE")
	})
}

// different returns up to n moves, the best first, that lead to positions of
// which none is another one turned or mirrored: those that were judged, and then
// the other legal ones.
func (r record) different(found *engine.Answer, legal []game.Move, n int) []game.Move {
	var list []game.Move
	seen := map[string]bool{}
	try := func(m game.Move) {
		if form := r.form(m); len(list) < n && !seen[form] {
			seen[form] = true
			list = append(list, m)
		}
	}
	try(found.Move)
	for _, c := range found.Moves {
		try(c.Move)
	}
	for _, m := range legal {
		try(m)
	}
	return list
}

// form returns the same text for all positions that are the record with one more
// stone, turned and mirrored.
func (r record) form(m game.Move) string {
	forms := make([]string, gomoku.Symmetries)
	for sym := range forms {
		cells := make([]int, 0, len(r.stones))
		for _, st := range r.stones {
			cell := 2 * gomoku.Transform(r.size, sym, int(st.cell))
			if st.own {
				cell++
			}
			cells = append(cells, cell)
		}
		slices.Sort(cells)
		forms[sym] = fmt.Sprint(cells, gomoku.Transform(r.size, sym, int(m)))
	}
	return slices.Min(forms)
}

// fifthKept answers which of the fifth moves, the last of the record, is the best
// one for the engine, White.
func (s *session) fifthKept(rules gomoku.Rules, next record, l line) (*job, error) {
	var records []record
	for _, st := range next.stones[4:] {
		r := record{size: next.size, own: game.Second}
		for i, old := range next.stones[:4] {
			r.stones = append(r.stones, stone{old.cell, i%2 == 1})
		}
		r.stones = append(r.stones, stone{st.cell, false})
		records = append(records, r)
	}
	want := s.wanted(rules.Name, next.size)
	limits, end := s.settings.bounds(l.arrival, &s.opts)
	return &job{end: end, run: func(ctx context.Context) func() {
		best, err := s.pick(ctx, rules, want, records, limits, end, func(v float32) float32 { return -v })
		return func() {
			s.settings.spend(s.opts.Time.Now().Sub(l.arrival))
			if err != nil {
				s.out.errorf("%v", err)
				return
			}
			s.out.printf("MESSAGE SOOSORV MOVE5C %s", apart(FormatCell(next.size, records[best].stones[4].cell)))
		}
	}}, nil
}

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
