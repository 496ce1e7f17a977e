package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func choose() {
	function("chooseAVX2", "func(weights *int16, biases, context *int32, count int)",
		"turns context into the filters' weights, count of them, a multiple of 16, and 16 biases.")
	weights, biases, context, count := argument("weights"), argument("biases"), argument("context"), argument("count")
	least := words(-32767)
	Label("weights")
	low, high := YMM(), YMM()
	shifted(11, context, 0, low)
	shifted(11, context, 32, high)
	VPACKSSDW(high, low, low)
	VPMAXSW(least, low, low)
	VPERMQ(U8(0xD8), low, low)
	VMOVDQU(low, at(weights, 0))
	ADDQ(U8(64), context)
	ADDQ(U8(32), weights)
	SUBQ(U8(16), count)
	JNE(LabelRef("weights"))
	smallest, largest := longs(-1<<24), longs(1<<24)
	for i := range 2 {
		y := YMM()
		shifted(6, context, 32*i, y)
		VPMAXSD(smallest, y, y)
		VPMINSD(largest, y, y)
		VMOVDQU(y, at(biases, 32*i))
	}
	end()
}

// shifted loads eight sums less some bits.
func shifted(bits uint64, from Register, bytes int, y VecVirtual) {
	VMOVDQU(at(from, bytes), y)
	VPSRAD(Imm(bits), y, y)
}

func spread() {
	function("spreadAVX2", "func(cells, acc *int16, own, channels, size, rows int)",
		"fills the inside of so many rows of cells with the first half of the channels of either side, side own first.")
	cells, acc, own := argument("cells"), argument("acc"), argument("own")
	channels, size := argument("channels"), argument("size")
	first, second, bytes := sides(own, channels)
	least, most := XMM(), XMM()
	VPXOR(least, least, least)
	all := words(127)
	VMOVDQU(all.AsX(), most)
	start := GP64()
	LEAQ(at(size, 3), start)
	IMULQ(bytes, start)
	ADDQ(start, cells)
	rows := argument("rows")
	byWidth(channels, func(blocks int, prefix string) {
		x := GP64()
		Label(prefix + "_row")
		MOVQ(size, x)
		Label(prefix + "_cell")
		for i, side := range []Register{first, second} {
			for b := range blocks {
				v := XMM()
				VMOVDQU(indexed(acc, side, 1, 16*b), v)
				VPMAXSW(least, v, v)
				VPMINSW(most, v, v)
				VMOVDQU(v, at(cells, 16*(i*blocks+b)))
			}
		}
		ADDQ(U32(64*blocks), acc)
		ADDQ(U32(32*blocks), cells)
		DECQ(x)
		JNE(LabelRef(prefix + "_cell"))
		ADDQ(U32(2*32*blocks), cells)
		DECQ(rows)
		JNE(LabelRef(prefix + "_row"))
	})
}

func convolve() {
	function("convolveAVX2", "func(mixed, cells, taps, biases *int16, corners *uint32, count, channels, size int)",
		"computes the channels of cells, at least one, from their nine cells, of which corners are the first ones.")
	mixed, cells, taps, biases := argument("mixed"), argument("cells"), argument("taps"), argument("biases")
	corners, count, channels, size := argument("corners"), argument("count"), argument("channels"), argument("size")
	bytes, row, blocks := GP64(), GP64(), GP64()
	MOVQ(channels, bytes)
	SHLQ(U8(1), bytes)
	LEAQ(at(size, 2), row)
	IMULQ(bytes, row)
	MOVQ(bytes, blocks)
	least, most := zeros(), words(127)
	Label("block")
	bias, weights, tap := YMM(), [9]VecVirtual{}, GP64()
	VMOVDQU(at(biases, 0), bias)
	MOVQ(taps, tap)
	for t := range weights {
		weights[t] = YMM()
		VMOVDQU(at(tap, 0), weights[t])
		if t < 8 {
			ADDQ(bytes, tap)
		}
	}
	lines, out, next := [3]Register{GP64(), GP64(), GP64()}, GP64(), GP64()
	MOVQ(mixed, out)
	XORQ(next, next)
	Label("cell")
	MOVL(indexed(corners, next, 4, 0), lines[0].(GP).As32())
	LEAQ(indexed(cells, lines[0], 2, 0), lines[0])
	LEAQ(indexed(lines[0], row, 1, 0), lines[1])
	LEAQ(indexed(lines[0], row, 2, 0), lines[2])
	VMOVDQU(nine(lines, bytes, weights, bias, least, most), at(out, 0))
	ADDQ(bytes, out)
	INCQ(next)
	CMPQ(next, count)
	JNE(LabelRef("cell"))
	for _, p := range []Register{mixed, cells, taps, biases} {
		ADDQ(U8(32), p)
	}
	SUBQ(U8(32), blocks)
	JNE(LabelRef("block"))
	end()
}

// nine returns the channels of a cell; lines are where the three rows of its nine
// cells begin.
func nine(lines [3]Register, bytes Register, weights [9]VecVirtual, bias, least, most VecVirtual) VecVirtual {
	sum := YMM()
	for t, w := range weights {
		product := YMM()
		in := at(lines[t/3], 0)
		if t%3 > 0 {
			in = indexed(lines[t/3], bytes, uint8(t%3), 0)
		}
		VPMULLW(in, w, product)
		if t == 0 {
			VPADDW(bias, product, sum)
		} else {
			VPADDW(product, sum, sum)
		}
	}
	VPSRAW(U8(6), sum, sum)
	VPMAXSW(least, sum, sum)
	VPMINSW(most, sum, sum)
	return sum
}

// together is how many cells score takes at once.
const together = 4

func score() {
	function("scoreAVX2", "func(logits *int32, mixed, weights *int16, biases *int32, o *int16, cells, channels int)",
		"computes the policy's logit of every cell, of at least four.")
	logits, mixed, weights := argument("logits"), argument("mixed"), argument("weights")
	biases, o, last, channels := argument("biases"), argument("o"), argument("cells"), argument("channels")
	weighted, least, most := YMM(), words(-4095), words(4095)
	VMOVDQU(at(o, 0), weighted)
	bytes, thrice, cell := GP64(), GP64(), GP64()
	MOVQ(channels, bytes)
	SHLQ(U8(1), bytes)
	LEAQ(indexed(bytes, bytes, 2, 0), thrice)
	SUBQ(U8(together), last)
	XORQ(cell, cell)
	Label("group")
	in, w, left := GP64(), GP64(), GP64()
	MOVQ(cell, in)
	IMULQ(bytes, in)
	ADDQ(mixed, in)
	MOVQ(weights, w)
	MOVQ(bytes, left)
	var sums [together][2]VecVirtual
	for c := range sums {
		for h := range sums[c] {
			sums[c][h] = YMM()
			VMOVDQU(at(biases, 32*h), sums[c][h])
		}
	}
	Label("channels")
	for p := range 8 {
		filtered(sums, at(w, 64*p), at(w, 64*p+32), [together]Mem{
			at(in, 4*p), indexed(in, bytes, 1, 4*p), indexed(in, bytes, 2, 4*p), indexed(in, thrice, 1, 4*p),
		})
	}
	ADDQ(U8(32), in)
	ADDQ(U32(512), w)
	SUBQ(U8(32), left)
	JNE(LabelRef("channels"))
	var totals [together]VecVirtual
	for c := range sums {
		totals[c] = outer(sums[c], least, most, weighted)
	}
	across(totals)
	VMOVDQU(totals[0].AsX(), indexed(logits, cell, 4, 0))
	CMPQ(cell, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(together), cell)
	CMPQ(cell, last)
	CMOVQGT(last, cell)
	JMP(LabelRef("group"))
	Label("done")
	end()
}

// filtered adds what a pair of channels gives to the sums of cells.
func filtered(sums [together][2]VecVirtual, first, second Mem, cells [together]Mem) {
	low, high := YMM(), YMM()
	VMOVDQU(first, low)
	VMOVDQU(second, high)
	for c, of := range cells {
		x, product := YMM(), YMM()
		VPBROADCASTD(of, x)
		VPMADDWD(low, x, product)
		VPADDD(product, sums[c][0], sums[c][0])
		VPMADDWD(high, x, x)
		VPADDD(x, sums[c][1], sums[c][1])
	}
}

// outer returns the numbers of which the sum is the logit of a cell.
func outer(sums [2]VecVirtual, least, most, o VecVirtual) VecVirtual {
	for _, sum := range sums {
		small := YMM()
		VPSRAD(U8(3), sum, small)
		VPMAXSD(small, sum, sum)
		VPSRAD(U8(8), sum, sum)
	}
	total := sums[0]
	VPACKSSDW(sums[1], total, total)
	VPMAXSW(least, total, total)
	VPMINSW(most, total, total)
	VPMADDWD(o, total, total)
	return total
}
