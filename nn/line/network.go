package line

import (
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

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

// Channels returns the number of features of a cell as one side sees it.
func (n *Network) Channels() int { return n.channels }

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
				return fmt.Errorf("%w: row %d of its tensor %s has weights of %d together, with which a sum of 32 bits overflows", nn.ErrModel, row, l.name, sum)
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
