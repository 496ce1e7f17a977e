package shift

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseReadsWhatStringWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z][a-zA-Z0-9.-]{0,9}`), 1, 9, rapid.ID).Draw(t, "names")
		var want Shifts
		for _, n := range names {
			want = append(want, Shift{n, rapid.IntRange(-most, most).Draw(t, "by")})
		}
		got, err := Parse(want.String())
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: %v, %v", want, got, err)
		}
		for _, s := range want {
			if got.Of(s.Weight) != s.By {
				t.Errorf("%s: %d", s.Weight, got.Of(s.Weight))
			}
		}
	})
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "want a weight"},
		{"tempo", "want a weight"},
		{"+3", "want a weight"},
		{"tempo+", "want a weight"},
		{"tempo+3x", "want a weight"},
		{"tempo+40000", "want a weight"},
		{"a+1;", "want a weight"},
		{"a+1;b-2;a+3", "a is given twice"},
	} {
		if got, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, %v; want %q", c.text, got, err, c.want)
		}
	}
}

func TestApply(t *testing.T) {
	early, late := []int16{1, 2, math.MaxInt16}, []int16{4, 5, 6}
	w := Weights{func(f int) string { return fmt.Sprint("f", f) }, early, late}
	if err := (Shifts{{"f1.early", 5}, {"f0.late", -9}}).Apply(w); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(early, []int16{1, 7, math.MaxInt16}) || !slices.Equal(late, []int16{-5, 5, 6}) {
		t.Errorf("%v %v", early, late)
	}
	for _, s := range []Shift{{"f3.late", 1}, {"f1", 1}, {"f2.early", 1}} {
		if err := (Shifts{s}).Apply(w); err == nil || !strings.Contains(err.Error(), s.Weight) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
