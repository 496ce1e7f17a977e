package gomocup

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/openings"
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
