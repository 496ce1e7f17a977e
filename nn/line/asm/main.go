// Command asm writes the kernels of package line for AVX2. Every function
// computes what the plain function of the same name in ../plain.go does; lengths
// are checked by its callers.
//
// Sides are two blocks of K channels one behind the other, and K comes in blocks
// of 16: what a register holds.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// widest is the largest number of blocks of 16 channels.
const widest = 4

func main() {
	ConstraintExpr("amd64,!purego")
	turn()
	turnBack()
	update()
	restore()
	means()
	whole()
	layer()
	clamp()
	outcomes()
	choose()
	spread()
	convolve()
	score()
	Generate()
}

// function begins a function of that name and signature.
func function(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc)
}

func argument(name string) Register { return Load(Param(name), GP64()) }

// end returns.
func end() {
	VZEROUPPER()
	RET()
}

// at is the memory some bytes behind a register, and those of an index.
func at(base Register, bytes int) Mem { return Mem{Base: base, Disp: bytes} }

func indexed(base, index Register, scale uint8, bytes int) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: bytes}
}

// words and longs return a register with a constant in all its numbers of 16 and
// of 32 bits, repeated one with the lowest 32 bits of another register.
func words(value int16) VecVirtual {
	y, r := YMM(), GP32()
	MOVL(I32(value), r)
	VMOVD(r, y.AsX())
	VPBROADCASTW(y.AsX(), y)
	return y
}

func longs(value int32) VecVirtual {
	r := GP32()
	MOVL(I32(value), r)
	return repeated(r)
}

func repeated(r Register) VecVirtual {
	y := YMM()
	VMOVD(r.(GP).As32(), y.AsX())
	VPBROADCASTD(y.AsX(), y)
	return y
}

func zeros() VecVirtual {
	y := YMM()
	VPXOR(y, y, y)
	return y
}

// byWidth writes a loop for each number of blocks of 16 channels; body ends with
// what jumps to the labels it makes of the prefix.
func byWidth(channels Register, body func(blocks int, prefix string)) {
	names := []string{"", "one", "two", "three", "four"}
	for blocks := 1; blocks < widest; blocks++ {
		CMPQ(channels, U8(16*blocks))
		JEQ(LabelRef(names[blocks]))
	}
	for blocks := widest; blocks > 0; blocks-- {
		Label(names[blocks])
		body(blocks, names[blocks])
		end()
	}
}
