package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

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
	function("updateAVX2", "func(acc, sums *int16, rows *int8, were *int16, codes *uint32, spots *uint16, record *uint32, count, channels int)",
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
func replaced(acc, were Mem, rows Register, now, was [3]Register, blocks, block int, least, most VecVirtual) VecVirtual {
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
