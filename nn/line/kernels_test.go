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

// same compares the fastest kernel with the plain one on the same input; run returns
// everything that a kernel may have written.
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

// lines are what a kernel may find: no number of an arm is so large.
func (c *caseOf) lines() *lines {
	l := new(lines)
	for d := range l {
		t := &l[d]
		for i := range maxSlots {
			t.behind[i], t.ahead[i] = uint32(c.number(500, 1<<15-500)), uint32(c.number(500, 1<<15-500))
			t.middle[i], t.rows[i] = uint32(c.IntN(contents)*pairCount), c.Uint32()
		}
	}
	return l
}

// flat returns all numbers of lines and the rows of windows.
func flat(l *lines, was *windowRows) []uint32 {
	all := was[:]
	for d := range l {
		t := &l[d]
		for _, numbers := range [][maxSlots]uint32{t.behind, t.ahead, t.middle, t.rows} {
			all = append(all, numbers[:]...)
		}
	}
	return all
}

func TestTurn(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []uint32 {
		l, was := c.lines(), new(windowRows)
		at := &geometries[c.size]().neighbourhoods[c.IntN(c.size*c.size)]
		n := &Network{channels: c.channels, packed: packed{rows: make([]int16, 1)}}
		k.turn(n, l, &at.starts, &turns[c.IntN(len(turns))], was)
		return flat(l, was)
	})
}

func TestTurnBack(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []uint32 {
		l, was := c.lines(), new(windowRows)
		for i := range was {
			was[i] = c.Uint32()
		}
		at := &geometries[c.size]().neighbourhoods[c.IntN(c.size*c.size)]
		k.turnBack(l, &at.starts, &turns[c.IntN(len(turns))], was)
		return flat(l, was)
	})
}

func TestUpdate(t *testing.T) {
	same(t, func(k *kernels, c *caseOf) []int16 {
		a, cells, were := c.updated()
		k.update(a, cells, were)
		return slices.Concat(a.acc, a.sums, were)
	})
}

// What update replaced is put back, by every set of kernels.
func TestRestore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		for name, k := range allKernels() {
			a, cells, were := c.updated()
			before := slices.Clone(a.acc)
			k.update(a, cells, were)
			k.restore(c.channels, a.acc, were, cells)
			if !slices.Equal(a.acc, before) {
				t.Fatalf("%s: not as before", name)
			}
		}
	})
}

// updated returns an accumulator with some of nine rows of features at every cell, cells to
// update, and room for their former values.
func (c *caseOf) updated() (a *Accumulator, cells *pattern.Set, were []int16) {
	both := 2 * c.channels
	row := func() uint32 { return uint32(c.IntN(9) * both) }
	n := &Network{channels: c.channels, packed: packed{rows: make([]int16, (int(secondCodes)+9)*both)}}
	for _, start := range []uint32{0, firstCodes, secondCodes} {
		copy(n.packed.rows[int(start)*both:], fill[int16](c, 9*both, math.MinInt8, math.MaxInt8))
	}
	a = &Accumulator{
		net: n, board: randomBoard(c.Rand, "caro", c.size, c.IntN(40)), geo: geometries[c.size](), codes: new(codeTable),
		rowLen: uint32(both), acc: c.any16(c.size * c.size * both), sums: c.any16(regions * both),
	}
	for d := range a.lines {
		for i := range a.lines[d].rows {
			a.lines[d].rows[i] = row()
		}
	}
	for i := range a.codes {
		a.codes[i] = row()
	}
	cells = new(pattern.Set)
	for range 1 + c.IntN(c.size*c.size) {
		cells.Add(c.IntN(c.size * c.size))
	}
	return a, cells, c.any16(cells.Len() * both)
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
		sums, out := fill[int16](
			c, 2*regions*c.channels, 0, int64(maxFeature*cells/regions),
		), c.any16(contextInputs(c.channels))
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
