package line

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game/gomoku/pattern"
)

// allKernels returns every set of kernels that this machine can run.
func allKernels() map[string]*kernels {
	all := map[string]*kernels{"plain": &plain}
	if fastest() != &plain {
		all["fastest"] = fastest()
	}
	return all
}

// caseOf is what a kernel is tried on: numbers of which many are extremes.
type caseOf struct {
	*rand.Rand
	channels, size, own int
}

func drawCase(t *rapid.T) *caseOf {
	return &caseOf{
		Rand:     rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)),
		channels: 16 * rapid.IntRange(1, MaxChannels/16).Draw(t, "blocks"),
		size:     rapid.IntRange(5, 22).Draw(t, "size"),
		own:      rapid.IntRange(0, 1).Draw(t, "own"),
	}
}

// number returns a number from low to high, one of them often.
func (c *caseOf) number(low, high int64) int64 {
	switch c.IntN(8) {
	case 0:
		return low
	case 1:
		return high
	case 2:
		return min(max(int64(c.IntN(5)-2), low), high)
	}
	return low + c.Int64N(high-low+1)
}

// fill returns count numbers from low to high.
func fill[T int8 | int16 | int32](c *caseOf, count int, low, high int64) []T {
	all := make([]T, count)
	for i := range all {
		all[i] = T(c.number(low, high))
	}
	return all
}

// any16 and any32 return numbers of the whole range.
func (c *caseOf) any16(count int) []int16 { return fill[int16](c, count, math.MinInt16, math.MaxInt16) }
func (c *caseOf) any32(count int) []int32 { return fill[int32](c, count, math.MinInt32, math.MaxInt32) }

// same holds what the fastest kernel computes to what the plain one does, on the
// same input; run returns everything that a kernel may have written.
func same[T comparable](t *testing.T, run func(k *kernels, c *caseOf) []T) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		seed := c.Uint64()
		again := func(k *kernels) []T {
			c.Rand = rand.New(rand.NewPCG(seed, 2))
			return run(k, c)
		}
		want := again(&plain)
		for name, k := range allKernels() {
			if got := again(k); !slices.Equal(got, want) {
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%s: number %d of %d is %v, want %v", name, i, len(got), got[i], want[i])
					}
				}
			}
		}
	})
}

func TestUpdate(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int16 { return tryUpdate(c, k.update, 9) })
}

func TestUpdateCodes(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int16 {
		return tryUpdate(c, k.updateCodes, int(oppCodes-ownCodes)+9)
	})
}

// tryUpdate carries out operations on the first nine rows of so many.
func tryUpdate(c *caseOf, update func(int, []int8, []int16, []int16, *operations), rows int) []int16 {
	const cells = 7
	features := make([]int8, rows*c.channels)
	copy(features, fill[int8](c, 9*c.channels, math.MinInt8, math.MaxInt8))
	copy(features[(rows-9)*c.channels:], fill[int8](c, 9*c.channels, math.MinInt8, math.MaxInt8))
	acc, sums := c.any16(2*cells*c.channels), c.any16(2*regions*c.channels)
	ops := &operations{count: c.IntN(20)}
	at := func(of int) uint32 { return uint32(c.IntN(of) * c.channels) }
	for i := range ops.count {
		ops.acc[i], ops.sum[i] = 2*at(cells), 2*at(regions)
		for side := range 2 {
			ops.add[side][i], ops.sub[side][i] = at(9), at(9)
		}
	}
	update(c.channels, features, acc, sums, ops)
	return append(acc, sums...)
}

func TestWindow(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []uint32 {
		ops, track := &operations{count: c.IntN(opsRoom - opsOfStone)}, new(track)
		for i := range maxSlots {
			for side := range 2 {
				track.rows[side][i] = c.Uint32()
			}
			track.acc[i], track.sumAt[i] = c.Uint32(), c.Uint32()
		}
		from := ops.count
		k.window(ops, track, numbers(), c.IntN(maxCells-11), 1+c.IntN(11), c.Uint64(), uint32(c.channels))
		return append(append(ops.since(from), track.rows[0][:]...), track.rows[1][:]...)
	})
}

// since returns the operations from one on.
func (o *operations) since(from int) (all []uint32) {
	for _, written := range [][opsRoom]uint32{o.acc, o.sum, o.add[0], o.add[1], o.sub[0], o.sub[1]} {
		all = append(all, written[from:o.count]...)
	}
	return all
}

func TestRecode(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []uint32 {
		ops := &operations{count: c.IntN(opsRoom - opsOfStone)}
		sumAt := [maxCells]uint32{}
		for i := range sumAt {
			sumAt[i] = c.Uint32()
		}
		l := new(list)
		l.count = 1 + c.IntN(44)
		for i := range l.count {
			l.cells[i] = uint32(c.IntN(maxCells))
			l.now[i] = []uint32{c.Uint32(), c.Uint32() & 0xdddddddd, pattern.NoQuads}[c.IntN(3)]
			l.was[i] = []uint32{c.Uint32(), l.now[i], pattern.NoQuads}[c.IntN(3)]
		}
		from := ops.count
		k.recode(ops, l, numbers(), &sumAt, uint32(c.channels))
		return ops.since(from)
	})
}

func TestMeans(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int16 {
		var shares [regions]int32
		for r := range shares {
			shares[r] = int32(1 << 20 / (1 + c.IntN(64)))
		}
		sums, out := make([]int16, 2*regions*c.channels), c.any16(valueInputs(c.channels))
		for i := range sums {
			cells := (1 << 20) / int64(shares[i/(2*c.channels)])
			sums[i] = int16(c.number(0, maxFeature*cells))
		}
		k.means(out, sums, &shares, c.own)
		return out
	})
}

func TestWhole(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int16 {
		cells := c.size * c.size
		sums, out := fill[int16](c, 2*regions*c.channels, 0, int64(maxFeature*cells/regions)), c.any16(contextInputs(c.channels))
		k.whole(out, sums, int32(1<<20/cells), c.own)
		return out
	})
}

func TestLayer(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int32 {
		rows, inputs := 1+c.IntN(100), 16*(1+c.IntN(20))
		m := newMatrix(c.any16(rows*inputs), c.any32(rows), inputs)
		out := c.any32(len(m.biases) + 8)
		k.layer(out, &m, c.any16(inputs))
		return out
	})
}

func TestClamp(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int16 {
		var out [hidden]int16
		k.clamp(&out, (*[hidden]int32)(c.any32(hidden)))
		return out[:]
	})
}

func TestOutcomes(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int32 {
		var out [4]int32
		p := &packed{w3: [4 * hidden]int16(c.any16(4 * hidden)), b3: [4]int32(c.any32(4))}
		k.outcomes(&out, p, (*[hidden]int16)(c.any16(hidden)))
		return out[:]
	})
}

func TestChoose(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int32 {
		weights, biases := c.any16(filters*c.channels+8), [filters]int32{}
		k.choose(weights[:filters*c.channels], &biases, c.any32(filters*c.channels+filters+16))
		out := biases[:]
		for _, w := range weights {
			out = append(out, int32(w))
		}
		return out
	})
}

func TestSpread(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int16 {
		cells := c.any16((c.size + 2) * (c.size + 2) * c.channels)
		first := c.IntN(c.size)
		k.spread(cells, c.any16(2*c.size*c.size*c.channels), c.own, c.channels, c.size, first, 1+c.IntN(c.size-first))
		return cells
	})
}

func TestConvolve(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int16 {
		n := &Network{channels: c.channels, d: c.any16(taps * c.channels), db: c.any16(c.channels)}
		mixed := c.any16(c.size*c.size*c.channels + 8)
		corners := make([]uint32, 1+c.IntN(c.size*c.size))
		for i := range corners {
			corners[i] = uint32((c.IntN(c.size)*(c.size+2) + c.IntN(c.size)) * c.channels)
		}
		k.convolve(mixed, c.any16((c.size+2)*(c.size+2)*c.channels), n, c.size, corners)
		return mixed
	})
}

func TestScore(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int32 {
		n := &Network{channels: c.channels, o: c.any16(filters)}
		n.packed.o = packedOrder(n.o)
		s := &scratch{weights: c.any16(filters * c.channels), biases: [filters]int32(c.any32(filters))}
		logits := c.any32(c.size*c.size + 8)
		k.score(logits[:4+c.IntN(c.size*c.size-3)], c.any16(c.size*c.size*c.channels), n, s)
		return logits
	})
}
