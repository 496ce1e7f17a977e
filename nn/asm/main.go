// Command asm writes the AVX2 kernels of packages nn and nn/line; -pkg, the last flag, says of
// which. Every function computes what the plain function of the same name in ../softmax.go or
// ../line/forward.go does, to the bit; lengths are checked by its callers.
package main

import (
	"os"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Sides of package line are two blocks of K channels one behind the other, and K comes in
// blocks of 16: what a register holds.

// widest is the largest number of blocks of 16 channels.
const widest = 4

func main() {
	ConstraintExpr("amd64,!purego")
	kernels := []func(){
		turn, turnBack, update, restore, means, whole, layer, clamp, outcomes, choose, spread, convolve, score,
	}
	if os.Args[len(os.Args)-1] == "nn" {
		kernels = []func(){extreme, exponentials, divide}
	}
	for _, write := range kernels {
		write()
	}
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

// Layout of a track, of a turn and of a set of cells, in bytes.
const (
	directions = 4
	lanes      = 4 * 16
	window     = 11

	maxCells = 22 * 22
	setWords = (maxCells + 63) / 64

	slots       = 4 * (maxCells + 2*23*5 + 16)
	trackBehind = 0 * slots
	trackAhead  = 1 * slots
	trackMiddle = 2 * slots
	trackRows   = 3 * slots
	track       = 4 * slots

	turnAhead  = 0 * lanes
	turnBehind = 1 * lanes
	turnMiddle = 2 * lanes
)

func turn() {
	function("turnAVX2", "func(lines *uint32, starts *uint16, by, before *uint32, rows *int16, rowLen uint32)",
		"changes the lines of the windows that begin at starts, records their rows before, "+
			"and fetches the new ones into the cache.")
	lines, starts, before, rows := argument("lines"), argument("starts"), argument("before"), argument("rows")
	by := loadTurn(argument("by"))
	length, one := repeated(Load(Param("rowLen"), GP32())), longs(1)
	for d := range directions {
		t := trackAt(lines, starts, d)
		for half := range 2 {
			behind, ahead, middle := turned(t, by, half)
			high, low := YMM(), YMM()
			VPMAXUD(behind, ahead, high)
			VPMINUD(behind, ahead, low)
			row := YMM()
			VPADDD(one, high, row)
			VPMADDWD(high, row, row)
			VPSRLD(U8(1), row, row)
			VPADDD(low, row, row)
			VPADDD(middle, row, row)
			VPMULLD(length, row, row)
			was := YMM()
			VMOVDQU(at(t, trackRows+32*half), was)
			VMOVDQU(was, at(before, d*lanes+32*half))
			VMOVDQU(row, at(t, trackRows+32*half))
		}
		prefetch(rows, t)
	}
	end()
}

// prefetch asks for the rows that the cells of a window have now: few of them are
// in the nearer caches, and update would wait for one after the other.
func prefetch(rows, t Register) {
	for i := range window {
		row := GP64()
		MOVL(at(t, trackRows+4*i), row.As32())
		PREFETCHT0(indexed(rows, row, 2, 0))
	}
}

func turnBack() {
	function("turnBackAVX2", "func(lines *uint32, starts *uint16, by, before *uint32)",
		"changes the lines of the windows that begin at starts, to the rows from before.")
	lines, starts, before := argument("lines"), argument("starts"), argument("before")
	by := loadTurn(argument("by"))
	for d := range directions {
		t := trackAt(lines, starts, d)
		for half := range 2 {
			turned(t, by, half)
			was := YMM()
			VMOVDQU(at(before, d*lanes+32*half), was)
			VMOVDQU(was, at(t, trackRows+32*half))
		}
	}
	end()
}

// trackAt returns where a window in direction d begins.
func trackAt(lines, starts Register, d int) Register {
	t := GP64()
	MOVWLZX(at(starts, 2*d), t.As32())
	LEAQ(Mem{Base: lines, Index: t, Scale: 4, Disp: d * track}, t)
	return t
}

// turnNumbers are those of a turn by halves of a window; what is nil is zeros.
type turnNumbers struct{ behind, ahead, middle [2]VecVirtual }

func loadTurn(by Register) (n turnNumbers) {
	load := func(bytes int) VecVirtual {
		y := YMM()
		VMOVDQU(at(by, bytes), y)
		return y
	}
	n.behind = [2]VecVirtual{load(turnBehind), load(turnBehind + 32)}
	n.ahead[0], n.middle[0] = load(turnAhead), load(turnMiddle)
	return n
}

// turned changes half of a window and returns what its lines are then.
func turned(t Register, by turnNumbers, half int) (behind, ahead, middle VecVirtual) {
	change := func(bytes int, by VecVirtual) VecVirtual {
		y, m := YMM(), at(t, bytes+32*half)
		if by == nil {
			VMOVDQU(m, y)
			return y
		}
		VPADDD(m, by, y)
		VMOVDQU(y, m)
		return y
	}
	return change(trackBehind, by.behind[half]), change(trackAhead, by.ahead[half]), change(trackMiddle, by.middle[half])
}
