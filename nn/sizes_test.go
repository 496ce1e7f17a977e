package nn

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Sizes are written as a card's reader reads them: neighbours as a range, two of them
// included, one alone as itself.
func TestFormatSizes(t *testing.T) {
	for _, c := range []struct {
		sizes        []int
		want, spoken string
	}{
		{nil, "", ""},
		{[]int{15}, "15", "15x15"},
		{[]int{9, 10}, "9-10", "9x9 to 10x10"},
		{[]int{9, 11}, "9,11", "9x9, 11x11"},
		{[]int{9, 10, 11, 15, 19, 20}, "9-11,15,19-20", "9x9 to 11x11, 15x15, 19x19 to 20x20"},
	} {
		if got := FormatSizes(c.sizes); got != c.want {
			t.Errorf("%v: %q, want %q", c.sizes, got, c.want)
		}
		if got := boards(c.sizes); got != c.spoken {
			t.Errorf("%v: %q, want %q", c.sizes, got, c.spoken)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SliceOfNDistinct(rapid.IntRange(5, 22), 1, 10, rapid.ID).Draw(t, "sizes")
		slices.Sort(set)
		m, err := ParseMetadata(map[string]string{"carozero.planes": "p", "carozero.sizes": FormatSizes(set)})
		if err != nil || !slices.Equal(m.Sizes, set) {
			t.Errorf("%v is read as %v, %v", set, m.Sizes, err)
		}
	})
}
