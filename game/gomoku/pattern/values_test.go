package pattern

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// recount returns the sums of values cell by cell.
func recount(v *Values, b *Board) (worth, pairs Worth) {
	side := b.ToMove()
	for c := range b.geo.cells {
		if b.board.At(c) == gomoku.Empty {
			own, opp := v.Of(b, game.First, c), v.Of(b, game.Second, c)
			worth.Early += own.Early - opp.Early
			worth.Late += own.Late - opp.Late
			early, late := worthOfPair(b.LineClass(c, side), b.LineClass(c, side.Other()))
			pairs.Early += int32(early)
			pairs.Late += int32(late)
		}
	}
	return worth, pairs
}

// worthOfPair tells all pairs of classes apart, in both orders.
func worthOfPair(own, opp Class) (early, late int16) {
	return 31*int16(own) - 17*int16(opp), int16(own)*int16(own) + 20*int16(opp) - 3
}

// The sum that is kept is the sum over the cells, and passes leave all but the
// turn alone.
func TestValuesAreKept(t *testing.T) {
	v := NewValues(func(side game.Side, code int) (early, late int16) {
		return int16(code*7%201 - 100), int16(code*(3+int(side))%301 - 150)
	}, worthOfPair)
	walkRule(t, 15, func(b *Board) { b.SetValues(v) }, func(t *rapid.T, b *Board) {
		worth, pairs := recount(v, b)
		if b.Worth() != worth || b.PairWorth() != pairs {
			t.Fatalf("%v and %v, want %v and %v\n%v", b.Worth(), b.PairWorth(), worth, pairs, b.board)
		}
	})
}

// A defence is a cell after which no stone that made an open four or two fours
// makes one still; every other cell leaves one.
func TestDefences(t *testing.T) {
	walkRule(t, 15, func(*Board) {}, func(t *rapid.T, b *Board) {
		side := b.ToMove().Other()
		if b.Outcome() != game.Undecided || b.rules.Captures {
			return
		}
		strong := b.sets[side][OpenFour].Or(&b.sets[side][DoubleFour])
		if strong.Empty() {
			return
		}
		got := b.OpenFourDefences(side)
		for _, m := range b.Moves(nil) {
			c := int(m)
			b.Play(m)
			left := strong.And(&b.sets[side][OpenFour])
			double := strong.And(&b.sets[side][DoubleFour])
			left = left.Or(&double)
			b.Undo()
			if got.Has(c) != left.Empty() {
				t.Fatalf("cell %d: a defence is %v, stones left %v\n%v", c, got.Has(c), left, b.board)
			}
		}
	})
}

func TestCodesNameTheirShapes(t *testing.T) {
	list := CodeShapes()
	if len(list) != Codes {
		t.Fatalf("%d codes, want %d", len(list), Codes)
	}
	walkRule(t, 15, func(*Board) {}, func(t *rapid.T, b *Board) {
		for c := range b.geo.cells {
			if b.board.At(c) != gomoku.Empty {
				continue
			}
			for side := range game.Side(2) {
				var want, got [Lines]int
				for d := range directions {
					want[b.Line(c, side, d)]++
				}
				lines := list[b.Code(c, side)]
				for _, s := range lines {
					got[s.Line]++
				}
				if got != want {
					t.Fatalf("cell %d: code %d has lines %v, the cell %v", c, b.Code(c, side), got, want)
				}
				if class := b.strength(c, side); class != CodeClass(lines) {
					t.Fatalf("cell %d: class %v, by the code %v", c, class, CodeClass(lines))
				}
			}
		}
	})
}
