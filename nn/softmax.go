package nn

import "math"

// The arithmetic here steers searches, so it must come out the same in every
// build: products that feed a sum are rounded explicitly, which forbids fused
// multiply-add, the exponential is our own, and sums run in index order.

// Softmax writes the probabilities exp(x[i]/t) / sum(exp(x[j]/t)) over x, for
// inv = 1/t. It returns false, and x holds no meaning, if x has a NaN or an
// infinity. x is not empty.
func Softmax(x []float32, inv float32) bool {
	top := x[0]
	for _, v := range x {
		if v-v != 0 {
			return false
		}
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		e := expNeg((v - top) * inv)
		x[i] = e
		sum += e
	}
	for i := range x {
		x[i] /= sum
	}
	return true
}

// expNeg returns e^x for x <= 0, with a relative error below 2e-7; below -87,
// where the result leaves the normal float32 range, it returns 0.
//
// x = k*ln2 + r with |r| <= ln2/2; e^r is the Taylor polynomial of degree 7,
// whose remainder is below 6e-9, and 2^k goes into the exponent.
func expNeg(x float32) float32 {
	if x < -87 {
		return 0
	}
	const (
		log2e = 1.442695040888963407359924681001892137
		ln2   = 0.693147180559945309417232121458176568
	)
	// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer.
	const round = 3 << 51
	v := float64(x)
	k := float64(v*log2e) + round - round
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
