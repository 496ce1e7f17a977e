package archive

import (
	"errors"
	"math"

	"github.com/carozero/carozero/internal/support/exactmath"
)

// Bits are coded one by one, each with a probability that is learned on the way, as
// in Mahoney, "Adaptive Weighing of Context Models for Lossless Data Compression",
// Florida Tech, 2005: several contexts predict a bit each, and a mixer, a single
// neuron in the logistic domain, weighs them by how well they did. All of it is
// integer arithmetic, so that both sides see the same probabilities.

const (
	contexts  = 8             // predictions of a bit
	tableBits = 16            // of a context's table
	sets      = 1024          // of weights
	unit      = 1 << 16       // weight 1
	half      = 1 << 11       // probability 1/2
	certain   = 1<<12 - 1     // the largest probability; the smallest is 1
	domain    = 2047          // the largest value in the logistic domain, 8 units of it
	rate      = 10            // of learning, of the mixer
	slowest   = 255           // bits after which a prediction learns no slower
	countMask = 1<<10 - 1     // of an entry's bits seen
	fullScale = 1<<22 - 1     // of an entry's probability
	firstSeen = 1 << 21 << 10 // an entry that has seen nothing
)

// curves are the logistic function and its inverse.
type curves struct {
	squash  [2*domain + 2]int32 // by value + domain + 1: probability, 1..certain
	stretch [certain + 1]int32  // by probability: value
}

func newCurves() *curves {
	c := &curves{}
	for i := range c.squash {
		x := float64(i-domain-1) / 256
		c.squash[i] = min(max(1, int32(4096/(1+exactmath.Exp(-x)))), certain)
	}
	for p := range c.stretch {
		odds := (float64(p) + 0.5) / (float64(certain-p) + 0.5)
		c.stretch[p] = min(max(-domain, int32(math.Round(256*exactmath.Ln(odds)))), domain)
	}
	return c
}

// mixture predicts bits and learns from them.
type mixture struct {
	curves  *curves
	tables  [contexts][]uint32 // an entry: probability of a 1 in 22 bits, bits seen in 10
	weights [sets][contexts]int32

	at  [contexts]uint32 // of the bit to come: entries
	in  [contexts]int32  // what they predict
	set uint32
	p   int32
}

func newMixture() *mixture {
	m := &mixture{curves: newCurves()}
	for i := range m.tables {
		m.tables[i] = make([]uint32, 1<<tableBits)
		for k := range m.tables[i] {
			m.tables[i][k] = firstSeen
		}
	}
	for i := range m.weights {
		for k := range m.weights[i] {
			m.weights[i][k] = unit * 3 / 10
		}
	}
	return m
}

// mix mixes a value into a hash.
func mix(h, x uint32) uint32 {
	h = (h ^ x) * 0x9e3779b1
	return h ^ h>>15
}

// predict returns the probability, of 4096, that the next bit is a 1. node says which
// bit of a number it is, set which weights mix the predictions.
func (m *mixture) predict(ctx *[contexts]uint32, node, set uint32) int32 {
	dot := int64(0)
	w := &m.weights[set]
	for i := range ctx {
		m.at[i] = mix(ctx[i], node) >> (32 - tableBits)
		m.in[i] = m.curves.stretch[m.tables[i][m.at[i]]>>20]
		dot += int64(m.in[i]) * int64(w[i])
	}
	m.set = set
	m.p = m.curves.squash[min(max(-domain, dot/unit), domain)+domain+1]
	return m.p
}

// learn takes in the bit that predict was asked for.
func (m *mixture) learn(bit int32) {
	err := (bit<<12 - m.p) * rate
	w := &m.weights[m.set]
	for i := range w {
		w[i] += (m.in[i]*err + unit/2) >> 16
		m.tables[i][m.at[i]] = seen(m.tables[i][m.at[i]], bit)
	}
}

// seen returns an entry that has seen one more bit: its probability moves by a part
// of 1/(n + 3/2) after n of them.
func seen(entry uint32, bit int32) uint32 {
	n, p := entry&countMask, int64(entry>>10)
	p += (int64(bit)*fullScale - p) * 2 / int64(2*n+3)
	return uint32(p)<<10 | min(n+1, slowest)
}

// coder is an arithmetic coder of bits. It codes what it is given, or, as a decoder,
// returns what was coded: so one piece of code says for both what comes next.
type coder struct {
	*mixture
	plain   []uint32 // entries of bits that one context alone predicts
	decodes bool
	data    []byte // what was coded
	next    int    // decoding: the byte to read
	lo, hi  uint32 // the range
	code    uint32 // decoding: where in the range
}

// plainContexts is the number of contexts of coder.simple.
const plainContexts = 64

func newCoder() *coder {
	c := &coder{mixture: newMixture(), plain: make([]uint32, plainContexts), hi: math.MaxUint32}
	for i := range c.plain {
		c.plain[i] = firstSeen
	}
	return c
}

func newDecoder(data []byte) *coder {
	c := newCoder()
	c.decodes, c.data = true, data
	for range 4 {
		c.code = c.code<<8 | c.read()
	}
	return c
}

// read returns the next byte, 0 behind the last one.
func (c *coder) read() uint32 {
	c.next++
	if c.next > len(c.data) {
		return 0
	}
	return uint32(c.data[c.next-1])
}

// mixed codes a bit that the mixture predicts.
func (c *coder) mixed(bit int32, ctx *[contexts]uint32, node, set uint32) int32 {
	bit = c.step(bit, uint32(c.predict(ctx, node, set)))
	c.learn(bit)
	return bit
}

// simple codes a bit that one context predicts.
func (c *coder) simple(bit int32, ctx uint32) int32 {
	e := &c.plain[ctx]
	bit = c.step(bit, min(max(1, *e>>20), certain))
	*e = seen(*e, bit)
	return bit
}

// step codes a bit that is 1 with probability p of 4096: that part of the range, from
// below, stands for a 1.
func (c *coder) step(bit int32, p uint32) int32 {
	span := c.hi - c.lo
	mid := c.lo + span>>12*p + span&0xfff*p>>12
	if c.decodes {
		bit = 0
		if c.code <= mid {
			bit = 1
		}
	}
	if bit == 1 {
		c.hi = mid
	} else {
		c.lo = mid + 1
	}
	for (c.lo^c.hi)>>24 == 0 {
		if c.decodes {
			c.code = c.code<<8 | c.read()
		} else {
			c.data = append(c.data, byte(c.hi>>24))
		}
		c.lo, c.hi = c.lo<<8, c.hi<<8|0xff
	}
	return bit
}

// end returns all that was coded.
func (c *coder) end() []byte {
	return append(c.data, byte(c.lo>>24), byte(c.lo>>16), byte(c.lo>>8), byte(c.lo))
}

// torn returns an error if more was decoded than was there.
func (c *coder) torn() error {
	if c.next > len(c.data) {
		return errors.New("visits: the data end too early")
	}
	return nil
}

// whole returns an error unless all was decoded.
func (c *coder) whole() error {
	if c.next != len(c.data) {
		return errors.New("visits: data of another length than what they say")
	}
	return nil
}
