package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
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
	c := New("Share", "%.1f", true, Line{"a", []Point{{1, 0.2, 0}, {2, 0.9, 0.1}, {3, 0.5, 0}}})
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
	if c := New("Nothing", "%g", true); c.Note != "nothing is known yet" ||
		len(c.XTicks)+len(c.YTicks)+len(c.Curves) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		s := span{low, low + rapid.Float64Range(1e-3, 1e6).Draw(t, "width")}
		list := s.ticks(5, 0)
		if len(list) < 1 || len(list) > 7 {
			t.Fatalf("%v: %v", s, list)
		}
		for i, v := range list {
			slack := 1e-6 * (s.high - s.low + math.Abs(s.low))
			if v < s.low-slack || v > s.high+slack || i > 0 && v <= list[i-1] || math.Signbit(v) && v == 0 {
				t.Errorf("%v: %v", s, list)
			}
		}
	})
	for _, c := range []struct {
		s    span
		want string
	}{{span{1, 2}, "[1 2]"}, {span{1, 10}, "[2 4 6 8 10]"}, {span{0, 1}, "[0 1]"}} {
		if got := fmt.Sprint(c.s.ticks(8, 1)); got != c.want {
			t.Errorf("%v: %s, want %s", c.s, got, c.want)
		}
	}
}

// The ends of an axis are the edges of the picture.
func TestChartEdges(t *testing.T) {
	c := New("Share", "%g", false, Line{"a", []Point{{1, 0, 0}, {5, 1, 0}}})
	d := c.Curves[0].Dots
	if d[0].X != float64(c.Left) || d[0].Y != float64(c.Bottom) || d[1].X != float64(c.Right) || d[1].Y != float64(c.Top) {
		t.Errorf("%+v within %d to %d and %d to %d", d, c.Left, c.Right, c.Top, c.Bottom)
	}
	if want := "52.0,190.0 406.0,12.0"; c.Curves[0].Path != want {
		t.Errorf("the path is %s, want %s", c.Curves[0].Path, want)
	}
}

// The axis of values that are all one is one wide around them; of others it is as wide
// as they are.
func TestAxesAreWidened(t *testing.T) {
	for in, want := range map[span]span{
		{3, 3}: {2.5, 3.5}, {0, 0}: {-0.5, 0.5}, {-2, -2}: {-2.5, -1.5}, {0, 0.5}: {0, 0.5}, {-5, 5}: {-5, 5},
		{7, 7.25}: {7, 7.25},
	} {
		got := in
		if got.widen(); got != want {
			t.Errorf("%v becomes %v, want %v", in, got, want)
		}
	}
}
