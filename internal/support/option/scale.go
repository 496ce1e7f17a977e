package option

import (
	"math"
	"strconv"
)

// Scale says of a numeric option what a tuner must know: which values it may try,
// and how far apart two of them are for a difference to be worth asking for.
type Scale struct {
	Min, Max float64
	Step     float64 // over 0, for whole numbers 1 or more; 0: the declaration has none and tells of none
	Whole    bool    // the values are whole numbers
	Special  bool    // 0 is not a value among the others but stands for something else, as for the default
}

// Numeric is an option whose values are numbers.
type Numeric interface {
	Option
	Scale() Scale
}

// tenth is the part of a default that is a step where none is declared.
const tenth = 0.1

// Scale implements [Numeric]. Without a Step, a tenth of the default is one.
func (o Int) Scale() Scale {
	s := Scale{Min: float64(o.Min), Max: float64(o.Max), Step: float64(o.Step), Whole: true, Special: o.Zero != ""}
	if s.Step == 0 && o.Default != 0 {
		s.Step = max(1, math.Round(tenth*math.Abs(float64(o.Default))))
	}
	return s
}

// Scale implements [Numeric]. Without a Step, a tenth of the default is one, and
// where the default is 0 a hundredth of the range.
func (o Float) Scale() Scale {
	s := Scale{Min: o.Min, Max: o.Max, Step: o.Step, Special: o.Zero != ""}
	if s.Step == 0 {
		s.Step = tenth * math.Abs(o.Default)
	}
	if s.Step == 0 {
		s.Step = (o.Max - o.Min) / 100
	}
	return s
}

// Scale implements [Numeric]. One that has no strength has the zero scale.
func (o Technique) Scale() Scale {
	if o.Default == 0 {
		return Scale{}
	}
	bounded := strength
	bounded.Default = o.Default
	return bounded.Scale()
}

// Format returns a value of the scale as Parse of its option reads it.
func (s Scale) Format(x float64) string {
	if s.Whole {
		return strconv.FormatInt(int64(math.Round(x)), 10)
	}
	return formatFloat(x)
}
