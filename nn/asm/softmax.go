package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// extreme writes the only kernel that returns a value.
func extreme() {
	function("extremeAVX2", "func(x *float32, n int) (top float32, odd uint32)",
		"returns the largest of n numbers, a multiple of 8 and not 0, and not 0 in odd if one of them is not finite.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	top, odd, zero := YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: x}, top)
	VXORPS(odd, odd, odd)
	VXORPS(zero, zero, zero)
	Label("eight")
	v := YMM()
	VMOVUPS(Mem{Base: x}, v)
	VMAXPS(v, top, top)
	VSUBPS(v, v, v)
	VCMPPS(U8(4), zero, v, v) // not equal, or NaN
	VORPS(v, odd, odd)
	ADDQ(U8(32), x)
	SUBQ(U8(8), n)
	JNE(LabelRef("eight"))
	other, bits := YMM(), GP32()
	VMOVMSKPS(odd, bits)
	Store(bits, Return("odd"))
	VEXTRACTF128(U8(1), top, other.AsX())
	VMAXPS(other.AsX(), top.AsX(), top.AsX())
	VPSHUFD(U8(0x4E), top.AsX(), other.AsX())
	VMAXPS(other.AsX(), top.AsX(), top.AsX())
	VPSHUFD(U8(0xB1), top.AsX(), other.AsX())
	VMAXPS(other.AsX(), top.AsX(), top.AsX())
	Store(top.AsX(), Return("top"))
	end()
}

// The constants of expNeg in the order in which the caller has them, each four times.
const (
	log2e = iota
	round
	ln2
	first  // 1/5040, and so on to 1/2
	unit   = first + 6
	offset = unit + 1 // 1023, as an integer
)

func exponentials() {
	function("expAVX2", "func(x *float32, n int, top, inv, least float32, constants *[4]float64)",
		"replaces n numbers x, a multiple of 4 and not 0, by expNeg((x-top)*inv).")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	constants := Load(Param("constants"), GP64())
	constant := func(i int) Mem { return Mem{Base: constants, Disp: 32 * i} }
	top, inv, least := broadcast("top"), broadcast("inv"), broadcast("least")
	Label("four")
	v, low := XMM(), XMM()
	VMOVUPS(Mem{Base: x}, v)
	VSUBPS(top, v, v)
	VMULPS(inv, v, v)
	VCMPPS(U8(1), least, v, low) // below
	wide, k, r, p := YMM(), YMM(), YMM(), YMM()
	VCVTPS2PD(v, wide)
	VMULPD(constant(log2e), wide, k)
	VADDPD(constant(round), k, k)
	VSUBPD(constant(round), k, r)
	VMULPD(constant(ln2), r, r)
	VSUBPD(r, wide, r)
	VMULPD(constant(first), r, p)
	for i := first + 1; i <= unit; i++ {
		VADDPD(constant(i), p, p)
		VMULPD(r, p, p)
	}
	VADDPD(constant(unit), p, p)
	VPADDQ(constant(offset), k, k) // the lowest bits of k are the integer
	VPSLLQ(U8(52), k, k)
	VMULPD(k, p, p)
	VCVTPD2PSY(p, v)
	VANDNPS(v, low, v)
	VMOVUPS(v, Mem{Base: x})
	ADDQ(U8(16), x)
	SUBQ(U8(4), n)
	JNE(LabelRef("four"))
	end()
}

// broadcast returns a register with a parameter in all its numbers.
func broadcast(name string) VecVirtual {
	to := XMM()
	Load(Param(name), to)
	VBROADCASTSS(to, to)
	return to
}

func divide() {
	function("divideAVX2", "func(x *float32, n int, by float32)", "divides n numbers, a multiple of 8 and not 0.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	by, wide := XMM(), YMM()
	Load(Param("by"), by)
	VBROADCASTSS(by, wide)
	Label("eight")
	v := YMM()
	VMOVUPS(Mem{Base: x}, v)
	VDIVPS(wide, v, v)
	VMOVUPS(v, Mem{Base: x})
	ADDQ(U8(32), x)
	SUBQ(U8(8), n)
	JNE(LabelRef("eight"))
	end()
}
