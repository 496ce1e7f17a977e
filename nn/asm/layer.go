package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const regions = 9

// sides returns the offsets in bytes of the side to move and of the other one, and
// the bytes of a side.
func sides(own, channels Register) (first, second, bytes Register) {
	bytes, first, second = GP64(), GP64(), GP64()
	MOVQ(channels, bytes)
	SHLQ(U8(1), bytes)
	MOVQ(own, first)
	IMULQ(bytes, first)
	MOVQ(bytes, second)
	SUBQ(first, second)
	return first, second, bytes
}

// narrow writes 16 numbers of two registers, cut off to 16 bits.
func narrow(low, high VecVirtual, to Op) {
	VPACKSSDW(high, low, low)
	VPERMQ(U8(0xD8), low, low)
	VMOVDQU(low, to)
}

func means() {
	function("meansAVX2", "func(out, sums *int16, shares *int32, own, channels int)",
		"turns the sums over regions into means, those of side own first in each.")
	out, sums, shares := argument("out"), argument("sums"), argument("shares")
	first, second, bytes := sides(argument("own"), argument("channels"))
	left, share := GP64(), YMM()
	MOVQ(U32(regions), left)
	Label("region")
	VPBROADCASTD(at(shares, 0), share)
	for i, side := range []Register{first, second} {
		from, blocks := GP64(), GP64()
		name := []string{"own", "other"}[i]
		LEAQ(indexed(sums, side, 1, 0), from)
		MOVQ(bytes, blocks)
		Label(name)
		low, high := YMM(), YMM()
		VPMOVSXWD(at(from, 0), low)
		VPMOVSXWD(at(from, 16), high)
		shared(low, high, share, out)
		ADDQ(U8(32), from)
		ADDQ(U8(32), out)
		SUBQ(U8(32), blocks)
		JNE(LabelRef(name))
	}
	LEAQ(indexed(sums, bytes, 2, 0), sums)
	ADDQ(U8(4), shares)
	DECQ(left)
	JNE(LabelRef("region"))
	end()
}

func whole() {
	function("wholeAVX2", "func(out, sums *int16, share *int32, own, channels int)",
		"computes the means over the board, those of side own first.")
	out, sums, shares := argument("out"), argument("sums"), argument("share")
	first, second, bytes := sides(argument("own"), argument("channels"))
	share, region := YMM(), GP64()
	VPBROADCASTD(at(shares, 0), share)
	MOVQ(bytes, region)
	SHLQ(U8(1), region)
	for i, side := range []Register{first, second} {
		from, next, blocks := GP64(), GP64(), GP64()
		name := []string{"own", "other"}[i]
		LEAQ(indexed(sums, side, 1, 0), from)
		MOVQ(bytes, blocks)
		Label(name)
		sum := YMM()
		MOVQ(from, next)
		VMOVDQU(at(next, 0), sum)
		for range regions - 1 {
			ADDQ(region, next)
			VPADDW(at(next, 0), sum, sum)
		}
		low, high, upper := YMM(), YMM(), XMM()
		VEXTRACTI128(U8(1), sum, upper)
		VPMOVZXWD(sum.AsX(), low)
		VPMOVZXWD(upper, high)
		shared(low, high, share, out)
		ADDQ(U8(32), from)
		ADDQ(U8(32), out)
		SUBQ(U8(32), blocks)
		JNE(LabelRef(name))
	}
	end()
}

// unrolled is how many pairs of inputs a turn of layer takes.
const unrolled = 8

func layer() {
	function("layerAVX2", "func(out *int32, weights *int16, biases *int32, in *int16, pairs, blocks int)",
		"computes blocks of 32 sums; pairs is a multiple of 8.")
	out, weights, biases := argument("out"), argument("weights"), argument("biases")
	in, pairs, blocks := argument("in"), argument("pairs"), argument("blocks")
	Label("block")
	sums := [4]VecVirtual{YMM(), YMM(), YMM(), YMM()}
	for i, sum := range sums {
		VMOVDQU(at(biases, 32*i), sum)
	}
	from, left := GP64(), GP64()
	MOVQ(in, from)
	MOVQ(pairs, left)
	Label("pairs")
	for p := range unrolled {
		x := YMM()
		VPBROADCASTD(at(from, 4*p), x)
		for i, sum := range sums {
			product := YMM()
			VPMADDWD(at(weights, 128*p+32*i), x, product)
			VPADDD(product, sum, sum)
		}
	}
	ADDQ(U8(4*unrolled), from)
	ADDQ(U32(128*unrolled), weights)
	SUBQ(U8(unrolled), left)
	JNE(LabelRef("pairs"))
	for i, sum := range sums {
		VMOVDQU(sum, at(out, 32*i))
	}
	ADDQ(U32(128), biases)
	ADDQ(U32(128), out)
	DECQ(blocks)
	JNE(LabelRef("block"))
	end()
}

func clamp() {
	function("clampAVX2", "func(out *int16, in *int32)", "makes the next layer's inputs of 32 sums.")
	out, in := argument("out"), argument("in")
	least := zeros()
	for i := range 2 {
		low, high := YMM(), YMM()
		VMOVDQU(at(in, 64*i), low)
		VMOVDQU(at(in, 64*i+32), high)
		VPSRAD(U8(10), low, low)
		VPSRAD(U8(10), high, high)
		VPACKSSDW(high, low, low)
		VPMAXSW(least, low, low)
		VPERMQ(U8(0xD8), low, low)
		VMOVDQU(low, at(out, 32*i))
	}
	end()
}

func outcomes() {
	function("outcomesAVX2", "func(out *int32, weights *int16, biases *int32, in *int16)",
		"computes four sums over 32 inputs.")
	out, weights, biases, in := argument("out"), argument("weights"), argument("biases"), argument("in")
	low, high := YMM(), YMM()
	VMOVDQU(at(in, 0), low)
	VMOVDQU(at(in, 32), high)
	var sums [4]VecVirtual
	for i := range sums {
		sums[i] = YMM()
		other := YMM()
		VPMADDWD(at(weights, 64*i), low, sums[i])
		VPMADDWD(at(weights, 64*i+32), high, other)
		VPADDD(other, sums[i], sums[i])
	}
	across(sums)
	VPADDD(at(biases, 0), sums[0].AsX(), sums[0].AsX())
	VMOVDQU(sums[0].AsX(), at(out, 0))
	end()
}

// across leaves the sums of the numbers in each of four registers in the low half
// of the first.
func across(y [4]VecVirtual) {
	upper := XMM()
	VPHADDD(y[1], y[0], y[0])
	VPHADDD(y[3], y[2], y[2])
	VPHADDD(y[2], y[0], y[0])
	VEXTRACTI128(U8(1), y[0], upper)
	VPADDD(upper, y[0].AsX(), y[0].AsX())
}

// shared writes sixteen sums of 32 bits, times a share and shifted, as numbers of 16.
func shared(low, high, share VecVirtual, out Register) {
	for _, y := range []VecVirtual{low, high} {
		VPMULLD(share, y, y)
		VPSRAD(U8(14), y, y)
	}
	narrow(low, high, at(out, 0))
}

// Where the rows of codes are, and the layout of a geometry, in bytes.
const (
	firstCodes  = 3 * 364 * 365 / 2
	secondCodes = firstCodes + 2380 + 1

	spotRegion = maxCells * 4 * directions
)

func update() {
	function("updateAVX2", "func(acc, sums, rows, were *int16, cells *uint64, spots, lines *uint32, states *uint64, "+
		"codes *uint32, channels int)", "adds up the rows of cells, at least one, anew.")
	acc, sums, rows, were := argument("acc"), argument("sums"), argument("rows"), argument("were")
	spots, lines, states, codes := argument("spots"), argument("lines"), argument("states"), argument("codes")
	set, least, most := argument("cells"), zeros(), words(127)
	byWidth(argument("channels"), func(blocks int, prefix string) {
		eachCell(set, prefix, func(cell Register) {
			row, spot := GP64(), GP64()
			LEAQ(indexed(cell, cell, 1, 0), spot)
			sum := make([]VecVirtual, 2*blocks)
			for d := range directions {
				MOVL(indexed(spots, spot, 8, 4*d), row.As32())
				MOVL(indexed(lines, row, 4, 0), row.As32())
				addRow(sum, rows, row, 0)
			}
			for side, first := range []int{firstCodes, secondCodes} {
				MOVWLZX(indexed(states, cell, 8, 2*side), row.As32())
				MOVL(indexed(codes, row, 4, 0), row.As32())
				addRow(sum, rows, row, 64*blocks*first)
			}
			MOVBLZX(indexed(spots, cell, 1, spotRegion), row.As32())
			IMUL3Q(U32(64*blocks), row, row)
			IMUL3Q(U32(64*blocks), cell, cell)
			for i, now := range sum {
				to, before := indexed(acc, cell, 1, 32*i), YMM()
				VMOVDQU(to, before)
				VMOVDQU(before, at(were, 32*i))
				VMOVDQU(now, to)
				for _, y := range []VecVirtual{before, now} {
					VPMAXSW(least, y, y)
					VPMINSW(most, y, y)
				}
				VPSUBW(before, now, now)
				VPADDW(indexed(sums, row, 1, 32*i), now, now)
				VMOVDQU(now, indexed(sums, row, 1, 32*i))
			}
			ADDQ(U32(64*blocks), were)
		})
	})
}

// addRow adds a row, counted in numbers, to the numbers of a cell; nil ones are zeros.
func addRow(sum []VecVirtual, rows, row Register, bytes int) {
	for i := range sum {
		from := indexed(rows, row, 2, bytes+32*i)
		if sum[i] == nil {
			sum[i] = YMM()
			VMOVDQU(from, sum[i])
		} else {
			VPADDW(from, sum[i], sum[i])
		}
	}
}

// eachCell writes a loop over the cells of a set.
func eachCell(set Register, prefix string, body func(cell Register)) {
	word, left, cell := GP64(), GP64(), GP64()
	XORQ(word, word)
	Label(prefix + "_word")
	MOVQ(indexed(set, word, 1, 0), left)
	TESTQ(left, left)
	JE(LabelRef(prefix + "_empty"))
	Label(prefix + "_cell")
	TZCNTQ(left, cell)
	BLSRQ(left, left)
	LEAQ(indexed(cell, word, 8, 0), cell)
	body(cell)
	TESTQ(left, left)
	JNE(LabelRef(prefix + "_cell"))
	Label(prefix + "_empty")
	ADDQ(U8(8), word)
	CMPQ(word, U8(8*setWords))
	JNE(LabelRef(prefix + "_word"))
}

func restore() {
	function("restoreAVX2", "func(acc, were *int16, cells *uint64, channels int)", "puts back what update replaced.")
	acc, were, set := argument("acc"), argument("were"), argument("cells")
	byWidth(argument("channels"), func(blocks int, prefix string) {
		eachCell(set, prefix, func(cell Register) {
			IMUL3Q(U32(64*blocks), cell, cell)
			for i := range 2 * blocks {
				y := YMM()
				VMOVDQU(at(were, 32*i), y)
				VMOVDQU(y, indexed(acc, cell, 1, 32*i))
			}
			ADDQ(U32(64*blocks), were)
		})
	})
}
