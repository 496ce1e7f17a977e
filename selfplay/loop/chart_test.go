package loop

import (
	"strings"
	"testing"
)

// A chart of shares has ticks between 0 and 1, one over rounds none between two
// rounds, and its points lie where their values are.
func TestChartTicks(t *testing.T) {
	texts := func(list []tick) string {
		var s []string
		for _, x := range list {
			s = append(s, x.Text)
		}
		return strings.Join(s, " ")
	}
	c := newChart("Share", "%.1f", true, line{"a", []point{{1, 0.2, 0}, {2, 0.9, 0.1}, {3, 0.5, 0}}})
	if got := texts(c.YTicks); got != "0.0 0.2 0.4 0.6 0.8 1.0" {
		t.Errorf("the ticks of shares are %s", got)
	}
	if got := texts(c.XTicks); got != "1 2 3" {
		t.Errorf("the ticks of three rounds are %s", got)
	}
	for _, list := range [][]tick{c.XTicks, c.YTicks} {
		for i := 2; i < len(list); i++ {
			if a, b := list[i].At-list[i-1].At, list[i-1].At-list[i-2].At; a-b > 0.02 || b-a > 0.02 {
				t.Errorf("ticks at %v are not as far apart", list)
			}
		}
	}
	dots := c.Curves[0].Dots
	if len(dots) != 3 {
		t.Fatalf("dots %v", dots)
	}
	at := map[string]float64{}
	for _, y := range c.YTicks {
		at[y.Text] = y.At
	}
	if d := dots[0]; d.Y-at["0.2"] > 0.02 || at["0.2"]-d.Y > 0.02 || d.X != c.XTicks[0].At || d.Low != d.High {
		t.Errorf("the first dot is %+v, ticks %v and %v", d, c.XTicks, c.YTicks)
	}
	if d := dots[1]; d.Low == d.High || !(d.Low > d.Y && d.High < d.Y) && !(d.Low < d.Y && d.High > d.Y) {
		t.Errorf("the second dot has an error: %+v", d)
	}
	if c := newChart("Nothing", "%g", true); c.Note != "nothing is known yet" || len(c.XTicks)+len(c.YTicks)+len(c.Curves) != 0 {
		t.Errorf("%+v", c)
	}
}
