package line

// kernels are the inner loops. Those of every set compute the same numbers; the
// plain ones define them.
//
// Note: a stone costs less when all rows of its windows are replaced than when the
// unchanged ones are looked for, and when both sides' codes are one operation.
type kernels struct {
	// update carries out operations: acc += features[add] - features[sub], K
	// numbers each, and sums follow what acc is within 0..maxFeature.
	update func(channels int, features []int8, acc, sums []int16, ops *operations)

	// updateCodes does the same with operations on codes.
	updateCodes func(channels int, features []int8, acc, sums []int16, ops *operations)

	// window gives the cells of a window, so many slots of a track from one on,
	// the lines that they have now, and notes an operation for each. The keys are
	// those of pattern.Window.
	window func(ops *operations, t *track, n *numbering, slot, length int, keys uint64, channels uint32)

	// recode notes an operation on codes for every cell of the list.
	recode func(ops *operations, l *list, n *numbering, sumAt *[maxCells]uint32, channels uint32)

	// means turns sums over regions, none below 0, into means: sum*share >> 14.
	// Those of side own come first in each region.
	means func(out, sums []int16, shares *[regions]int32, own int)

	// whole computes the means over the board in the same way.
	whole func(out, sums []int16, share int32, own int)

	// layer computes the sums of a layer, a multiple of 32 of them, from a multiple
	// of 16 inputs.
	layer func(out []int32, m *matrix, in []int16)

	// clamp makes the next layer's inputs of 32 sums.
	clamp func(out *[hidden]int16, in *[hidden]int32)

	// outcomes computes the last layer of the value.
	outcomes func(out *[4]int32, p *packed, in *[hidden]int16)

	// choose turns the sums of G2 into the weights and the biases of the filters.
	choose func(weights []int16, biases *[filters]int32, context []int32)

	// spread fills the inside of so many rows of cells, from a first one on, with
	// the first half of the channels of either side, within 0..maxFeature, those of
	// side own first.
	spread func(cells, acc []int16, own, channels, size, first, rows int)

	// convolve computes the channels of some cells, at least one, from their nine
	// cells, of which corners are the first ones.
	convolve func(mixed, cells []int16, n *Network, size int, corners []uint32)

	// score computes the policy's logit of each of some mixed cells, at least four.
	score func(logits []int32, mixed []int16, n *Network, s *scratch)
}

// plain computes everything as it is defined.
var plain = kernels{
	update: plainUpdate, updateCodes: plainUpdateCodes, window: plainWindow, recode: plainRecode, means: plainMeans, whole: plainWhole,
	layer: plainLayer, clamp: plainClamp, outcomes: plainOutcomes,
	choose: plainChoose, spread: plainSpread, convolve: plainConvolve, score: plainScore,
}

func feature(x int16) int16 { return min(max(x, 0), maxFeature) }

func plainUpdate(channels int, features []int8, acc, sums []int16, ops *operations) {
	for i := range ops.count {
		for side := range 2 {
			add, sub := features[ops.add[side][i]:], features[ops.sub[side][i]:]
			for k := range channels {
				at := side*channels + k
				change(&acc[int(ops.acc[i])+at], &sums[int(ops.sum[i])+at], int16(add[k])-int16(sub[k]))
			}
		}
	}
}

func plainUpdateCodes(channels int, features []int8, acc, sums []int16, ops *operations) {
	opp := (oppCodes - ownCodes) * uint32(channels)
	for i := range ops.count {
		for side := range 2 {
			own, add := features[ops.add[side][i]:], features[ops.add[1-side][i]+opp:]
			was, sub := features[ops.sub[side][i]:], features[ops.sub[1-side][i]+opp:]
			for k := range channels {
				at := side*channels + k
				by := int16(own[k]) + int16(add[k]) - int16(was[k]) - int16(sub[k])
				change(&acc[int(ops.acc[i])+at], &sums[int(ops.sum[i])+at], by)
			}
		}
	}
}

// change changes a number of acc, and what it is of a sum.
func change(acc, sum *int16, by int16) {
	was := *acc
	*acc += by
	*sum += feature(*acc) - feature(was)
}

func plainWindow(ops *operations, t *track, n *numbering, slot, length int, keys uint64, channels uint32) {
	for i := slot; i < slot+length; i++ {
		at := ops.count
		ops.acc[at], ops.sum[at] = t.acc[i], t.sumAt[i]
		ops.sub[0][at], ops.sub[1][at] = t.rows[0][i], t.rows[1][i]
		first, second := n.of(keys)
		t.rows[0][i], t.rows[1][i] = first*channels, second*channels
		ops.add[0][at], ops.add[1][at] = t.rows[0][i], t.rows[1][i]
		ops.count++
		keys >>= 2
	}
}

func plainRecode(ops *operations, l *list, n *numbering, sumAt *[maxCells]uint32, channels uint32) {
	for i, c := range l.cells[:l.count] {
		at := ops.count
		ops.acc[at], ops.sum[at] = 2*c*channels, sumAt[c]
		for side := range 2 {
			now, was := n.codes[l.now[i]>>(16*side)&0xffff], n.codes[l.was[i]>>(16*side)&0xffff]
			ops.add[side][at] = (ownCodes + uint32(now)) * channels
			ops.sub[side][at] = (ownCodes + uint32(was)) * channels
		}
		ops.count++
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

// framed returns where a cell is within its frame.
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
