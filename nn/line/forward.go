package line

import (
	"slices"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

// scratch is the working memory of a forward pass.
type scratch struct {
	inputs   []int16 // of a first layer, valueInputs or contextInputs, padded to a pair
	layer    [hidden]int32
	first    [hidden]int16
	second   [hidden]int16
	outcomes [4]int32
	context  []int32 // G2's sums
	weights  []int16 // [K/2][filters][2], computed for the board
	biases   [filters]int32
	cells    []int16  // [y+1][x+1][K] with a frame of zeros: the policy's features
	mixed    []int16  // [requested cell][K]: after the convolution
	corners  []uint32 // for each requested cell, the index in cells of its 3x3 neighbourhood's first cell
	whole    []uint32 // the same for all cells
	logits   [4]int32 // for requests of fewer than four cells
}

func newScratch(n *Network, size int) scratch {
	k := n.channels
	whole := make([]uint32, size*size)
	for c := range whole {
		whole[c] = uint32((c/size*(size+2) + c%size) * k)
	}
	return scratch{
		whole:   whole,
		corners: make([]uint32, size*size),
		inputs:  make([]int16, valueInputs(k)),
		context: make([]int32, (filters*k+filters+hidden-1)/hidden*hidden),
		weights: make([]int16, filters*k),
		cells:   make([]int16, (size+2)*(size+2)*k),
		mixed:   make([]int16, size*size*k),
	}
}

// ValueBits is the number of fraction bits of Value's logits. Policy's have
// nn.PolicyBits.
const ValueBits = 21

// Value returns the logits of win, draw and loss for the side to move.
func (a *Accumulator) Value() [outcomes]int32 {
	a.sync()
	n, s := a.net, &a.scratch
	a.kernels.means(s.inputs, a.sums, &a.geo.share, int(a.board.ToMove()))
	a.extras(s.inputs[len(a.sums):])
	a.kernels.layer(s.layer[:], &n.packed.w1, s.inputs)
	a.kernels.clamp(&s.first, &s.layer)
	a.kernels.layer(s.layer[:], &n.packed.w2, s.first[:])
	a.kernels.clamp(&s.second, &s.layer)
	a.kernels.outcomes(&s.outcomes, &n.packed, &s.second)
	return [outcomes]int32(s.outcomes[:])
}

// extras fills in the inputs beside the features: how full the board is, and the captured
// stones.
func (a *Accumulator) extras(out []int16) {
	clear(out)
	b := a.board.Board()
	own := b.ToMove()
	out[0] = int16(a.stones * 4096 / a.cells)
	out[1] = int16(b.Captured(own) * 256)
	out[2] = int16(b.Captured(own.Other()) * 256)
}

// Policy computes a logit for every cell, occupied ones included.
func (a *Accumulator) Policy(logits []int32) {
	a.mix()
	n, s := a.net, &a.scratch
	a.kernels.spread(s.cells, a.acc, int(a.board.ToMove()), n.channels, a.size, 0, a.size)
	a.kernels.convolve(s.mixed, s.cells, n, a.size, s.whole)
	a.kernels.score(logits[:a.cells], s.mixed, n, s)
}

// PolicyAt computes the logits of some cells, equal to those of Policy. logits has room
// for as many. Its time is proportional to the number of cells.
func (a *Accumulator) PolicyAt(cells []game.Move, logits []int32) {
	if len(cells) == 0 {
		return
	}
	a.mix()
	n, s := a.net, &a.scratch
	low, high := cells[0], cells[0]
	for i, c := range cells {
		low, high = min(low, c), max(high, c)
		s.corners[i] = s.whole[c]
	}
	first, last := max(int(low)/a.size-1, 0), min(int(high)/a.size+1, a.size-1)
	a.kernels.spread(s.cells, a.acc, int(a.board.ToMove()), n.channels, a.size, first, last-first+1)
	a.kernels.convolve(s.mixed, s.cells, n, a.size, s.corners[:len(cells)])
	if len(cells) >= len(s.logits) {
		a.kernels.score(logits[:len(cells)], s.mixed, n, s)
		return
	}
	a.kernels.score(s.logits[:], s.mixed, n, s)
	copy(logits[:len(cells)], s.logits[:])
}

// mix updates the sums and computes the policy's filters for the board.
func (a *Accumulator) mix() {
	a.sync()
	n, s, own := a.net, &a.scratch, int(a.board.ToMove())
	in := s.inputs[:contextInputs(n.channels)]
	a.kernels.whole(in, a.sums, a.whole, own)
	a.extras(in[2*n.channels:])
	a.kernels.layer(s.layer[:], &n.packed.g1, in)
	a.kernels.clamp(&s.first, &s.layer)
	a.kernels.layer(s.context, &n.packed.g2, s.first[:])
	a.kernels.choose(s.weights, &s.biases, s.context)
}

// kernels are the inner loops. Every set computes the same numbers, which the plain ones
// define.
//
// Note: adding up all rows of the cells around a change is faster than finding out which of
// them have changed.
type kernels struct {
	// turn changes the lines of the windows that begin at starts, lanes slots each,
	// and records their rows before.
	turn func(n *Network, l *lines, starts *[pattern.Directions]uint16, by *turn, was *windowRows)

	// turnBack undoes a turn and restores the rows from before.
	turnBack func(l *lines, starts *[pattern.Directions]uint16, by *turn, was *windowRows)

	// update adds up the rows of cells anew, in acc, and updates sums, the sums of acc
	// clamped to 0..maxFeature. It saves the former values of the cells to were.
	update func(a *Accumulator, cells *pattern.Set, were []int16)

	// restore puts back what update saved of acc.
	restore func(channels int, acc, were []int16, cells *pattern.Set)

	// means turns non-negative sums over regions into means: sum*share >> 14. In each
	// region those of side own come first.
	means func(out, sums []int16, shares *[regions]int32, own int)

	// whole computes the means over the board in the same way.
	whole func(out, sums []int16, share int32, own int)

	// layer computes the sums of a layer, a multiple of 32 of them, from a multiple
	// of 16 inputs.
	layer func(out []int32, m *matrix, in []int16)

	// clamp turns 32 sums into the next layer's inputs.
	clamp func(out *[hidden]int16, in *[hidden]int32)

	// outcomes computes the last layer of the value.
	outcomes func(out *[4]int32, p *packed, in *[hidden]int16)

	// choose turns the sums of G2 into the weights and the biases of the filters.
	choose func(weights []int16, biases *[filters]int32, context []int32)

	// spread fills rows first..first+rows-1 of cells with the first half of each side's
	// channels, clamped to 0..maxFeature, those of side own first.
	spread func(cells, acc []int16, own, channels, size, first, rows int)

	// convolve computes the channels of one or more cells from their 3x3 neighbourhoods,
	// whose first cells are at corners.
	convolve func(mixed, cells []int16, n *Network, size int, corners []uint32)

	// score computes the policy's logits of four or more mixed cells.
	score func(logits []int32, mixed []int16, n *Network, s *scratch)
}

// plain computes everything as it is defined.
var plain = kernels{
	turn: plainTurn, turnBack: plainTurnBack, update: plainUpdate, restore: plainRestore, means: plainMeans,
	whole: plainWhole,
	layer: plainLayer, clamp: plainClamp, outcomes: plainOutcomes,
	choose: plainChoose, spread: plainSpread, convolve: plainConvolve, score: plainScore,
}

func feature(x int16) int16 { return min(max(x, 0), maxFeature) }

func plainTurn(n *Network, l *lines, starts *[pattern.Directions]uint16, by *turn, was *windowRows) {
	rowLen := uint32(2 * n.channels)
	for d, start := range starts {
		t := &l[d]
		for i := range lanes {
			at := int(start) + i
			t.behind[at] += by.behind[i]
			t.ahead[at] += by.ahead[i]
			t.middle[at] += by.middle[i]
			was[d*lanes+i] = t.rows[at]
			t.rows[at] = (pair(t.behind[at], t.ahead[at]) + t.middle[at]) * rowLen
		}
	}
}

func plainTurnBack(l *lines, starts *[pattern.Directions]uint16, by *turn, was *windowRows) {
	for d, start := range starts {
		t := &l[d]
		for i := range lanes {
			at := int(start) + i
			t.behind[at] += by.behind[i]
			t.ahead[at] += by.ahead[i]
			t.middle[at] += by.middle[i]
			t.rows[at] = was[d*lanes+i]
		}
	}
}

func plainUpdate(a *Accumulator, cells *pattern.Set, were []int16) {
	both, states := int(a.rowLen), a.board.States()
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		to, sum := a.acc[c*both:][:both], a.sums[int(a.geo.region[c])*both:][:both]
		copy(were, to)
		clear(to)
		for d := range a.lines {
			a.addRow(to, a.lines[d].rows[a.geo.neighbourhoods[c].starts[d]+reach])
		}
		a.addRow(to, firstCodes*a.rowLen+a.codes[uint16(states[c])])
		a.addRow(to, secondCodes*a.rowLen+a.codes[uint16(states[c]>>16)])
		for k, x := range to {
			sum[k] += feature(x) - feature(were[k])
		}
		were = were[both:]
	}
}

// addRow adds a row to the numbers of a cell.
func (a *Accumulator) addRow(to []int16, row uint32) {
	for k, x := range a.net.packed.rows[row:][:len(to)] {
		to[k] += x
	}
}

func plainRestore(channels int, acc, were []int16, cells *pattern.Set) {
	both := 2 * channels
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		copy(acc[c*both:][:both], were)
		were = were[both:]
	}
}

func plainMeans(out, sums []int16, shares *[regions]int32, own int) {
	channels := len(sums) / (2 * regions)
	for i := range sums {
		from := i
		if own == 1 {
			from = i + channels - i/channels%2*2*channels
		}
		out[i] = int16(int32(sums[from]) * shares[i/(2*channels)] >> 14)
	}
}

func plainWhole(out, sums []int16, share int32, own int) {
	both := len(sums) / regions
	for i := range both {
		sum := int32(0)
		for r := range regions {
			sum += int32(sums[r*both+(i+own*both/2)%both])
		}
		out[i] = int16(sum * share >> 14)
	}
}

func plainLayer(out []int32, m *matrix, in []int16) {
	for row, sum := range m.biases {
		for i, x := range in {
			sum += int32(m.at(row, i)) * int32(x)
		}
		out[row] = sum
	}
}

func plainClamp(out *[hidden]int16, in *[hidden]int32) {
	for i, x := range in {
		out[i] = int16(min(max(x>>rounding, 0), maxHidden))
	}
}

func plainOutcomes(out *[4]int32, p *packed, in *[hidden]int16) {
	for row := range out {
		out[row] = p.b3[row]
		for i, w := range p.w3[row*hidden:][:hidden] {
			out[row] += int32(w) * int32(in[i])
		}
	}
}

func plainChoose(weights []int16, biases *[filters]int32, context []int32) {
	for i := range weights {
		weights[i] = int16(min(max(context[i]>>11, -maxHidden), maxHidden))
	}
	for q := range biases {
		biases[q] = min(max(context[len(weights)+q]>>6, -1<<24), 1<<24)
	}
}

func plainSpread(cells, acc []int16, own, channels, size, first, rows int) {
	half := channels / 2
	for c := first * size; c < (first+rows)*size; c++ {
		to := cells[framed(c, size)*channels:][:channels]
		sides := acc[2*c*channels:][:2*channels]
		for k := range half {
			to[k] = feature(sides[own*channels+k])
			to[half+k] = feature(sides[(1-own)*channels+k])
		}
	}
}

// framed returns the index of a cell on the board with a frame of one cell.
func framed(c, size int) int { return (c/size+1)*(size+2) + c%size + 1 }

func plainConvolve(mixed, cells []int16, n *Network, size int, corners []uint32) {
	k := n.channels
	for i, corner := range corners {
		out := mixed[i*k:][:k]
		copy(out, n.db)
		for t := range taps {
			in := cells[int(corner)+(t/3*(size+2)+t%3)*k:][:k]
			for j, w := range n.d[t*k:][:k] {
				out[j] += w * in[j]
			}
		}
		for j, x := range out {
			out[j] = feature(x >> 6)
		}
	}
}

func plainScore(logits []int32, mixed []int16, n *Network, s *scratch) {
	k := n.channels
	for c := range logits {
		in := mixed[c*k:][:k]
		logit := int32(0)
		for q, sum := range s.biases {
			for j, x := range in {
				sum += int32(s.weights[chosenAt(q, j)]) * int32(x)
			}
			if sum < 0 {
				sum >>= 3
			}
			logit += int32(n.o[q]) * min(max(sum>>8, -maxFilter), maxFilter)
		}
		logits[c] = logit
	}
}

// packed holds the weights of the layers as the kernels read them.
type packed struct {
	rows []int16 // see paired

	w1, w2, g1, g2 matrix

	w3 [4 * hidden]int16 // a row of zeros behind
	b3 [4]int32
	o  [filters]int16 // in the order in which kernel score reads them
}

// pack packs the weights.
func (n *Network) pack() {
	k := n.channels
	n.packed.rows = n.paired()
	n.packed.w1 = newMatrix(n.w1, n.b1, valueInputs(k))
	n.packed.w2 = newMatrix(n.w2, n.b2, hidden)
	n.packed.g1 = newMatrix(n.g1, n.gb1, contextInputs(k))
	n.packed.g2 = newMatrix(n.chosen())
	copy(n.packed.w3[:], n.w3)
	copy(n.packed.b3[:], n.b3)
	n.packed.o = packedOrder(n.o)
}

// Rows of packed.rows.
const (
	firstCodes  = uint32(lineCount) // by what First would make of an empty cell
	secondCodes = firstCodes + uint32(pattern.Codes) + 1
	pairedRows  = int(secondCodes) + pattern.Codes + 1
)

// paired returns the tables with the features of both sides side by side, 2K numbers a
// row. A line's row is its row of T, and that of the line with the sides' stones swapped.
// A code's row is its rows of E1 and E2 if it is First's, of E2 and E1 if it is Second's;
// the last row of each part is zeros.
func (n *Network) paired() []int16 {
	k := n.channels
	rows := make([]int16, 0, pairedRows*2*k)
	add := func(sides ...uint32) {
		for _, row := range sides {
			for _, x := range n.features[int(row)*k:][:k] {
				rows = append(rows, int16(x))
			}
		}
	}
	arms := swappedArms()
	for middle := range uint32(contents) {
		start := middle * pairCount
		other := swapped(middle) * pairCount
		for high := range uint32(armCount) {
			for low := range high + 1 {
				add(start+pair(high, low), other+pair(arms[high], arms[low]))
			}
		}
	}
	for code := range uint32(noCode) + 1 {
		add(ownCodes+code, oppCodes+code)
	}
	for code := range uint32(noCode) + 1 {
		add(oppCodes+code, ownCodes+code)
	}
	return rows
}

// packedOrder returns the filters' weights in the order in which two registers of
// eight numbers are packed into one: four of the first, four of the second, and so
// on.
func packedOrder(o []int16) (order [filters]int16) {
	for q, w := range o {
		order[q&3|q>>1&4|q<<1&8] = w
	}
	return order
}

// chosen returns G2 with the rows of the filters' weights in the order in which kernel
// score reads their results: [pair of channels][filter][2].
func (n *Network) chosen() (weights []int16, biases []int32, inputs int) {
	k := n.channels
	weights, biases = slices.Clone(n.g2), slices.Clone(n.gb2)
	for q := range filters {
		for j := range k {
			to, from := chosenAt(q, j), q*k+j
			copy(weights[to*hidden:][:hidden], n.g2[from*hidden:])
			biases[to] = n.gb2[from]
		}
	}
	return weights, biases, hidden
}

// chosenAt is the index of the weight of a channel in a filter.
func chosenAt(filter, channel int) int { return (channel/2*filters+filter)*2 + channel%2 }

// matrix is a layer's weights in blocks of 32 rows, and in a block by pairs of
// inputs: [block][pair][row][2], so that one input pair is multiplied with all rows of a
// block. Missing rows and inputs are zeros.
type matrix struct {
	weights []int16
	biases  []int32 // a multiple of 32
	pairs   int
}

// newMatrix packs the weights [row][input] of a layer.
func newMatrix(weights []int16, biases []int32, inputs int) matrix {
	rows := (len(biases) + hidden - 1) / hidden * hidden
	m := matrix{pairs: (inputs + 1) / 2, biases: make([]int32, rows)}
	copy(m.biases, biases)
	m.weights = make([]int16, rows*2*m.pairs)
	for row := range biases {
		for i := range inputs {
			m.weights[m.index(row, i)] = weights[row*inputs+i]
		}
	}
	return m
}

func (m *matrix) index(row, input int) int {
	return ((row/hidden*m.pairs+input/2)*hidden+row%hidden)*2 + input%2
}

// at returns the weight of an input in a row.
func (m *matrix) at(row, input int) int16 { return m.weights[m.index(row, input)] }

// Odds implements [nn.BoardEvaluator]. It is computed in integers, with an error of at
// most 0.0002.
func (a *Accumulator) Odds() int32 { return odds(a.Value()) }

// odds returns the log odds of winning for the value's logits.
func odds(logits [outcomes]int32) int32 {
	// With w the win's logit less the draw's, l the loss's less the draw's, and
	// softplus x = ln(1 + e^x), it is softplus(w + ln 2) - softplus(l + ln 2).
	const ln2 = 1453635 // 2^21 * 0.693147...
	draw := int64(logits[1]) - ln2
	table := softplus()
	return table.at(int64(logits[0])-draw) - table.at(int64(logits[2])-draw)
}

// The table covers -bend to bend in steps of 2^-stepBits. Beyond, softplus is 0 or x but
// for the last bit.
const (
	bend     = 16
	stepBits = 5
)

// softplusTable has ln(1 + e^x), in 2^-nn.OddsBits, for x = -bend, -bend + 2^-stepBits,
// ..., bend.
type softplusTable [2*bend<<stepBits + 1]int32

var softplus = sync.OnceValue(func() *softplusTable {
	t := new(softplusTable)
	for i := range t {
		x := float64(i)/(1<<stepBits) - bend
		t[i] = int32(float64(nn.Ln(1+nn.Exp(x))*(1<<nn.OddsBits)) + 0.5)
	}
	return t
})

// at returns the value at x, in units of 2^-ValueBits, by linear interpolation.
func (t *softplusTable) at(x int64) int32 {
	const shift = ValueBits - stepBits
	switch {
	case x <= -bend<<ValueBits:
		return 0
	case x >= bend<<ValueBits:
		return int32(x >> (ValueBits - nn.OddsBits))
	}
	x += bend << ValueBits
	i, rest := x>>shift, x&(1<<shift-1)
	return t[i] + int32(int64(t[i+1]-t[i])*rest>>shift)
}
