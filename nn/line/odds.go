package line

import (
	"sync"

	"github.com/carozero/carozero/internal/support/exactmath"
	"github.com/carozero/carozero/nn"
)

// Odds implements [nn.BoardEvaluator]. It is computed in integers, with an error of at
// most 0.0002.
func (a *Accumulator) Odds() int32 { return odds(a.Value()) }

// odds returns the log odds of winning for the value's logits.
func odds(logits [outcomes]int32) int32 {
	// With w the win's logit less the draw's, l the loss's less the draw's, and
	// softplus x = ln(1 + e^x), it is softplus(w + ln 2) - softplus(l + ln 2).
	const ln2 = 1453635 // 2^21 * 0.693147...
	draw := int64(logits[1]) - ln2
	table := softplus()
	return table.at(int64(logits[0])-draw) - table.at(int64(logits[2])-draw)
}

// The table covers -bend to bend in steps of 2^-stepBits. Beyond, softplus is 0 or x but
// for the last bit.
const (
	bend     = 16
	stepBits = 5
)

// softplusTable has ln(1 + e^x), in 2^-nn.OddsBits, for x = -bend, -bend + 2^-stepBits,
// ..., bend.
type softplusTable [2*bend<<stepBits + 1]int32

var softplus = sync.OnceValue(func() *softplusTable {
	t := new(softplusTable)
	for i := range t {
		x := float64(i)/(1<<stepBits) - bend
		t[i] = int32(float64(exactmath.Ln(1+exactmath.Exp(x))*(1<<nn.OddsBits)) + 0.5)
	}
	return t
})

// at returns the value at x, in units of 2^-ValueBits, by linear interpolation.
func (t *softplusTable) at(x int64) int32 {
	const shift = ValueBits - stepBits
	switch {
	case x <= -bend<<ValueBits:
		return 0
	case x >= bend<<ValueBits:
		return int32(x >> (ValueBits - nn.OddsBits))
	}
	x += bend << ValueBits
	i, rest := x>>shift, x&(1<<shift-1)
	return t[i] + int32(int64(t[i+1]-t[i])*rest>>shift)
}
