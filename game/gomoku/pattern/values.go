package pattern

import "github.com/carozero/carozero/game"

// Values gives a worth to every empty cell by the shapes of its four lines, in
// two phases of the game, for either side, and another one to the side to move
// by the classes that both sides have there. Values never change once they are
// made and may be shared.
type Values struct {
	of   [2]*[1 << 16]value
	pair [1 << 8]pairWorth // by pairOf; zero where a stone stands
}

// value packs the worth in the two phases: the early one in the low half.
type value uint32

func (v value) early() int32 { return int32(int16(v)) }
func (v value) late() int32  { return int32(v) >> 16 }

// Worth is a sum of values in both phases.
type Worth struct{ Early, Late int32 }

func (w *Worth) add(v value) { w.Early += v.early(); w.Late += v.late() }
func (w *Worth) sub(v value) { w.Early -= v.early(); w.Late -= v.late() }

// pairWorth is the worth of a cell, by the classes of both sides, to each side if
// it is to move, or a sum of such: Early + Late<<32, so that one addition serves
// both phases.
type pairWorth [2]int64

func packed(early, late int16) int64 { return int64(early) + int64(late)<<32 }

func unpacked(sum int64) Worth {
	early := int32(sum)
	return Worth{early, int32((sum - int64(early)) >> 32)}
}

// pairOf is the index of the classes that both sides have at a cell.
func pairOf(first, second Class) uint8 { return uint8(first | second<<4) }

// NewValues tabulates a worth by side and code; see [Board.Code]. Pair is that
// to the side to move by its class and the opponent's; see [Board.LineClass].
// Nil stands for none.
func NewValues(worth func(side game.Side, code int) (early, late int16), pair func(own, opp Class) (early, late int16)) *Values {
	v := new(Values)
	for side := range v.of {
		var byCode [Codes]value
		for code := range byCode {
			early, late := worth(game.Side(side), code)
			byCode[code] = value(uint16(early)) | value(uint16(late))<<16
		}
		v.of[side] = new([1 << 16]value)
		for q, code := range codes() {
			v.of[side][q] = byCode[code]
		}
	}
	for first := range Occupied {
		for second := range Occupied {
			if pair != nil {
				v.pair[pairOf(first, second)] = pairWorth{packed(pair(first, second)), packed(pair(second, first))}
			}
		}
	}
	return v
}

// Of returns the worth to side of the shapes that it has on the empty cell c.
func (v *Values) Of(b *Board, side game.Side, c int) Worth {
	w := v.of[side][b.cells[c].lines[side]]
	return Worth{w.early(), w.late()}
}

// SetValues makes b keep the sums of v up to date, which Worth and PairWorth return. With
// nil, the default, it keeps none and is a little faster. It must not be called between
// Play and Undo.
func (b *Board) SetValues(v *Values) {
	b.values = v
	b.worth, b.pairs = Worth{}, pairWorth{}
	if v == nil {
		return
	}
	for c := range b.geo.cells {
		if state := &b.cells[c]; state.class[0] != Occupied {
			b.count(state)
			b.countPair(Occupied, Occupied, state.class[0], state.class[1])
		}
	}
}

// PauseValues makes b stop updating the sums, which makes it faster, until ResumeValues.
// Moves played between the two calls must be undone between them.
func (b *Board) PauseValues() { b.paused, b.values = b.values, nil }

// ResumeValues makes b update the sums again after PauseValues.
func (b *Board) ResumeValues() { b.values = b.paused }

// Worth returns the sum over the empty cells of what each is worth to First
// less what it is worth to Second.
func (b *Board) Worth() Worth { return b.worth }

// PairWorth returns the sum over the empty cells of what each is worth to the side
// to move by the classes of both sides.
func (b *Board) PairWorth() Worth { return unpacked(b.pairs[b.board.ToMove()]) }

// count adds the values of an empty cell to the sum, and discount takes them
// off.
func (b *Board) count(state *cell) {
	b.worth.add(b.values.of[game.First][state.lines[game.First]])
	b.worth.sub(b.values.of[game.Second][state.lines[game.Second]])
}

func (b *Board) discount(state *cell) {
	b.worth.sub(b.values.of[game.First][state.lines[game.First]])
	b.worth.add(b.values.of[game.Second][state.lines[game.Second]])
}

// countPair takes a cell from two classes to two others.
func (b *Board) countPair(first, second, newFirst, newSecond Class) {
	was, now := &b.values.pair[pairOf(first, second)], &b.values.pair[pairOf(newFirst, newSecond)]
	b.pairs[0] += now[0] - was[0]
	b.pairs[1] += now[1] - was[1]
}
