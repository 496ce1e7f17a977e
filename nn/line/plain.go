package line

import "github.com/carozero/carozero/game/gomoku/pattern"

// kernels are the inner loops. Every set computes the same numbers, which the plain ones
// define.
//
// Note: replacing all rows of a changed cell's windows is faster than searching for the
// unchanged ones.
type kernels struct {
	// turn changes the lines of the windows that begin at starts, lanes slots each,
	// and records their rows before and after.
	turn func(n *Network, l *lines, starts *[pattern.Directions]uint16, by *turn, r *record)

	// turnBack undoes a turn and restores the rows from before r.
	turnBack func(l *lines, starts *[pattern.Directions]uint16, by *turn, r *record)

	// update replaces, on every spot, the row of a line and the rows of the codes by
	// those of r in acc, and updates sums, the sums of acc clamped to 0..maxFeature. It
	// saves the former values of the spots to were and r.
	update func(n *Network, acc, sums, were []int16, codes *[maxCells]codeRows, at *neighbourhood, r *record)

	// restore undoes an update, except for sums.
	restore func(channels int, acc, were []int16, codes *[maxCells]codeRows, at *neighbourhood, r *record)

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
	turn: plainTurn, turnBack: plainTurnBack, update: plainUpdate, restore: plainRestore, means: plainMeans, whole: plainWhole,
	layer: plainLayer, clamp: plainClamp, outcomes: plainOutcomes,
	choose: plainChoose, spread: plainSpread, convolve: plainConvolve, score: plainScore,
}

func feature(x int16) int16 { return min(max(x, 0), maxFeature) }

func plainTurn(n *Network, l *lines, starts *[pattern.Directions]uint16, by *turn, r *record) {
	rowLen := uint32(2 * n.channels)
	for d, start := range starts {
		t := &l[d]
		for i := range lanes {
			at, w := int(start)+i, d*lanes+i
			t.behind[at] += by.behind[i]
			t.ahead[at] += by.ahead[i]
			t.middle[at] += by.middle[i]
			r.was[w], r.now[w] = t.rows[at], (pair(t.behind[at], t.ahead[at])+t.middle[at])*rowLen
			t.rows[at] = r.now[w]
		}
	}
}

func plainTurnBack(l *lines, starts *[pattern.Directions]uint16, by *turn, r *record) {
	for d, start := range starts {
		t := &l[d]
		for i := range lanes {
			at := int(start) + i
			t.behind[at] += by.behind[i]
			t.ahead[at] += by.ahead[i]
			t.middle[at] += by.middle[i]
			t.rows[at] = r.was[d*lanes+i]
		}
	}
}

func plainUpdate(n *Network, acc, sums, were []int16, codes *[maxCells]codeRows, at *neighbourhood, r *record) {
	both, next := 2*n.channels, 0
	for i, last := range at.spots[:at.count] {
		if last.region == 0 {
			continue
		}
		sum := sums[int(last.region-1)*both:][:both]
		for ; next <= i; next++ {
			s, was, now := at.spots[next], &r.codesWas[next], r.codesNow[next]
			*was, codes[s.cell] = codes[s.cell], now
			to := acc[int(s.cell)*both:][:both]
			before := were[next*both:][:both]
			copy(before, to)
			plainReplace(to, n.packed.rows, was.rows(r.was[s.window], both), now.rows(r.now[s.window], both))
			for k, x := range to {
				sum[k] += feature(x) - feature(before[k])
			}
		}
	}
}

// rows returns the offsets of the three rows of a cell with that line.
func (c *codeRows) rows(line uint32, length int) [3]uint32 {
	return [3]uint32{line, firstCodes*uint32(length) + c[0], secondCodes*uint32(length) + c[1]}
}

// plainReplace replaces rows in the numbers of a cell.
func plainReplace(acc []int16, rows []int8, was, now [3]uint32) {
	for i := range was {
		if was[i] == now[i] {
			continue
		}
		sub, add := rows[was[i]:][:len(acc)], rows[now[i]:][:len(acc)]
		for k := range acc {
			acc[k] += int16(add[k]) - int16(sub[k])
		}
	}
}

func plainRestore(channels int, acc, were []int16, codes *[maxCells]codeRows, at *neighbourhood, r *record) {
	both := 2 * channels
	for i := at.count - 1; i >= 0; i-- {
		cell := int(at.spots[i].cell)
		codes[cell] = r.codesWas[i]
		copy(acc[cell*both:][:both], were[i*both:])
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
