package pattern

import "github.com/carozero/carozero/game"

// Values gives a worth to every empty cell by the shapes of its four lines, in
// two phases of the game, for either side. Values never change once they are
// made and may be shared.
type Values struct{ of [2]*[1 << 16]value }

// value packs the worth in the two phases: the early one in the low half.
type value uint32

func (v value) early() int32 { return int32(int16(v)) }
func (v value) late() int32  { return int32(v) >> 16 }

// Worth is a sum of values in both phases.
type Worth struct{ Early, Late int32 }

func (w *Worth) add(v value) { w.Early += v.early(); w.Late += v.late() }
func (w *Worth) sub(v value) { w.Early -= v.early(); w.Late -= v.late() }

// NewValues tabulates a worth by side and code; see [Board.Code].
func NewValues(worth func(side game.Side, code int) (early, late int16)) *Values {
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
	return v
}

// Of returns the worth to side of the shapes that it has on the empty cell c.
func (v *Values) Of(b *Board, side game.Side, c int) Worth {
	w := v.of[side][b.cells[c].lines[side]]
	return Worth{w.early(), w.late()}
}

// SetValues makes b keep the sum of v up to date, of which Worth tells; with
// nil, the default, it keeps none and is a little faster. It must not be called
// between Play and Undo.
func (b *Board) SetValues(v *Values) {
	b.values = v
	b.worth = Worth{}
	if v == nil {
		return
	}
	for c := range b.geo.cells {
		if state := &b.cells[c]; state.class[0] != Occupied {
			b.count(state)
		}
	}
}

// Mute makes b keep no sums for a while, which makes it faster, and Unmute ends
// that. Moves that are played between them must be undone between them.
func (b *Board) Mute() { b.muted, b.values = b.values, nil }

// Unmute ends what Mute began.
func (b *Board) Unmute() { b.values = b.muted }

// Worth returns the sum over the empty cells of what each is worth to First
// less what it is worth to Second.
func (b *Board) Worth() Worth { return b.worth }

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
