//go:build amd64 && !purego

package nn

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainSoftmax is Softmax without kernels.
func plainSoftmax(x []float32, inv float32) bool {
	fast := fastSoftmax
	fastSoftmax = false
	defer func() { fastSoftmax = fast }()
	return Softmax(x, inv)
}

// logit draws what logits are like, and now and then what they are not.
func logit(t *rapid.T) float32 {
	switch rapid.IntRange(0, 40).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1e-40, -87, 87, math.MaxFloat32,
			-math.MaxFloat32}).Draw(t, "special")
	case 1:
		return rapid.Float32().Draw(t, "any")
	}
	return rapid.Float32Range(-60, 60).Draw(t, "logit")
}

func TestSoftmaxKernelsEqualPlainCode(t *testing.T) {
	if !fastSoftmax {
		t.Log("this machine has no AVX2: the plain code is compared with itself")
	}
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.SliceOfN(rapid.Custom(logit), 1, 300).Draw(rt, "x")
		inv := 1 / rapid.Float32Range(0.1, 10).Draw(rt, "temperature")
		fast, plain := slices.Clone(x), slices.Clone(x)
		if a, b := Softmax(fast, inv), plainSoftmax(plain, inv); a != b {
			rt.Fatalf("accepted: %v by the kernels, %v by the plain code", a, b)
		} else if !a {
			return
		}
		for i := range x {
			if math.Float32bits(fast[i]) != math.Float32bits(plain[i]) {
				rt.Fatalf("%d of %d: %v by the kernels, %v by the plain code", i, len(x), fast[i], plain[i])
			}
		}
	})
}

// Every bit of every exponent of the kernel, over the range that counts.
func TestExponentialKernel(t *testing.T) {
	x := make([]float32, 1<<12)
	for from := float32(0); from > -90; from -= 3 {
		for i := range x {
			x[i] = from - 3*float32(i)/float32(len(x))
		}
		want := slices.Clone(x)
		exponentials(x, 0, 1)
		plainExponentials(want, 0, 1)
		for i := range x {
			if math.Float32bits(x[i]) != math.Float32bits(want[i]) {
				t.Fatalf("exponential %d below %v: %v, want %v", i, from, x[i], want[i])
			}
		}
	}
}
