//go:build amd64 && !purego

package line

import (
	"golang.org/x/sys/cpu"

	"github.com/carozero/carozero/game/gomoku/pattern"
)

//go:generate go run ./asm -out kernels_amd64.s -stubs stubs_amd64.go -pkg line

// fastest returns the kernels for this machine. The build tag purego leaves out
// all but the plain ones.
func fastest() *kernels {
	if cpu.X86.HasAVX2 {
		return &avx2
	}
	return &plain
}

// avx2 are the kernels in assembly, which package asm writes. They look at no
// bounds: what they are called with here has them.
var avx2 = kernels{
	turn: fastTurn, turnBack: fastTurnBack, update: fastUpdate, restore: fastRestore, means: fastMeans, whole: fastWhole,
	layer: fastLayer, clamp: fastClamp, outcomes: fastOutcomes,
	choose: fastChoose, spread: fastSpread, convolve: fastConvolve, score: fastScore,
}

func fastTurn(n *Network, l *lines, starts *[pattern.Directions]uint16, by *turn, r *record) {
	turnAVX2(&l[0].behind[0], &starts[0], &by.ahead[0], &r.was[0], &n.packed.rows[0], uint32(2*n.channels))
}

func fastTurnBack(l *lines, starts *[pattern.Directions]uint16, by *turn, r *record) {
	turnBackAVX2(&l[0].behind[0], &starts[0], &by.ahead[0], &r.was[0])
}

func fastUpdate(n *Network, acc, sums, were []int16, codes *[maxCells]codeRows, at *neighbourhood, r *record) {
	_ = were[2*at.count*n.channels-1]
	updateAVX2(&acc[0], &sums[0], &n.packed.rows[0], &were[0], &codes[0][0], &at.spots[0].cell, &r.was[0], at.count, n.channels)
}

func fastRestore(channels int, acc, were []int16, codes *[maxCells]codeRows, at *neighbourhood, r *record) {
	_ = were[2*at.count*channels-1]
	restoreAVX2(&acc[0], &were[0], &codes[0][0], &at.spots[0].cell, &r.was[0], at.count, channels)
}

func fastMeans(out, sums []int16, shares *[regions]int32, own int) {
	_ = out[len(sums)-1]
	meansAVX2(&out[0], &sums[0], &shares[0], own, len(sums)/(2*regions))
}

func fastWhole(out, sums []int16, share int32, own int) {
	_ = out[len(sums)/regions-1]
	wholeAVX2(&out[0], &sums[0], &share, own, len(sums)/(2*regions))
}

func fastLayer(out []int32, m *matrix, in []int16) {
	_, _ = out[len(m.biases)-1], in[2*m.pairs-1]
	layerAVX2(&out[0], &m.weights[0], &m.biases[0], &in[0], m.pairs, len(m.biases)/hidden)
}

func fastClamp(out *[hidden]int16, in *[hidden]int32) { clampAVX2(&out[0], &in[0]) }

func fastOutcomes(out *[4]int32, p *packed, in *[hidden]int16) {
	outcomesAVX2(&out[0], &p.w3[0], &p.b3[0], &in[0])
}

func fastChoose(weights []int16, biases *[filters]int32, context []int32) {
	_ = context[len(weights)+filters-1]
	chooseAVX2(&weights[0], &biases[0], &context[0], len(weights))
}

func fastSpread(cells, acc []int16, own, channels, size, first, rows int) {
	cells, acc = cells[first*(size+2)*channels:], acc[2*first*size*channels:]
	_, _ = cells[(rows+2)*(size+2)*channels-1], acc[2*rows*size*channels-1]
	spreadAVX2(&cells[0], &acc[0], own, channels, size, rows)
}

func fastConvolve(mixed, cells []int16, n *Network, size int, corners []uint32) {
	_, _ = cells[(size+2)*(size+2)*n.channels-1], mixed[len(corners)*n.channels-1]
	convolveAVX2(&mixed[0], &cells[0], &n.d[0], &n.db[0], &corners[0], len(corners), n.channels, size)
}

func fastScore(logits []int32, mixed []int16, n *Network, s *scratch) {
	_, _ = logits[3], mixed[len(logits)*n.channels-1]
	scoreAVX2(&logits[0], &mixed[0], &s.weights[0], &s.biases[0], &n.packed.o[0], len(logits), n.channels)
}
