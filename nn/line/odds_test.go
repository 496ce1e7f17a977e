package line

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/nn"
)

func TestOdds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	chances := func(logits [outcomes]int32) (win, draw, loss float64) {
		top := float64(max(logits[0], logits[1], logits[2]))
		p := func(i int) float64 { return math.Exp((float64(logits[i]) - top) / (1 << ValueBits)) }
		return p(0), p(1), p(2)
	}
	for range 20000 {
		spread := int32(1) << (18 + r.IntN(9)) // an eighth to 64
		var logits [outcomes]int32
		for i := range logits {
			logits[i] = r.Int32N(2*spread) - spread
		}
		win, draw, loss := chances(logits)
		want := math.Log(win+draw/2) - math.Log(loss+draw/2)
		if got := float64(odds(logits)) / (1 << nn.OddsBits); math.Abs(got-want) > 0.0002 {
			t.Fatalf("logits %v: log odds %v, want %v", logits, got, want)
		}
		turned := [outcomes]int32{logits[2], logits[1], logits[0]}
		if odds(turned) != -odds(logits) {
			t.Fatalf("logits %v: the other side's odds are %d and %d", logits, odds(logits), odds(turned))
		}
	}
}
