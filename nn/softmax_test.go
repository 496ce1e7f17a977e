package nn

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestExpNeg(t *testing.T) {
	for x := float32(0); x >= -87; x -= 0.0037 {
		got, want := float64(expNeg(x)), math.Exp(float64(x))
		if math.Abs(got-want) > 2e-7*want {
			t.Fatalf("expNeg(%v) = %v, want %v", x, got, want)
		}
	}
	if expNeg(0) != 1 || expNeg(-88) != 0 || expNeg(float32(math.Inf(-1))) != 0 {
		t.Errorf("expNeg at 0, -88, -Inf: %v %v %v", expNeg(0), expNeg(-88), expNeg(float32(math.Inf(-1))))
	}
}

func TestSoftmax(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.SliceOfN(rapid.Float32Range(-1e6, 1e6), 1, 300).Draw(rt, "x")
		p := slices.Clone(x)
		if !Softmax(p, 1) {
			rt.Fatal("finite values refused")
		}
		var sum float64
		for i := range p {
			if p[i] < 0 || p[i] > 1 {
				rt.Fatalf("probability %v", p[i])
			}
			for j := range p {
				if x[i] > x[j] && p[i] < p[j] {
					rt.Fatal("a larger logit has a smaller probability")
				}
			}
			sum += float64(p[i])
		}
		if math.Abs(sum-1) > 1e-5 {
			rt.Fatalf("sum %v", sum)
		}
	})
}

func TestSoftmaxRefusesWhatIsNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, x := range [][]float32{{nan}, {1, nan}, {nan, 1}, {inf, 1}, {1, -inf}} {
		if Softmax(slices.Clone(x), 1) {
			t.Errorf("%v was accepted", x)
		}
	}
	if x := []float32{math.MaxFloat32, -math.MaxFloat32}; !Softmax(x, 1) || x[0] != 1 || x[1] != 0 {
		t.Errorf("extreme logits: %v", x)
	}
}

// The digest is the same for every GOAMD64 level and architecture. It changes
// only with the definition of softmax or Mock, never with a compiler.
func TestBitsAreTheSameEverywhere(t *testing.T) {
	h := fnv.New64a()
	add := func(values ...float32) {
		var b [4]byte
		for _, v := range values {
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(v))
			h.Write(b[:])
		}
	}
	for i := range uint64(200) {
		x := make([]float32, 1+i)
		for k := range x {
			x[k] = 20*unit(chain(i, uint64(k))) - 10
		}
		Softmax(x, 1/1.3)
		add(x...)
	}
	for _, sharp := range []bool{false, true} {
		m := NewMock(1)
		m.Sharp = sharp
		for i := range uint64(50) {
			r := Result{Priors: make([]float32, 200-i)}
			m.answer(i, &r)
			add(r.Priors...)
			add(r.Win, r.Draw, r.Loss)
		}
	}
	if got, want := h.Sum64(), uint64(0x6f7a62c4fbc57e97); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
	}
}

func BenchmarkSoftmax(b *testing.B) {
	x, y := make([]float32, 225), make([]float32, 225)
	for i := range x {
		x[i] = 20*unit(chain(1, uint64(i))) - 10
	}
	for b.Loop() {
		copy(y, x)
		Softmax(y, 1)
	}
}
