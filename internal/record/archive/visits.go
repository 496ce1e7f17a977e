package archive

import (
	"errors"
	"math/bits"

	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// visits codes which moves of a position were visited how often. What to expect of a
// move it takes from the two positions before, since the search kept its tree, from
// the input planes at the move's cell, from the stones around it and from what was
// coded of its neighbours; and from the moves that were played next. In games whose
// moves are no cells only the positions before and the moves played are there to see.
type visits struct {
	*coder
	shape nn.Shape
	cells bool // actions are the cells of the planes

	before [2][]uint32 // of the position before the last one, and of the last one: visits + 1 by action, 0: none
	want   []uint32    // likewise of the position that is coded; decoding: of no account
	now    []uint32    // what was coded of it so far
	width  int         // of the padded board
	near   []uint8
	far    []uint8
	planes []uint32 // by cell: bit k is that of plane k
}

// scene is a position whose visits are coded.
type scene struct {
	planes, legal []byte // as in a row
	played        int    // action
	reply, last   int    // the moves after and before; -1: none
	ply, rows     int    // moves, and rows of the game, before the position
	scores        bool   // the target is of scores: nothing counts visits
	total         uint64 // sum of the visits
}

// pad is how far around a cell its surroundings reach.
const pad = 2

func newVisits(c *coder, shape nn.Shape) *visits {
	v := &visits{
		coder: c, shape: shape, cells: shape.Height*shape.Width == shape.Actions, width: shape.Width + 2*pad,
		want: make([]uint32, shape.Actions), now: make([]uint32, shape.Actions),
	}
	v.before[0], v.before[1] = make([]uint32, shape.Actions), make([]uint32, shape.Actions)
	if v.cells {
		padded := v.width * (shape.Height + 2*pad)
		v.near, v.far, v.planes = make([]uint8, padded), make([]uint8, padded), make([]uint32, shape.Actions)
	}
	return v
}

// game begins a game.
func (v *visits) game() {
	clear(v.before[0])
	clear(v.before[1])
}

// put codes the visits of a row.
func (v *visits) put(s *scene, r *samples.Row) {
	clear(v.want)
	for k, a := range r.Actions {
		v.want[a] = r.Counts[k] + 1
	}
	_ = v.row(s) // which fails only where it reads
}

// get decodes the visits of a row.
func (v *visits) get(s *scene, r *samples.Row) error {
	if err := v.row(s); err != nil {
		return err
	}
	r.Actions, r.Counts = r.Actions[:0], r.Counts[:0]
	for a, n := range v.before[1] {
		if n > 0 {
			r.Actions, r.Counts = append(r.Actions, uint16(a)), append(r.Counts, n-1)
		}
	}
	return nil
}

var errVisits = errors.New("visits: more of them than their sum")

// row codes what is in v.want, or decodes it, into v.now. The visits of the move played
// come last, since they are what is left of the sum.
func (v *visits) row(s *scene) error {
	v.look(s)
	clear(v.now)
	entries, left := uint32(0), s.total
	ctx, set := v.expect(s, s.played, entries, left)
	hit := v.mixed(sign(v.want[s.played]), &ctx, 0, set)
	for a := range v.now {
		if a == s.played || !samples.Bit(s.legal, a) {
			continue
		}
		if v.remote(a) {
			if v.simple(sign(v.want[a]), uint32(min(entries, 1))) == 0 {
				continue
			}
			ctx, set = v.expect(s, a, entries, left)
		} else if ctx, set = v.expect(s, a, entries, left); v.mixed(sign(v.want[a]), &ctx, 0, set) == 0 {
			continue
		}
		n := v.count(v.want[a]-1, &ctx, set)
		if n > left || n >= 1<<32-1 {
			return errVisits
		}
		left -= n
		v.now[a] = uint32(n) + 1
		entries++
		if err := v.torn(); v.decodes && err != nil {
			return err
		}
	}
	if hit == 1 {
		if left >= 1<<32-1 {
			return errVisits
		}
		v.now[s.played] = uint32(left) + 1
	} else if left > 0 {
		return errVisits
	}
	v.before[0], v.before[1], v.now = v.before[1], v.now, v.before[0]
	if v.decodes {
		return v.torn()
	}
	return nil
}

// sign returns 1 for a move that was visited.
func sign(n uint32) int32 {
	if n > 0 {
		return 1
	}
	return 0
}

// look brings what is around the cells up to date.
func (v *visits) look(s *scene) {
	if !v.cells {
		return
	}
	clear(v.near)
	clear(v.far)
	clear(v.planes)
	w, perPlane := v.shape.Width, (v.shape.Actions+7)/8
	for a := range v.shape.Actions {
		if samples.Bit(s.legal, a) {
			continue
		}
		at := (a/w+pad)*v.width + a%w + pad
		for dy := -pad; dy <= pad; dy++ {
			for dx := -pad; dx <= pad; dx++ {
				if max(dx, -dx, dy, -dy) == pad {
					v.far[at+dy*v.width+dx]++
				} else {
					v.near[at+dy*v.width+dx]++
				}
			}
		}
	}
	for k := range min(v.shape.Planes, 32) {
		for i, b := range s.planes[k*perPlane:][:perPlane] {
			for ; b != 0; b &= b - 1 {
				if a := 8*i + 7 - bits.TrailingZeros8(b); a < len(v.planes) {
					v.planes[a] |= 1 << k
				}
			}
		}
	}
}

// remote reports whether nothing speaks for a move: it has no stones around it and
// was not visited in the positions before.
func (v *visits) remote(a int) bool {
	if !v.cells || v.before[0][a] > 0 || v.before[1][a] > 0 {
		return false
	}
	at := (a/v.shape.Width+pad)*v.width + a%v.shape.Width + pad
	return v.near[at] == 0 && v.far[at] == 0
}

// class returns the number of bits of n, at most most.
func class(n uint32, most int) uint32 { return uint32(min(bits.Len32(n), most)) }

// expect returns the contexts of a move, and the weights of the mixer.
func (v *visits) expect(s *scene, a int, entries uint32, left uint64) (ctx [contexts]uint32, set uint32) {
	own, opp := v.before[0][a], v.before[1][a]
	p1, p2 := class(opp, 7), class(own, 7)
	next := uint32(0)
	switch a {
	case s.played:
		next = 1
	case s.reply:
		next = 2
	}
	kind := uint32(0)
	if s.scores {
		kind = 1
	}
	var planes, near, far, beside uint32
	distance := uint32(9)
	if v.cells {
		w := v.shape.Width
		at := (a/w+pad)*v.width + a%w + pad
		planes, near, far = v.planes[a], uint32(v.near[at]), uint32(v.far[at])
		beside = v.coded(a%w-1, a/w)<<9 | v.coded(a%w, a/w-1)<<6 | v.coded(a%w-1, a/w-1)<<3 | v.coded(a%w+1, a/w-1)
		if s.last >= 0 {
			distance = apart(s.last%w-a%w, s.last/w-a/w)
		}
	}
	rest := uint32(min(bits.Len64(left), 15))
	ctx = [contexts]uint32{
		mix(mix(kind, planes), next),
		mix(mix(2|kind, p1<<8|p2<<4|next), min(rest, 7)),
		mix(mix(4|kind, near<<8|min(far, 6)), distance),
		mix(mix(6|kind, beside), p2),
		mix(mix(8|kind, planes>>2), p2<<4|min(distance&15, 5)),
		mix(mix(10|kind, uint32(min(s.ply/4, 15))<<8|entries/4), rest<<8|uint32(a*8/len(v.now))<<4|min(p2, 3)),
		mix(mix(12|kind, own), opp),
		mix(mix(14|kind, p1<<12|p2<<8|min(near, 4)<<4|min(distance&15, 4)), planes&0xff),
	}
	return ctx, next<<3 | p2
}

// coded returns the class of the visits of a cell that were coded, 0 beyond the board.
func (v *visits) coded(x, y int) uint32 {
	if x < 0 || y < 0 || x >= v.shape.Width {
		return 0
	}
	return class(v.now[y*v.shape.Width+x], 5)
}

// apart returns how many lines lie between two cells, 16 more if they share a line.
func apart(dx, dy int) uint32 {
	d := uint32(min(max(dx, -dx, dy, -dy), 7))
	if dx == 0 || dy == 0 || dx == dy || dx == -dy {
		d += 16
	}
	return d
}

// Weights of the bits of a number: behind those of expect.
const (
	classSets = 32  // by the bit of the class, below 16, and by what expect says
	bitSets   = 544 // by class and bit
)

// count codes a number of visits: the number of its bits in unary, then what follows
// its highest bit.
func (v *visits) count(n uint32, ctx *[contexts]uint32, set uint32) uint64 {
	length, want := uint32(0), uint32(bits.Len32(n))
	for ; length < 32; length++ {
		last := int32(0)
		if length == want {
			last = 1
		}
		if v.mixed(last, ctx, 1+length, classSets+min(length, 15)*32+set) == 1 {
			break
		}
	}
	if length == 0 {
		return 0
	}
	value, node := uint64(1), uint32(1)
	for i := int(length) - 2; i >= 0; i-- {
		bit := v.mixed(int32(n>>i&1), ctx, 100+length<<10+node, bitSets+length<<4&0xff+min(uint32(i), 15))
		value = value<<1 | uint64(bit)
		node = min(1023, node<<1|uint32(bit))
	}
	return value
}
