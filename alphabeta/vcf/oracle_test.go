package vcf_test

import (
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// oracle decides by the definition alone, with the plain rules and every legal
// reply: the attacking moves are those after which the attacker would win, or
// with VCT have an unstoppable four, if the defender passed; where captures
// count, those that capture, or stand in an open row with two more stones, and
// after which it would win by fours in two moves. It knows no patterns and no
// candidate lists.
type oracle struct {
	t    *testing.T
	kind vcf.Kind
	side game.Side // the attacker
	memo map[memoKey]bool
	room int // positions that it may still set up
}

type memoKey struct {
	key [2]uint64
	d   int
}

// endless is more attacking moves than the boards of the tests hold.
const endless = 64

// solve returns the number of attacking moves of the shortest win, 0 if there
// is none. known is false if the position is too large for it.
func (o *oracle) solve(b *gomoku.Board) (moves int, known bool) {
	o.memo = map[memoKey]bool{}
	o.side = b.ToMove()
	for d := 1; d < endless; d++ {
		if o.wins(b, d) {
			return d, o.room > 0
		}
		if d == 3 && !o.wins(b, endless) {
			break
		}
	}
	return 0, o.room > 0
}

// wins reports whether the attacker, to move, wins within d moves.
func (o *oracle) wins(b *gomoku.Board, d int) bool {
	if b.Outcome() != game.Undecided || d == 0 || o.room <= 0 {
		return false
	}
	if len(b.Wins(nil)) > 0 {
		return true
	}
	if d == 1 {
		return false
	}
	key := memoKey{b.Key(), d}
	if v, ok := o.memo[key]; ok {
		return v
	}
	v := false
	for _, m := range b.Moves(nil) {
		near := b.Rules().Captures && o.kind == vcf.VCT && o.near(b, m)
		b.Play(m)
		v = b.Outcome() == game.Undecided && o.threat(b, near) && o.holds(b, d-1)
		b.Undo()
		if v {
			break
		}
	}
	o.memo[key] = v
	return v
}

// holds reports whether the attacker wins within d moves after every reply.
func (o *oracle) holds(b *gomoku.Board, d int) bool {
	replies := b.Moves(nil)
	var defences []game.Move
	for _, p := range replies {
		b.Play(p)
		over, lost := b.Outcome() != game.Undecided, b.Outcome() == game.WinFor(o.side)
		stops := !lost && (over || len(b.Wins(nil)) == 0)
		b.Undo()
		if stops && over {
			return false
		}
		if stops {
			defences = append(defences, p)
		}
	}
	for _, p := range defences {
		b.Play(p)
		v := o.wins(b, d)
		b.Undo()
		if !v {
			return false
		}
	}
	return true
}

// threat reports whether the attacker's last move is a four or, with VCT, a
// three, with near as it was before the move. The defender is to move on b.
func (o *oracle) threat(b *gomoku.Board, near bool) bool {
	if o.kind == vcf.VCF && !b.Rules().Captures && len(b.AppendWinsFor(o.side, nil)) == 0 {
		return false
	}
	passed := o.with(b, -1)
	switch {
	case passed.Outcome() == game.WinFor(o.side), len(passed.Wins(nil)) > 0:
		return true
	case passed.Outcome() != game.Undecided, o.kind == vcf.VCF:
		return false
	case b.Rules().Captures:
		if !near {
			return false
		}
		fours := &oracle{t: o.t, kind: vcf.VCF, side: o.side, memo: map[memoKey]bool{}, room: o.room}
		wins := fours.wins(passed, 2)
		o.room = fours.room
		return wins
	}
	for _, w := range passed.Moves(nil) {
		passed.Play(w)
		lasts := passed.Outcome() == game.Undecided && o.lasts(passed)
		passed.Undo()
		if lasts {
			return true
		}
	}
	return false
}

// lasts reports whether the attacker has a winning move next whatever one
// stone the defender adds, be it allowed to or not.
func (o *oracle) lasts(b *gomoku.Board) bool {
	if len(b.AppendWinsFor(o.side, nil)) < 2 {
		return false
	}
	for c := range b.Size() * b.Size() {
		if b.At(c) == gomoku.Empty {
			stones := o.with(b, c)
			if stones.Outcome() == game.Undecided && len(stones.Wins(nil)) == 0 {
				return false
			}
		}
	}
	return true
}

// with returns the position of b with the attacker to move, and with one stone
// more of the defender unless extra is negative.
func (o *oracle) with(b *gomoku.Board, extra int) *gomoku.Board {
	o.room--
	s := b.Setup(0)
	if s.ToMove = o.side; extra >= 0 {
		s.Stones[extra] = gomoku.StoneOf(o.side.Other())
	}
	next, err := gomoku.NewSetup(b.Rules(), b.Size(), s)
	if err != nil {
		o.t.Fatalf("a pass in\n%v: %v", b, err)
	}
	return next
}

// near reports whether the attacker's move m captures or is one of three of its
// stones in a row of five cells without a stone of the defender.
func (o *oracle) near(b *gomoku.Board, m game.Move) bool {
	before := b.Captured(o.side)
	b.Play(m)
	captured := b.Captured(o.side) > before
	b.Undo()
	if captured {
		return true
	}
	own, size := gomoku.StoneOf(o.side), b.Size()
	x, y := int(m)%size, int(m)/size
	for _, d := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
		for start := -4; start <= 0; start++ {
			stones, free := 0, true
			for k := start; k < start+5; k++ {
				cx, cy := x+k*d[0], y+k*d[1]
				switch {
				case cx < 0 || cy < 0 || cx >= size || cy >= size:
					free = false
				case b.At(cy*size+cx) == own:
					stones++
				case b.At(cy*size+cx) != gomoku.Empty:
					free = false
				}
			}
			if free && stones >= 2 {
				return true
			}
		}
	}
	return false
}
