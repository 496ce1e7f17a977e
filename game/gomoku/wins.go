package gomoku

import (
	"math/bits"
	"slices"

	"github.com/carozero/carozero/game"
)

// WinningCaptures is the number of captured stones that wins.
const WinningCaptures = 10

// AppendWinningRuns appends, in ascending order, the cells of all runs of side that win.
func (b *Board) AppendWinningRuns(side game.Side, cells []game.Move) []game.Move {
	start := len(cells)
	b.winningRuns(side, func(d, line int, lo, hi uint) bool {
		for bit := lo + 1; bit < hi; bit++ {
			cells = append(cells, game.Move(b.geo.cell(d, line, int(bit))))
		}
		return true
	})
	slices.Sort(cells[start:])
	return cells[:start+len(slices.Compact(cells[start:]))]
}

// winningRuns calls yield for the runs of side that win, each with its direction, its
// line and the clear bits around it, until yield returns false.
func (b *Board) winningRuns(side game.Side, yield func(d, line int, lo, hi uint) bool) {
	for d, s := range b.geo.span {
		for line := s.lo; line < s.hi; line++ {
			own := b.lines[side][line]
			twos := own & (own >> 1)
			starts := twos & (twos >> 2) & (own >> 4)
			for starts != 0 {
				bit := uint(bits.TrailingZeros32(starts))
				lo, hi := below(own, bit), above(own, bit)
				if runWins(lo, hi, b.blockIn(side, line), b.rules.Exact[side]) && !yield(d, line, lo, hi) {
					return
				}
				starts &^= 1<<hi - 1
			}
		}
	}
}

// WinsFor reports whether side, were it to move, could win on the spot by a
// stone on cell: an allowed move that completes a winning line or takes the
// tenth stone. Where a capture can break a five, or the opponent has a five
// that must be broken first, such a move need not end the game; Wins answers
// that question.
func (b *Board) WinsFor(side game.Side, cell int) bool {
	if !b.AllowedFor(side, cell) {
		return false
	}
	if b.completes(side, cell) {
		return true
	}
	return b.rules.Captures && b.captured[side]+b.takes(side, cell) >= WinningCaptures
}

// completes reports whether the run around a stone of side on cell wins in some
// direction; the stone may be there already or not.
func (b *Board) completes(side game.Side, cell int) bool {
	w, p := &b.lines[side], &b.geo.place[cell]
	for d := range directions {
		line, bit := int(p.line[d]), uint(p.bit[d])
		own := w[line]
		lo, hi := below(own, bit), above(own, bit)
		if hi-lo > 5 && runWins(lo, hi, b.blockIn(side, line), b.rules.Exact[side]) {
			return true
		}
	}
	return false
}

// AppendWinsFor appends, in ascending order, the cells for which WinsFor holds.
func (b *Board) AppendWinsFor(side game.Side, buf []game.Move) []game.Move {
	var hits rows
	any := b.markFives(side, &hits)
	if b.rules.Captures {
		any = b.markCaptureWins(side, &hits) || any
	}
	if !any {
		return buf
	}
	start := len(buf)
	buf = b.appendMarked(buf, &hits)
	if !b.rules.DoubleThree {
		return buf
	}
	kept := start
	for _, m := range buf[start:] {
		if b.AllowedFor(side, int(m)) {
			buf[kept] = m
			kept++
		}
	}
	return buf[:kept]
}

// Wins appends, in ascending order, the legal moves that win at once.
func (b *Board) Wins(buf []game.Move) []game.Move {
	if b.outcome != game.Undecided {
		return buf
	}
	start := len(buf)
	buf = b.AppendWinsFor(b.toMove, buf)
	if !b.rules.Captures {
		return buf
	}
	kept, won := start, game.WinFor(b.toMove)
	for _, m := range buf[start:] {
		b.Play(m)
		wins := b.outcome == won
		b.Undo()
		if wins {
			buf[kept] = m
			kept++
		}
	}
	return buf[:kept]
}

// markFives adds the empty cells where side completes a winning run to hits
// and reports whether there are any. Restrictions are not looked at.
func (b *Board) markFives(side game.Side, hits *rows) bool {
	own, opp, g := &b.lines[side], &b.lines[side.Other()], b.geo
	exact, found := b.rules.Exact[side], false
	for d, s := range g.span {
		for i := s.lo; i < s.hi; i += 2 {
			o := own.pair(i)
			// Four stones of any five adjacent cells hold two adjacent pairs.
			adjacent := o & (o >> 1)
			if adjacent&(adjacent-1) == 0 {
				continue
			}
			p, valid := opp.pair(i), g.valid.pair(i)
			block := uint64(0)
			if b.rules.OpponentBlocks {
				block = p
				if b.rules.EdgeBlocks {
					block |= ^valid
				}
			}
			points := fives(o, block, exact) & valid &^ (o | p)
			for ; points != 0; points &= points - 1 {
				at := bits.TrailingZeros64(points)
				hits.add(g, g.cell(d, i+at>>5, at&31))
				found = true
			}
		}
	}
	return found
}

// appendMarked appends the cells of a set.
func (b *Board) appendMarked(buf []game.Move, set *rows) []game.Move {
	for y, row := range set[:b.geo.size] {
		for ; row != 0; row &= row - 1 {
			buf = append(buf, game.Move(y*b.geo.size+bits.TrailingZeros32(row)-pad))
		}
	}
	return buf
}
