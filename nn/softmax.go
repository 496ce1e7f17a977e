package nn

import "math"

// The arithmetic here steers searches, so it must come out the same in every
// build: products that feed a sum are rounded explicitly, which forbids fused
// multiply-add, the exponential is our own, and sums run in index order.

// Softmax replaces x by the probabilities exp(x[i]/t) / sum(exp(x[j]/t)), for inv = 1/t.
// If x has a NaN or an infinity it returns false and x is undefined. x is not empty.
func Softmax(x []float32, inv float32) bool {
	top, finite := extreme(x)
	if !finite {
		return false
	}
	exponentials(x, top, inv)
	var sum float32
	for _, e := range x {
		sum += e
	}
	divide(x, sum)
	return true
}

// plainExtreme returns the largest number of x, which is not empty, and whether all
// are finite.
func plainExtreme(x []float32) (top float32, finite bool) {
	top = x[0]
	for _, v := range x {
		if v-v != 0 {
			return 0, false
		}
		top = max(top, v)
	}
	return top, true
}

// plainExponentials replaces the numbers of x by expNeg((x-top)*inv).
func plainExponentials(x []float32, top, inv float32) {
	for i, v := range x {
		x[i] = expNeg((v - top) * inv)
	}
}

// plainDivide divides the numbers of x.
func plainDivide(x []float32, by float32) {
	for i := range x {
		x[i] /= by
	}
}

// Constants of expNeg. Adding and subtracting roundInteger, 1.5 * 2^52, rounds to
// the nearest integer.
const (
	leastExponent = -87
	log2e         = 1.442695040888963407359924681001892137
	ln2           = 0.693147180559945309417232121458176568
	roundInteger  = 3 << 51
)

// expNeg returns e^x for x <= 0, with a relative error below 2e-7; below -87,
// where the result leaves the normal float32 range, it returns 0.
//
// x = k*ln2 + r with |r| <= ln2/2; e^r is the Taylor polynomial of degree 7,
// whose remainder is below 6e-9, and 2^k goes into the exponent.
func expNeg(x float32) float32 {
	if x < leastExponent {
		return 0
	}
	v := float64(x)
	k := float64(v*log2e) + roundInteger - roundInteger
	r := v - float64(k*ln2)
	p := float64(r*(1.0/5040)) + 1.0/720
	p = float64(r*p) + 1.0/120
	p = float64(r*p) + 1.0/24
	p = float64(r*p) + 1.0/6
	p = float64(r*p) + 1.0/2
	p = float64(r*p) + 1
	p = float64(r*p) + 1
	return float32(p * math.Float64frombits(uint64(int64(k)+1023)<<52))
}
