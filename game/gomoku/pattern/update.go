package pattern

import (
	"math/bits"
	"slices"

	"github.com/carozero/carozero/game"
)

// Play puts a stone of the side to move on the cell m, as gomoku.Board does.
func (b *Board) Play(m game.Move) {
	side, c := b.board.ToMove(), int(m)
	taken := uint8(0)
	if b.rules.Captures {
		taken = b.flanked(side, c)
	}
	n := len(b.frames)
	b.frames = slices.Grow(b.frames, 1)[:n+1]
	f := &b.frames[n]
	f.kept, f.changes, f.cell, f.taken = *b.kept, len(b.changes), int16(c), taken
	b.kept = &f.kept
	b.board.Play(m)
	b.set(c, b.cells[c].occupied())
	b.toggle(side, c)
	b.refresh(c)
	b.addHalo(c)
	if taken != 0 {
		b.take(side, c, taken)
	}
}

// Undo takes the last move back.
func (b *Board) Undo() {
	last := len(b.frames) - 1
	b.board.Undo()
	if last == 0 { // a move from before FromBoard
		b.rebuild()
		return
	}
	f := &b.frames[last]
	changes := b.changes[f.changes:]
	for i := len(changes) - 1; i >= 0; i-- {
		b.cells[changes[i].number()&(maxCellsRound-1)] = changes[i]
	}
	b.changes = b.changes[:f.changes]
	side, c := b.board.ToMove(), int(f.cell)
	b.toggle(side, c)
	for pairs := f.taken; pairs != 0; pairs &= pairs - 1 {
		one, two := b.pair(c, bits.TrailingZeros8(pairs))
		b.toggle(side.Other(), one)
		b.toggle(side.Other(), two)
	}
	b.frames = b.frames[:last]
	b.kept = &b.frames[last-1].kept
}

// toggle puts a stone of side on the lines of a cell, or takes it off.
func (b *Board) toggle(side game.Side, c int) {
	stone := stoneBits(side)
	for _, p := range &b.geo.place[c] {
		b.lines[p.line] ^= stone << shift(p.at)
	}
}

// refresh looks up the patterns of all empty cells on the lines of c, which changed, within
// the reach of the rule, and logs what changes. It is the hot loop of the package: few of
// its branches depend on the stones, since these are mispredicted.
func (b *Board) refresh(c int) {
	t, half, n, places := b.table, b.table.half, len(b.changes), &b.geo.place[c]
	b.changes = slices.Grow(b.changes, mostChanges)[:n+mostChanges]
	log, changed := (*[mostChanges]State)(b.changes[n:]), 0
	for d := range directions {
		p, step := &places[d], b.geo.step[d]
		before, after := min(int(p.at), half), min(int(p.last)-int(p.at), half)
		changed = t.reshape(&b.cells, c-before*step, c+after*step, step, b.lines[p.line]>>(2*uint(int(p.at)-before)&63),
			&spreads[d], log, changed)
	}
	b.changes = b.changes[:n+changed]
	b.reclass(t.class[0], t.class[1], b.changes[n:])
	if b.values != nil {
		b.revalue(b.changes[n:])
	}
}

// mostChanges is at least the number of cells whose patterns a stone changes, a power of
// two.
const mostChanges = 64

// reshape gives the cells from at to last of a line their shapes in one direction, and logs the
// states of those that change before. The key of the first cell is in the lowest bits of line.
// On its own its variables stay in registers.
//
//go:noinline
func (t *table) reshape(cells *[maxCellsRound]State, at, last, step int, line uint64, in *spread,
	log *[mostChanges]State, changed int) int {
	for ; at <= last; at += step {
		if line&heldMask == 0 {
			state := &cells[at&(maxCellsRound-1)]
			was := *state
			by := (uint32(was) ^ in[t.at(line)]) & in[1<<8-1]
			log[changed&(mostChanges-1)] = was
			*state = was ^ State(by)
			if by != 0 {
				changed++
			}
		}
		line >>= 2
	}
	return changed
}

// reclass gives cells whose quads have changed their new classes. On its own its variables
// stay in registers.
//
//go:noinline
func (b *Board) reclass(first, second *combination, changed []State) {
	k := b.kept
	for _, was := range changed {
		c := uint(was.number()) & (maxCellsRound - 1)
		now := b.cells[c]
		by := uint16(was>>classesAt) ^ (uint16(first[uint16(now)]) | uint16(second[uint16(now>>16)])<<8)
		if by == 0 {
			continue
		}
		b.cells[c] = now ^ State(by)<<classesAt
		if by&0xff != 0 {
			from := was.class(game.First)
			k.move(game.First, c, from, from^Class(by))
		}
		if by>>8 != 0 {
			from := was.class(game.Second)
			k.move(game.Second, c, from, from^Class(by>>8))
		}
	}
}

// revalue replaces the values of cells that have changed.
func (b *Board) revalue(changed []State) {
	for _, was := range changed {
		now := b.cells[was.number()]
		b.discount(was)
		b.count(now)
		b.countPair(was, now)
	}
}

// set logs and replaces the state of a cell.
func (b *Board) set(c int, state State) {
	was := b.cells[c]
	b.changes = append(b.changes, was)
	if b.values != nil {
		b.discount(was)
		b.count(state)
		b.countPair(was, state)
	}
	for side := range game.Side(2) {
		b.move(side, uint(c), was.class(side), state.class(side))
	}
	b.cells[c] = state
}

// move takes a cell from one class to another, perhaps the same, in counts and sets.
func (k *kept) move(side game.Side, c uint, from, to Class) {
	word, bit := c>>6&(setWords-1), uint64(1)<<(c&63)
	k.counts[side&1][from&15]--
	k.counts[side&1][to&15]++
	k.sets[side&1][from&15][word] ^= bit
	k.sets[side&1][to&15][word] ^= bit
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
