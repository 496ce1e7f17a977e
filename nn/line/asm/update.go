package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Layout of operations, of a track from its rows on, and of a numbering, in bytes.
const (
	opsRoom = 4 * 256
	opAcc   = 0 * opsRoom
	opSum   = 1 * opsRoom
	opAdd   = 2 * opsRoom
	opSub   = 4 * opsRoom

	slots      = 4 * (22*22 + 16)
	trackAcc   = 2 * slots
	trackSumAt = 3 * slots

	ahead  = 4 * 1024
	middle = 8 * 1024
	codes  = middle + 64

	listCells = 0
	listNow   = listCells + 4*80
	listWas   = listNow + 4*80

	ownCodes = 3 * 364 * 365 / 2
	oppCodes = ownCodes + 2380 + 1
)

func update() {
	function("updateAVX2", "func(acc, sums *int16, features *int8, ops *uint32, count, channels int)",
		"carries out operations on lines, at least one.")
	features := argument("features")
	updates(func(ops Register) difference {
		add, sub := rowsOf(ops)
		return func(side, b int) VecVirtual {
			now, gone := YMM(), YMM()
			VPMOVSXBW(indexed(features, add[side], 1, 16*b), now)
			VPMOVSXBW(indexed(features, sub[side], 1, 16*b), gone)
			VPSUBW(gone, now, now)
			return now
		}
	})
}

func updateCodes() {
	function("updateCodesAVX2", "func(acc, sums *int16, features *int8, ops *uint32, count, channels int)",
		"carries out operations on codes, at least one.")
	features, others := argument("features"), GP64()
	IMUL3Q(U32(oppCodes-ownCodes), argument("channels"), others)
	ADDQ(features, others)
	updates(func(ops Register) difference {
		add, sub := rowsOf(ops)
		return func(side, b int) VecVirtual {
			now, opp, gone, oppGone := YMM(), YMM(), YMM(), YMM()
			VPMOVSXBW(indexed(features, add[side], 1, 16*b), now)
			VPMOVSXBW(indexed(others, add[1-side], 1, 16*b), opp)
			VPMOVSXBW(indexed(features, sub[side], 1, 16*b), gone)
			VPMOVSXBW(indexed(others, sub[1-side], 1, 16*b), oppGone)
			VPADDW(opp, now, now)
			VPADDW(oppGone, gone, gone)
			VPSUBW(gone, now, now)
			return now
		}
	})
}

// rowsOf loads where the rows of an operation begin.
func rowsOf(ops Register) (add, sub [2]Register) {
	for side := range 2 {
		a, s := GP64(), GP64()
		MOVL(at(ops, opAdd+side*opsRoom), a.As32())
		MOVL(at(ops, opSub+side*opsRoom), s.As32())
		add[side], sub[side] = a, s
	}
	return add, sub
}

// difference writes what is to be added to a block of channels of a side.
type difference func(side, block int) VecVirtual

// updates writes the loops of an update.
func updates(of func(ops Register) difference) {
	acc, sums, ops, count := argument("acc"), argument("sums"), argument("ops"), argument("count")
	least, most := zeros(), words(127)
	byWidth(argument("channels"), func(blocks int, prefix string) {
		Label(prefix + "_op")
		cell, sum := GP64(), GP64()
		MOVL(at(ops, opAcc), cell.As32())
		MOVL(at(ops, opSum), sum.As32())
		by := of(ops)
		for side := range 2 {
			for b := range blocks {
				bytes := 32 * (side*blocks + b)
				now, was := by(side, b), YMM()
				VMOVDQU(indexed(acc, cell, 2, bytes), was)
				VPADDW(was, now, now)
				VMOVDQU(now, indexed(acc, cell, 2, bytes))
				VPMAXSW(least, was, was)
				VPMINSW(most, was, was)
				VPMAXSW(least, now, now)
				VPMINSW(most, now, now)
				VPSUBW(was, now, now)
				VPADDW(indexed(sums, sum, 2, bytes), now, now)
				VMOVDQU(now, indexed(sums, sum, 2, bytes))
			}
		}
		ADDQ(U8(4), ops)
		DECQ(count)
		JNE(LabelRef(prefix + "_op"))
	})
}

func window() {
	function("windowAVX2", "func(ops, rows, numbers *uint32, length int, keys uint64, channels uint32)",
		"gives the cells of a window their lines, eight at a time, and notes an operation for each.")
	ops, rows, numbers := argument("ops"), argument("rows"), argument("numbers")
	length, word, channels := argument("length"), argument("keys"), Load(Param("channels"), GP32())
	k, left := repeated(channels), repeated(length)
	keys, lanes := YMM(), YMM()
	VMOVQ(word, keys.AsX())
	VPBROADCASTQ(keys.AsX(), keys)
	VMOVDQU(constants("lanes", 0, 1, 2, 3, 4, 5, 6, 7), lanes)
	even, odd := constants("even", 0, 0, 2, 0, 8, 0, 10, 0), constants("odd", 4, 0, 6, 0, 12, 0, 14, 0)
	content, eights := constants("content", 3, 3, 3, 3, 3, 3, 3, 3), constants("eights", 8, 8, 8, 8, 8, 8, 8, 8)
	arm, half, one := longs(1023), longs(0xffff), longs(1)
	Label("eight")
	key, next, front := YMM(), YMM(), YMM()
	VPSRLVQ(even, keys, key)
	VPSRLVQ(odd, keys, next)
	VSHUFPS(U8(0x88), next, key, key)
	behind := gathered(numbers, 0, 4, key, arm)
	VPSRLD(U8(12), key, front)
	front = gathered(numbers, ahead, 4, front, arm)
	high, low, mask := YMM(), YMM(), YMM()
	VPMAXUW(behind, front, high)
	VPMINUW(behind, front, low)
	VPSRLD(U8(10), key, key)
	VPAND(content, key, key)
	VPCMPGTD(lanes, left, mask)
	for side := range 2 {
		upper, lower := YMM(), YMM()
		if side == 0 {
			VPAND(half, high, upper)
			VPAND(half, low, lower)
		} else {
			VPSRLD(U8(16), high, upper)
			VPSRLD(U8(16), low, lower)
		}
		row := rowOf(upper, lower, one, key, at(numbers, middle+32*side))
		VPMULLD(k, row, row)
		was := YMM()
		VMOVDQU(at(rows, side*slots), was)
		VMOVDQU(was, at(ops, opSub+side*opsRoom))
		VMOVDQU(row, at(ops, opAdd+side*opsRoom))
		VPBLENDVB(mask, row, was, was)
		VMOVDQU(was, at(rows, side*slots))
	}
	for _, copied := range [][2]int{{trackAcc, opAcc}, {trackSumAt, opSum}} {
		x := YMM()
		VMOVDQU(at(rows, copied[0]), x)
		VMOVDQU(x, at(ops, copied[1]))
	}
	SUBQ(U8(8), length)
	JLE(LabelRef("done"))
	VPSRLQ(U8(16), keys, keys)
	VPSUBD(eights, left, left)
	ADDQ(U8(32), ops)
	ADDQ(U8(32), rows)
	JMP(LabelRef("eight"))
	Label("done")
	end()
}

// rowOf returns the numbers of lines: high*(high+1)/2 + low, and what the contents
// in the middle add.
func rowOf(high, low, one, contents VecVirtual, middle Mem) VecVirtual {
	number := YMM()
	VPADDD(one, high, number)
	VPMADDWD(high, number, number)
	VPSRLD(U8(1), number, number)
	VPADDD(number, low, low)
	VPERMD(middle, contents, number)
	VPADDD(number, low, low)
	return low
}

func recode() {
	function("recodeAVX2", "func(ops, list, numbers, sumAt *uint32, count int, channels uint32)",
		"notes an operation for each cell of the list, at least one.")
	ops, list, numbers, sumAt := argument("ops"), argument("list"), argument("numbers"), argument("sumAt")
	count, channels := argument("count"), Load(Param("channels"), GP32())
	k, half, own, twice := repeated(channels), longs(0xffff), longs(ownCodes), YMM()
	VPADDD(k, k, twice)
	Label("eight")
	cells, acc, all, sum := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(at(list, listCells), cells)
	VPMULLD(twice, cells, acc)
	VPCMPEQD(all, all, all)
	VPGATHERDD(all, indexed(sumAt, cells, 4, 0), sum)
	VMOVDQU(acc, at(ops, opAcc))
	VMOVDQU(sum, at(ops, opSum))
	for _, l := range [][2]int{{listNow, opAdd}, {listWas, opSub}} {
		quads := YMM()
		VMOVDQU(at(list, l[0]), quads)
		for side := range 2 {
			row := gathered(numbers, codes, 2, quads, half)
			VPSRLD(U8(16), quads, quads)
			VPAND(half, row, row)
			VPADDD(own, row, row)
			VPMULLD(k, row, row)
			VMOVDQU(row, at(ops, l[1]+side*opsRoom))
		}
	}
	ADDQ(U8(32), list)
	ADDQ(U8(32), ops)
	SUBQ(U8(8), count)
	JGT(LabelRef("eight"))
	end()
}

// gathered looks eight numbers, as far as they are in the mask, up in a table.
func gathered(numbers Register, table int, scale uint8, keys, mask VecVirtual) VecVirtual {
	index, all, found := YMM(), YMM(), YMM()
	VPAND(mask, keys, index)
	VPCMPEQD(all, all, all)
	VPGATHERDD(all, indexed(numbers, index, scale, table), found)
	return found
}

// constants returns memory that holds eight numbers.
func constants(name string, numbers ...uint32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, x := range numbers {
		DATA(4*i, U32(x))
	}
	return m
}
