package line

// kernels are the inner loops. Those of every set compute the same numbers.
type kernels struct {
	// update carries out operations: acc += features[add] - features[sub], K
	// numbers each, and sums follow what acc is within 0..maxFeature.
	update func(channels int, features []int8, acc, sums []int16, ops []op)

	// means turns sums over cells into means: sum*share >> 14.
	means func(out, sums []int16, share int32)

	// layer computes the sums of a layer, a multiple of 32 of them.
	layer func(out []int32, m *matrix, in []int16)

	// clamp makes the next layer's inputs of 32 sums.
	clamp func(out *[hidden]int16, in *[hidden]int32)

	// spread fills the inside of cells with the first half of the channels of
	// either side, within 0..maxFeature.
	spread func(cells, own, opp []int16, channels, size int)

	// convolve computes the channels of every cell from its nine cells.
	convolve func(mixed, cells []int16, n *Network, size int)

	// score computes the policy's logit of every cell.
	score func(logits []int32, mixed []int16, n *Network, s *scratch)
}

// plain computes everything as it is defined.
var plain = kernels{
	update: plainUpdate, means: plainMeans, layer: plainLayer, clamp: plainClamp,
	spread: plainSpread, convolve: plainConvolve, score: plainScore,
}

func feature(x int16) int16 { return min(max(x, 0), maxFeature) }

func plainUpdate(channels int, features []int8, acc, sums []int16, ops []op) {
	for _, o := range ops {
		to, sum := acc[o.acc:][:channels], sums[o.sum:][:channels]
		add, sub := features[o.add:][:channels], features[o.sub:][:channels]
		for k := range to {
			was := to[k]
			to[k] = was + int16(add[k]) - int16(sub[k])
			sum[k] += feature(to[k]) - feature(was)
		}
	}
}

func plainMeans(out, sums []int16, share int32) {
	for k, s := range sums {
		out[k] = int16(int32(s) * share >> 14)
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

func plainSpread(cells, own, opp []int16, channels, size int) {
	half := channels / 2
	for c := range size * size {
		to := cells[framed(c, size)*channels:][:channels]
		for k := range half {
			to[k], to[half+k] = feature(own[c*channels+k]), feature(opp[c*channels+k])
		}
	}
}

// framed returns where a cell is within its frame.
func framed(c, size int) int { return (c/size+1)*(size+2) + c%size + 1 }

func plainConvolve(mixed, cells []int16, n *Network, size int) {
	k := n.channels
	for c := range size * size {
		out := mixed[c*k:][:k]
		copy(out, n.db)
		for t := range taps {
			in := cells[(framed(c, size)+(t/3-1)*(size+2)+t%3-1)*k:][:k]
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
			for j, w := range s.weights[q*k:][:k] {
				sum += int32(w) * int32(in[j])
			}
			if sum < 0 {
				sum >>= 3
			}
			logit += int32(n.o[q]) * min(max(sum>>8, -maxFilter), maxFilter)
		}
		logits[c] = logit
	}
}
