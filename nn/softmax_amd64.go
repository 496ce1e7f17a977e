//go:build amd64 && !purego

package nn

import (
	"math"

	"golang.org/x/sys/cpu"
)

//go:generate go run ./asm -out softmaxkernels_amd64.s -stubs softmaxstubs_amd64.go -pkg nn

// fastSoftmax says that Softmax may use AVX2. The build tag purego leaves it out.
var fastSoftmax = cpu.X86.HasAVX2

// lanes is what the kernels take at once; what is left over is for the plain code.
const lanes = 8

// extreme returns the largest number of x, and whether all are finite.
func extreme(x []float32) (top float32, finite bool) {
	n := len(x) &^ (lanes - 1)
	if !fastSoftmax || n == 0 {
		return plainExtreme(x)
	}
	top, odd := extremeAVX2(&x[0], n)
	if n == len(x) {
		return top, odd == 0
	}
	rest, finite := plainExtreme(x[n:])
	return max(top, rest), finite && odd == 0
}

// exponentials replaces the numbers of x by expNeg((x-top)*inv).
func exponentials(x []float32, top, inv float32) {
	n := len(x) &^ (lanes - 1)
	if !fastSoftmax || n == 0 {
		plainExponentials(x, top, inv)
		return
	}
	expAVX2(&x[0], n, top, inv, leastExponent, &expConstants[0])
	plainExponentials(x[n:], top, inv)
}

// divide divides the numbers of x.
func divide(x []float32, by float32) {
	n := len(x) &^ (lanes - 1)
	if !fastSoftmax || n == 0 {
		plainDivide(x, by)
		return
	}
	divideAVX2(&x[0], n, by)
	plainDivide(x[n:], by)
}

// expConstants are those of expNeg in the order in which the kernel takes them,
// the last one an integer.
var expConstants = [...][4]float64{
	four(log2e), four(roundInteger), four(ln2),
	four(1.0 / 5040), four(1.0 / 720), four(1.0 / 120), four(1.0 / 24), four(1.0 / 6), four(1.0 / 2),
	four(1), four(math.Float64frombits(1023)),
}

func four(v float64) [4]float64 { return [4]float64{v, v, v, v} }
