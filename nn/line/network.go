// Package line is a small integer network over line patterns that is updated
// incrementally as moves are played. It answers in microseconds, needs no runtime, and
// gives the same bits on every machine.
//
// # The network
//
// A cell has K features for each side: the sum, clamped to 0..127, of four rows of the
// table T, one for the eleven cells of each line through it, and, if it is empty, of
// one row of E1 for the code (pattern.Board.Code) of that side's stone there and one
// row of E2 for the code of the other side's. A line and its mirror image have the same
// row of T, and both sides use the same tables.
//
// The value head reads the mean of each feature over the nine regions of the board (W1,
// W2, W3, with biases B1, B2, B3). The policy head reads half of the features of each
// side after a depthwise 3x3 convolution (D, Db); a perceptron over the board's means
// (G1, G2) computes the weights of 16 filters over those channels, and fixed weights
// (O) sum up their outputs.
//
// The architecture (a table of lines, features of cells, depthwise convolution of one
// half, filters computed from the board) follows Mixnet: H. Jin, "Rapfi: Distilling
// Efficient Neural Network for the Game of Gomoku", arXiv:2503.13178, section 3. One
// table for both sides, and the codes, are our additions.
//
// # Numbers
//
// T, E1 and E2 are signed bytes in units of 1/32. Means are in units of 1/2048, weights
// of layers 1/1024, their biases and sums 2^-21; 10 bits are dropped before the next
// layer. D is in units of 1/64, the computed filters 1/1024, their outputs 1/128 after a
// leaky ReLU of slope 1/8, and O 1/256. All sums fit 32 bits: a file with which one
// could overflow is refused.
//
// # Files
//
// A network is a safetensors file with these tensors and metadata: format,
// carozero.rules, carozero.sizes, carozero.run, carozero.temperature if it is not 1,
// carozero.patterns (the digest of the shapes that the codes were made of) and
// carozero.weights (the SHA-256 of the tensors' bytes in a fixed order). The trainer
// in train/ writes it.
package line

import (
	"fmt"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

// Planes is the name that a line network gives for its input, where other models give
// the version of their input planes.
const Planes = "gomoku-line-1"

// Sizes of the layers behind the features.
const (
	regions  = 9  // of the board, three by three
	extras   = 16 // inputs beside the features, three of them used
	hidden   = 32 // units of every hidden layer
	outcomes = 3  // win, draw, loss
	filters  = 16 // of the policy, computed from the whole board
	taps     = 9  // of a 3x3 convolution
	rounding = 10 // bits by which a layer's sum is shifted right
)

// MaxChannels bounds Channels.
const MaxChannels = 64

// Network is a line network. Its weights never change, so it may be shared between
// goroutines. The package comment explains the names of the tensors.
type Network struct {
	name     string
	channels int // K: features of a cell as one side sees it
	metadata nn.Metadata
	sha256   string
	id       uint64

	// features has the rows of T, then those of E1 and a row of zeros, then those of E2
	// and a row of zeros, K numbers each.
	features []int8

	w1, w2, w3 []int16 // [hidden, inputs], [hidden, hidden], [outcomes, hidden]
	b1, b2, b3 []int32
	d, db      []int16 // [taps, K], [K]
	g1, g2     []int16 // [hidden, 2K+extras], [filters*K+filters, hidden]
	gb1, gb2   []int32
	o          []int16 // [filters]
	packed     packed
}

// Rows of features.
const (
	lineRows  = uint32(0)
	ownCodes  = uint32(lineCount)
	noCode    = pattern.Codes // the row of zeros
	oppCodes  = ownCodes + uint32(pattern.Codes) + 1
	tableRows = int(oppCodes) + pattern.Codes + 1
)

// Name implements [nn.Network].
func (n *Network) Name() string { return n.name }

// SHA256 implements [nn.Network].
func (n *Network) SHA256() string { return n.sha256 }

// Metadata implements [nn.Network].
func (n *Network) Metadata() nn.Metadata { return n.metadata }

// Suits implements [nn.Network]: the network evaluates gomoku with any rules and board
// size.
func (n *Network) Suits(v nn.Variant) error {
	_, err := n.boardOf(v)
	return err
}

// boardOf returns the empty board of a variant of gomoku.
func (n *Network) boardOf(v nn.Variant) (*gomoku.Board, error) {
	start, err := v.Start()
	if err != nil {
		return nil, err
	}
	board, ok := start.(*gomoku.Board)
	if !ok {
		return nil, fmt.Errorf("model %s: %w: a line network judges games of gomoku, not %s", n.name, nn.ErrModel, v)
	}
	return board, nil
}

// Evaluator implements [nn.Network], by an [Evaluator].
func (n *Network) Evaluator(v nn.Variant, o nn.EvaluatorOptions) (nn.Evaluator, error) {
	board, err := n.boardOf(v)
	if err != nil {
		return nil, err
	}
	enc, err := v.Encoder("")
	if err != nil {
		return nil, err
	}
	o.Temperature = n.metadata.Tempered(o.Temperature)
	e, err := NewEvaluator(n, board.Rules(), board.Size(), enc, o)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// BoardEvaluator implements [nn.IncrementalNetwork], for a pattern.Board.
func (n *Network) BoardEvaluator(board game.Position) nn.BoardEvaluator {
	return NewAccumulator(n, board.(*pattern.Board))
}

// Exact implements [nn.Network]: all sums are of integers.
func (n *Network) Exact() bool { return true }

// Close implements [nn.Network]. It does nothing: others may share the network.
func (n *Network) Close() error { return nil }

var _ nn.IncrementalNetwork = (*Network)(nil)

// valueInputs and contextInputs are the inputs of the two heads' first layers.
func valueInputs(channels int) int   { return regions*2*channels + extras }
func contextInputs(channels int) int { return 2*channels + extras }

// Bounds of inputs: first layers read means and extras, at most maxMean; later ones a
// clamped sum, at most maxHidden; the policy clamped features, at most maxFeature, and
// clamped filter outputs, at most maxFilter.
const (
	maxFeature = 127
	maxMean    = 8192
	maxHidden  = 32767
	maxFilter  = 4095
)

// check refuses weights with which a sum might overflow.
func (n *Network) check() error {
	layers := []struct {
		name    string
		weights []int16
		biases  []int32
		inputs  int
		most    int64
	}{
		{"W1", n.w1, n.b1, valueInputs(n.channels), maxMean},
		{"W2", n.w2, n.b2, hidden, maxHidden},
		{"W3", n.w3, n.b3, hidden, maxHidden},
		{"G1", n.g1, n.gb1, contextInputs(n.channels), maxMean},
		{"G2", n.g2, n.gb2, hidden, maxHidden},
		{"O", n.o, []int32{0}, filters, maxFilter},
	}
	for _, l := range layers {
		for row := range l.biases {
			if sum := magnitude(l.weights[row*l.inputs:][:l.inputs]); sum*l.most+abs(int64(l.biases[row])) >= 1<<31 {
				return fmt.Errorf("%w: row %d of its tensor %s has weights of %d together, with which a sum of 32 bits overflows",
					nn.ErrModel, row, l.name, sum)
			}
		}
	}
	for k := range n.channels {
		sum := abs(int64(n.db[k]))
		for t := range taps {
			sum += maxFeature * abs(int64(n.d[t*n.channels+k]))
		}
		if sum > 1<<15-1 {
			return fmt.Errorf("%w: channel %d of its tensor D may reach %d, want at most %d", nn.ErrModel, k, sum, 1<<15-1)
		}
	}
	return nil
}

func magnitude(weights []int16) (sum int64) {
	for _, w := range weights {
		sum += abs(int64(w))
	}
	return sum
}

func abs(x int64) int64 { return max(x, -x) }

// An arm of a line is the up to five cells on one side of a cell, nearest first, until
// the edge of the board. Its number is (3^n-1)/2 + the sum of content*3^i over its n
// cells i, where content is 0 for an empty cell, 1 for a stone of the side whose
// features are computed and 2 for one of the other side.
const (
	reach    = 5
	armCount = 364 // 1 + 3 + 9 + 27 + 81 + 243
	contents = 3
)

// pairCount is the number of unordered pairs of arms, lineCount the number of lines of
// eleven cells, each with the content in the middle and an unordered pair of arms.
const (
	pairCount = armCount * (armCount + 1) / 2
	lineCount = contents * pairCount
)

// pair returns the number of an unordered pair of arms.
func pair(a, b uint32) uint32 {
	high, low := max(a, b), min(a, b)
	return high*(high+1)/2 + low
}

// bare returns the number of an arm of that many empty cells.
func bare(cells int) (number uint32) {
	for i := range min(cells, reach) {
		number += powers[i]
	}
	return number
}

// powers are the powers of three.
var powers = [reach]uint32{1, 3, 9, 27, 81}

// swapped returns a content as the other side sees it.
func swapped(content uint32) uint32 { return (contents - content) % contents }

// swappedArms returns the number of every arm as the other side sees it.
func swappedArms() (numbers [armCount]uint32) {
	arm := 0
	for cells := range reach + 1 {
		for value := range count(cells) {
			numbers[arm] = bare(cells)
			for i := range cells {
				numbers[arm] += swapped(value/powers[i]%contents) * powers[i]
			}
			arm++
		}
	}
	return numbers
}

// count returns how many arms of that many cells there are.
func count(cells int) uint32 {
	if cells == 0 {
		return 1
	}
	return contents * powers[cells-1]
}

// codeTable maps a quad of a pattern.State to the offset of the code's row in
// packed.rows, counted from the first code; a cell with a stone maps to noCode's row.
type codeTable [1 << 16]uint32

// codeTables has the table of every number of blocks of 16 channels, computed at
// the first call.
var codeTables = func() (all [MaxChannels/16 + 1]func() *codeTable) {
	for blocks := range all {
		all[blocks] = sync.OnceValue(func() *codeTable {
			t := new(codeTable)
			for quad := range t {
				t[quad] = uint32(pattern.CodeOf(uint16(quad))) * uint32(32*blocks)
			}
			t[pattern.NoQuad] = uint32(noCode * 32 * blocks)
			return t
		})
	}
	return all
}()
