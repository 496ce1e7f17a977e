package line

// scratch is what a forward pass works on.
type scratch struct {
	inputs  []int16 // of a first layer, valueInputs or contextInputs, padded to a pair
	layer   [hidden]int32
	first   [hidden]int16
	second  [hidden]int16
	context []int32 // G2's sums
	weights []int16 // [filters][K], chosen for the board
	biases  [filters]int32
	cells   []int16 // [y+1][x+1][K] with a frame of zeros: the policy's features
	mixed   []int16 // [cell][K]: after the convolution
}

func newScratch(n *Network, size int) scratch {
	k := n.channels
	return scratch{
		inputs:  make([]int16, valueInputs(k)),
		context: make([]int32, (filters*k+filters+hidden-1)/hidden*hidden),
		weights: make([]int16, filters*k),
		cells:   make([]int16, (size+2)*(size+2)*k),
		mixed:   make([]int16, size*size*k),
	}
}

// Logit units: Value's logits count 2^-ValueBits, Policy's 2^-PolicyBits.
const (
	ValueBits  = 21
	PolicyBits = 15
)

// Value returns the logits of win, draw and loss for the side to move.
func (a *Accumulator) Value() (logits [outcomes]int32) {
	a.sync()
	n, s := a.net, &a.scratch
	own := int(a.board.ToMove())
	k := n.channels
	at := 0
	for r := range regions {
		for _, side := range [2]int{own, 1 - own} {
			a.does.means(s.inputs[at:at+k], a.sums[(side*regions+r)*k:][:k], a.share[r])
			at += k
		}
	}
	a.extras(s.inputs[at : at+extras])
	a.does.layer(s.layer[:], &n.packed.w1, s.inputs[:at+extras])
	a.does.clamp(&s.first, &s.layer)
	a.does.layer(s.layer[:], &n.packed.w2, s.first[:])
	a.does.clamp(&s.second, &s.layer)
	for o := range logits {
		sum := n.b3[o]
		for i, w := range n.w3[o*hidden:][:hidden] {
			sum += int32(w) * int32(s.second[i])
		}
		logits[o] = sum
	}
	return logits
}

// extras fills in the inputs beside the features: how full the board is, and the
// stones taken.
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
	a.sync()
	a.choose()
	a.spread()
	n, s := a.net, &a.scratch
	a.does.convolve(s.mixed, s.cells, n, a.size)
	a.does.score(logits[:a.cells], s.mixed, n, s)
}

// choose computes the weights and biases of the filters for this board.
func (a *Accumulator) choose() {
	n, s := a.net, &a.scratch
	k := n.channels
	own := int(a.board.ToMove())
	in := s.inputs[:contextInputs(k)]
	for p, side := range [2]int{own, 1 - own} {
		for c := range k {
			sum := int32(0)
			for r := range regions {
				sum += int32(a.sums[(side*regions+r)*k+c])
			}
			in[p*k+c] = int16(int32(int64(sum) * int64(a.whole) >> 14))
		}
	}
	a.extras(in[2*k:])
	a.does.layer(s.layer[:], &n.packed.g1, in)
	a.does.clamp(&s.first, &s.layer)
	a.does.layer(s.context, &n.packed.g2, s.first[:])
	for i := range s.weights {
		s.weights[i] = int16(min(max(s.context[i]>>11, -maxHidden), maxHidden))
	}
	for q := range s.biases {
		s.biases[q] = min(max(s.context[filters*k+q]>>6, -1<<24), 1<<24)
	}
}

// spread copies the features that the policy reads into a frame of zeros: half of
// those of either side.
func (a *Accumulator) spread() {
	k := a.net.channels
	own := int(a.board.ToMove())
	a.does.spread(a.scratch.cells, a.acc[own*a.cells*k:][:a.cells*k], a.acc[(1-own)*a.cells*k:][:a.cells*k], k, a.size)
}
