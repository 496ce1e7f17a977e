package pattern

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

// Play puts a stone of the side to move on the cell m, as gomoku.Board does.
func (b *Board) Play(m game.Move) {
	side, c := b.board.ToMove(), int(m)
	f := frame{near: b.near, worth: b.worth, pairs: b.pairs, changes: len(b.changes), cell: int16(c)}
	if b.rules.Captures {
		f.taken = b.flanked(side, c)
	}
	b.frames = append(b.frames, f)
	b.board.Play(m)
	b.set(c, cell{lines: b.cells[c].lines, class: [2]Class{Occupied, Occupied}})
	b.toggle(side, c)
	b.refresh(c)
	b.addHalo(c)
	if f.taken != 0 {
		b.take(side, c, f.taken)
	}
}

// Undo takes the last move back.
func (b *Board) Undo() {
	last := len(b.frames) - 1
	b.board.Undo()
	if last < 0 { // a move from before FromBoard
		b.rebuild()
		return
	}
	f := &b.frames[last]
	for i := len(b.changes) - 1; i >= f.changes; i-- {
		b.restore(&b.changes[i])
	}
	b.changes = b.changes[:f.changes]
	side, c := b.board.ToMove(), int(f.cell)
	b.toggle(side, c)
	for pairs := f.taken; pairs != 0; pairs &= pairs - 1 {
		one, two := b.pair(c, bits.TrailingZeros8(pairs))
		b.toggle(side.Other(), one)
		b.toggle(side.Other(), two)
	}
	b.near, b.worth, b.pairs = f.near, f.worth, f.pairs
	b.frames = b.frames[:last]
}

// toggle puts a stone of side on the lines of a cell, or takes it off.
func (b *Board) toggle(side game.Side, c int) {
	stone := stoneBits(side)
	for _, p := range &b.geo.place[c] {
		b.lines[p.line] ^= stone << shift(p.at)
	}
}

// refresh looks up the patterns of all empty cells on the lines of c, which
// changed, within the reach of the rule. It is the hot loop of the package.
func (b *Board) refresh(c int) {
	t, half := b.table, b.table.half
	for d := range directions {
		p := &b.geo.place[c][d]
		line, step := b.lines[p.line], b.geo.step[d]
		from, to := max(int(p.at)-half, 0), min(int(p.at)+half, int(p.last))
		at := c + (from-int(p.at))*step
		for i := from; i <= to; i++ {
			key := line >> (2 * uint(i) & 63)
			if key&heldMask == 0 {
				b.update(at, d, t.at(key))
			}
			at += step
		}
	}
}

// update gives an empty cell the patterns v in direction d.
func (b *Board) update(c, d int, v both) {
	state := &b.cells[c&(maxCellsRound-1)]
	sh := 4 * uint(d) & 15
	first := state.lines[0]&^(15<<sh) | quad(v&15)<<sh
	second := state.lines[1]&^(15<<sh) | quad(v>>4)<<sh
	if first == state.lines[0] && second == state.lines[1] {
		return
	}
	b.changes = append(b.changes, change{was: *state, cell: uint16(c)})
	if b.values != nil {
		b.discount(state)
	}
	t := b.table
	state.lines = [2]quad{first, second}
	one, two := t.class[0][first], t.class[1][second]
	if one != state.class[0] || two != state.class[1] {
		b.reclass(state, c, one, two)
	}
	if b.values != nil {
		b.count(state)
	}
}

// reclass gives an empty cell other classes for the two sides.
func (b *Board) reclass(state *cell, c int, first, second Class) {
	if b.values != nil {
		b.countPair(state.class[0], state.class[1], first, second)
	}
	if was := state.class[0]; was != first {
		b.move(0, c, was, first)
		state.class[0] = first
	}
	if was := state.class[1]; was != second {
		b.move(1, c, was, second)
		state.class[1] = second
	}
}

// set replaces the state of a cell.
func (b *Board) set(c int, state cell) {
	was := &b.cells[c]
	b.changes = append(b.changes, change{was: *was, cell: uint16(c)})
	if b.values != nil {
		if was.class[0] != Occupied {
			b.discount(was)
		}
		if state.class[0] != Occupied {
			b.count(&state)
		}
		b.countPair(was.class[0], was.class[1], state.class[0], state.class[1])
	}
	b.replace(c, state)
}

func (b *Board) restore(ch *change) { b.replace(int(ch.cell), ch.was) }

func (b *Board) replace(c int, state cell) {
	now := &b.cells[c&(maxCellsRound-1)]
	if now.class[0] != state.class[0] {
		b.move(0, c, now.class[0], state.class[0])
	}
	if now.class[1] != state.class[1] {
		b.move(1, c, now.class[1], state.class[1])
	}
	*now = state
}

// move takes a cell from one class to another in counts and sets.
func (b *Board) move(side, c int, from, to Class) {
	counts, sets := &b.counts[side], &b.sets[side]
	counts[from&15]--
	counts[to&15]++
	word, bit := c>>6&(setWords-1), uint64(1)<<(c&63)
	sets[from&15][word] ^= bit
	sets[to&15][word] ^= bit
}

func (b *Board) addHalo(c int) {
	h := &b.geo.halo[c]
	for i, w := range h.words {
		b.near[int(h.first)+i] |= w
	}
}

// gatherHalos finds the cells near the stones afresh.
func (b *Board) gatherHalos() {
	b.near = Set{}
	stones := b.Stones()
	for s := stones.Next(0); s >= 0; s = stones.Next(s + 1) {
		b.addHalo(s)
	}
}

// flanked returns the pairs that a stone of side on the empty cell c takes: bit
// 2*d for the pair ahead in direction d, bit 2*d+1 for the one behind.
func (b *Board) flanked(side game.Side, c int) (taken uint8) {
	own, opp := stoneBits(side), stoneBits(side.Other())
	forth, back := opp|opp<<2|own<<4, own|opp<<2|opp<<4
	for d, p := range &b.geo.place[c] {
		key := b.lines[p.line] >> (2 * p.at & 63)
		if key>>ahead&63 == forth {
			taken |= 1 << (2 * d)
		}
		if key>>(armBits-6)&63 == back {
			taken |= 2 << (2 * d)
		}
	}
	return taken
}

// pair returns the two cells of a pair of flanked around c.
func (b *Board) pair(c, pair int) (one, two int) {
	step := b.geo.step[pair/2]
	if pair&1 != 0 {
		step = -step
	}
	return c + step, c + 2*step
}

// take removes the pairs that side's stone on c captures.
func (b *Board) take(side game.Side, c int, taken uint8) {
	for ; taken != 0; taken &= taken - 1 {
		one, two := b.pair(c, bits.TrailingZeros8(taken))
		b.remove(side.Other(), one)
		b.remove(side.Other(), two)
	}
	b.gatherHalos()
}

// remove takes a stone of side off a cell.
func (b *Board) remove(side game.Side, c int) {
	b.toggle(side, c)
	b.set(c, b.computed(c))
	b.refresh(c)
}

// Takes returns the number of stones that a stone of side on the empty cell c
// captures.
func (b *Board) Takes(side game.Side, c int) int {
	if !b.rules.Captures {
		return 0
	}
	return 2 * bits.OnesCount8(b.flanked(side, c))
}

// CaptureCells returns the empty cells where a stone of side captures.
func (b *Board) CaptureCells(side game.Side) (cells Set) {
	b.eachPair(side, func(taker, _, _ int) { cells.Add(taker) })
	return cells
}

// Capturable returns the stones of side that its opponent could capture by one
// stone. No rule forbids a stone that captures.
func (b *Board) Capturable(side game.Side) (stones Set) {
	b.eachPair(side.Other(), func(_, one, two int) {
		stones.Add(one)
		stones.Add(two)
	})
	return stones
}

// eachPair calls f for every pair that side could capture: the empty cell that
// takes it and its two stones.
func (b *Board) eachPair(side game.Side, f func(taker, one, two int)) {
	if !b.rules.Captures {
		return
	}
	stone, prey := stoneBits(side), stoneBits(side.Other())
	for i, run := range b.geo.runs[:6*b.geo.size-2] {
		line := b.lines[i]
		opp := only(line, prey)
		two := opp & (opp >> 2) // at the first stone of two
		if two == 0 {
			continue
		}
		own, empty := only(line, stone), only(line, vacant)
		for _, v := range [2]struct {
			pairs uint64
			taker int // from the first stone
		}{{two & (empty << 2) & (own >> 4), -1}, {two & (own << 2) & (empty >> 4), 2}} {
			for m := v.pairs; m != 0; m &= m - 1 {
				at := bits.TrailingZeros64(m)/2 - reach
				one := int(run.first) + at*int(run.step)
				f(one+v.taker*int(run.step), one, one+int(run.step))
			}
		}
	}
}

// only returns the low bit of each cell of a line that has the content.
func only(line, content uint64) uint64 {
	const low = 0x5555555555555555
	line ^= content * low // a cell of that content is 0 now
	return ^(line | line>>1) & low
}
