package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Layout of an op, in bytes.
const (
	opAcc, opSum, opAdd, opSub = 0, 4, 8, 16
	opBytes                    = 24
)

func update() {
	function("updateAVX2", "func(acc, sums *int16, features *int8, ops *uint32, count, channels int)",
		"carries out operations, at least one.")
	acc, sums, features, ops, count := argument("acc"), argument("sums"), argument("features"), argument("ops"), argument("count")
	channels := argument("channels")
	least, most := zeros(), words(127)
	byWidth(channels, func(blocks int, prefix string) {
		Label(prefix + "_op")
		cell, sum := GP64(), GP64()
		MOVL(at(ops, opAcc), cell.As32())
		MOVL(at(ops, opSum), sum.As32())
		for side := range 2 {
			add, sub := GP64(), GP64()
			MOVL(at(ops, opAdd+4*side), add.As32())
			MOVL(at(ops, opSub+4*side), sub.As32())
			for b := range blocks {
				bytes := 32 * (side*blocks + b)
				now, gone, was := YMM(), YMM(), YMM()
				VPMOVSXBW(indexed(features, add, 1, 16*b), now)
				VPMOVSXBW(indexed(features, sub, 1, 16*b), gone)
				VMOVDQU(indexed(acc, cell, 2, bytes), was)
				VPSUBW(gone, now, now)
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
		ADDQ(U8(opBytes), ops)
		DECQ(count)
		JNE(LabelRef(prefix + "_op"))
	})
}
