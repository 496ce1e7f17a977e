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
