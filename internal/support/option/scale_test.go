package option

import "testing"

// A step is what was declared, else a tenth of the default, of whole numbers 1 or
// more; a fraction without a default has a hundredth of its range.
func TestSteps(t *testing.T) {
	for i, c := range []struct {
		o    Numeric
		want float64
	}{
		{Int{Default: 40, Max: 1000, Step: 7}, 7}, {Int{Default: 40, Max: 1000}, 4}, {Int{Default: 2, Max: 9}, 1}, {Int{Default: -40, Min: -90}, 4}, {Int{Max: 1000}, 0},
		{Float{Default: 4, Max: 9, Step: 0.5}, 0.5}, {Float{Default: -4, Min: -9}, 0.4}, {Float{Min: -1, Max: 1}, 0.02},
	} {
		if got := c.o.Scale().Step; got != c.want {
			t.Errorf("%d: step %v, want %v", i, got, c.want)
		}
	}
	if s := (Int{Zero: "off", Max: 3}).Scale(); !s.Special || !s.Whole || s.Format(2.6) != "3" {
		t.Errorf("%+v", s)
	}
	if s := (Float{Zero: "the default", Max: 3}).Scale(); !s.Special || s.Whole || s.Format(2.6) != "2.6" {
		t.Errorf("%+v", s)
	}
}
