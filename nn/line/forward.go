package line

import "github.com/carozero/carozero/game"

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
