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

// Layout of a spot and of the rows of its codes, in bytes, and where the rows of
// codes are.
const (
	spotCell   = 0
	spotWindow = 2
	spotRegion = 3
	spotLen    = 4

	codesLen = 8

	firstCodes  = 3 * 364 * 365 / 2
	secondCodes = firstCodes + 2380 + 1
)

func update() {
	function("updateAVX2", "func(acc, sums *int16, rows *int8, were *int16, codes *uint32, spots *uint16, record "+
		"*uint32, count, channels int)",
		"replaces rows on spots, at least one, of which the last one ends a region.")
	acc, rows, were, codes := argument("acc"), argument("rows"), argument("were"), argument("codes")
	spots, record := argument("spots"), argument("record")
	least, most := zeros(), words(127)
	byWidth(argument("channels"), func(blocks int, prefix string) {
		changes := make([]VecVirtual, 2*blocks)
		for i := range changes {
			changes[i] = zeros()
		}
		spot := GP64()
		XORQ(spot, spot)
		Label(prefix + "_spot")
		cell := GP64()
		MOVWLZX(indexed(spots, spot, 1, spotCell), cell.As32())
		now, was := rowsOf(spots, spot, record, codes, cell)
		IMUL3Q(U32(64*blocks), cell, cell)
		for i, change := range changes {
			VPADDW(replaced(indexed(acc, cell, 1, 32*i), at(were, 32*i), rows, now, was, blocks, i, least, most), change, change)
		}
		ADDQ(U32(64*blocks), were)
		region := GP64()
		MOVBLZX(indexed(spots, spot, 1, spotRegion), region.As32())
		ADDQ(U8(spotLen), spot)
		TESTL(region.As32(), region.As32())
		JE(LabelRef(prefix + "_spot"))
		add(changes, region, blocks)
		last := GP64()
		Load(Param("count"), last)
		SHLQ(U8(2), last)
		CMPQ(spot, last)
		JNE(LabelRef(prefix + "_spot"))
	})
}

// rowsOf loads where the rows begin that a spot has now and those that it had, and
// exchanges those of its codes.
func rowsOf(spots, spot, record, codes, cell Register) (now, was [3]Register) {
	for i := range now {
		now[i], was[i] = GP64(), GP64()
	}
	MOVBLZX(indexed(spots, spot, 1, spotWindow), was[0].(GP).As32())
	MOVL(indexed(record, was[0], 4, recordNow), now[0].(GP).As32())
	MOVL(indexed(record, was[0], 4, recordWas), was[0].(GP).As32())
	const scale = codesLen / spotLen
	for side := range 2 {
		of, n, w := 4*side, now[1+side].(GP).As32(), was[1+side].(GP).As32()
		MOVL(indexed(record, spot, scale, recordCodesNow+of), n)
		MOVL(indexed(codes, cell, 8, of), w)
		MOVL(w, indexed(record, spot, scale, recordCodesWas+of))
		MOVL(n, indexed(codes, cell, 8, of))
	}
	return now, was
}

// replaced replaces the rows of a block of sixteen numbers of a cell, which go to
// were, and returns by how much their features change.
func replaced(acc, were Mem, rows Register, now, was [3]Register, blocks, block int, least,
	most VecVirtual) VecVirtual {
	sum, before := YMM(), YMM()
	VMOVDQU(acc, before)
	VMOVDQU(before, were)
	for i, first := range []int{0, firstCodes, secondCodes} {
		bytes := 32*blocks*first + 16*block
		add, sub := YMM(), YMM()
		VPMOVSXBW(indexed(rows, now[i], 1, bytes), add)
		if i == 0 {
			VPADDW(before, add, sum)
		} else {
			VPADDW(add, sum, sum)
		}
		VPMOVSXBW(indexed(rows, was[i], 1, bytes), sub)
		VPSUBW(sub, sum, sum)
	}
	VMOVDQU(sum, acc)
	VPMAXSW(least, before, before)
	VPMINSW(most, before, before)
	VPMAXSW(least, sum, sum)
	VPMINSW(most, sum, sum)
	VPSUBW(before, sum, sum)
	return sum
}

// add adds changes to the sums of a region, counted from one, and makes them zeros.
func add(changes []VecVirtual, region Register, blocks int) {
	sums := argument("sums")
	IMUL3Q(U32(64*blocks), region, region)
	ADDQ(region, sums)
	for i, change := range changes {
		to := at(sums, 32*i-64*blocks)
		VPADDW(to, change, change)
		VMOVDQU(change, to)
		VPXOR(change, change, change)
	}
}

func restore() {
	function("restoreAVX2", "func(acc, were *int16, codes *uint32, spots *uint16, record *uint32, count, channels int)",
		"puts back what update replaced on spots, at least one, the last one first.")
	acc, were, codes := argument("acc"), argument("were"), argument("codes")
	spots, record, spot := argument("spots"), argument("record"), argument("count")
	byWidth(argument("channels"), func(blocks int, prefix string) {
		last := GP64()
		IMUL3Q(U32(64*blocks), spot, last)
		ADDQ(last, were)
		SHLQ(U8(2), spot)
		Label(prefix + "_spot")
		SUBQ(U8(spotLen), spot)
		SUBQ(U32(64*blocks), were)
		cell := GP64()
		MOVWLZX(indexed(spots, spot, 1, spotCell), cell.As32())
		for side := range 2 {
			row := GP32()
			MOVL(indexed(record, spot, codesLen/spotLen, recordCodesWas+4*side), row)
			MOVL(row, indexed(codes, cell, 8, 4*side))
		}
		IMUL3Q(U32(64*blocks), cell, cell)
		for i := range 2 * blocks {
			y := YMM()
			VMOVDQU(at(were, 32*i), y)
			VMOVDQU(y, indexed(acc, cell, 1, 32*i))
		}
		TESTQ(spot, spot)
		JNE(LabelRef(prefix + "_spot"))
	})
}
