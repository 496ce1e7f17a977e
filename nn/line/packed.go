package line

import (
	"slices"

	"github.com/carozero/carozero/game/gomoku/pattern"
)

// packed holds the weights of the layers as the kernels read them.
type packed struct {
	rows []int8 // see paired

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
func (n *Network) paired() []int8 {
	k := n.channels
	rows := make([]int8, 0, pairedRows*2*k)
	feature := func(row uint32) []int8 { return n.features[int(row)*k:][:k] }
	arms := swappedArms()
	for middle := range uint32(contents) {
		start := middle * pairCount
		other := swapped(middle) * pairCount
		for high := range uint32(armCount) {
			for low := range high + 1 {
				rows = append(rows, feature(start+pair(high, low))...)
				rows = append(rows, feature(other+pair(arms[high], arms[low]))...)
			}
		}
	}
	for code := range uint32(noCode) + 1 {
		rows = append(append(rows, feature(ownCodes+code)...), feature(oppCodes+code)...)
	}
	for code := range uint32(noCode) + 1 {
		rows = append(append(rows, feature(oppCodes+code)...), feature(ownCodes+code)...)
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
