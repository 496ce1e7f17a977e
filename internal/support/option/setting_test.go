package option

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// holder has a field of each kind.
type holder struct {
	whole  int
	bytes  int64
	single float32
	double float64
	length time.Duration
	truth  bool
	word   string
}

var holderSettings = []Setting[holder]{
	NumVar(Int{Key: "whole", Min: -5, Max: 1000}, func(h *holder) *int { return &h.whole }).As("old", "older"),
	MiBVar(Int{Key: "bytes", Min: 1, Max: 1 << 20}, func(h *holder) *int64 { return &h.bytes }),
	NumVar(Float{Key: "single", Min: -1, Max: 100}, func(h *holder) *float32 { return &h.single }),
	NumVar(Float{Key: "double", Min: -1, Max: 100}, func(h *holder) *float64 { return &h.double }),
	NumVar(Duration{Key: "length", Min: time.Millisecond, Max: time.Hour}, func(h *holder) *time.Duration { return &h.length }),
	BoolVar(Switch("truth", "", false), func(h *holder) *bool { return &h.truth }),
	StringVar(Choice{Key: "word", Words: []string{"a", "b"}}, func(h *holder) *string { return &h.word }),
}

// What a setting writes it reads again as the same value.
func TestSettingsReadWhatTheyWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := holder{
			whole: rapid.IntRange(-5, 1000).Draw(t, "whole"), bytes: rapid.Int64Range(1, 1<<20).Draw(t, "bytes") << 20,
			single: rapid.Float32Range(-1, 100).Draw(t, "single"), double: rapid.Float64Range(-1, 100).Draw(t, "double"),
			length: time.Duration(rapid.Int64Range(1e6, 3600e9).Draw(t, "length")),
			truth:  rapid.Bool().Draw(t, "truth"), word: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "word"),
		}
		var read holder
		for _, s := range holderSettings {
			if err := s.Set(&read, s.Text(&h)); err != nil {
				t.Fatalf("%s: %v", s.Name(), err)
			}
		}
		if read != h || Format(holderSettings, &read) != Format(holderSettings, &h) {
			t.Fatalf("%+v, want %+v", read, h)
		}
	})
}

// A value that is refused changes nothing, and settings are found by every name.
func TestSettingsRefuse(t *testing.T) {
	h := holder{whole: 7, word: "a"}
	before := h
	for _, c := range [][2]string{{"whole", "1001"}, {"bytes", "0"}, {"single", "NaN"}, {"length", "2h"}, {"truth", "yes"}, {"word", "c"}} {
		s, ok := Find(holderSettings, c[0])
		if !ok {
			t.Fatal(c[0])
		}
		if err := s.Set(&h, c[1]); err == nil || h != before {
			t.Errorf("%s=%s: %v, %+v", c[0], c[1], err, h)
		}
	}
	for _, name := range []string{"whole", "old", "older"} {
		if s, ok := Find(holderSettings, name); !ok || s.Name() != "whole" {
			t.Errorf("%s: %v", name, ok)
		}
	}
	if _, ok := Find(holderSettings, "oldest"); ok {
		t.Error("found what is not there")
	}
}

// Settings within another type set the part that they are of.
func TestSettingsWithin(t *testing.T) {
	type outer struct{ inner holder }
	list := Defaulting(Within(Only(holderSettings, "whole", "truth"), func(o *outer) *holder { return &o.inner }), &outer{holder{whole: 9}})
	if keys := Keys(list); len(keys) != 2 || keys[0] != "whole" || DefaultOf(list[0].Option) != "9" {
		t.Fatalf("%v, default %s", keys, DefaultOf(list[0].Option))
	}
	var o outer
	if err := list[0].Set(&o, "12"); err != nil || o.inner.whole != 12 {
		t.Errorf("%v, %+v", err, o)
	}
	if rest := Keys(Without(holderSettings, "whole")); len(rest) != len(holderSettings)-1 || rest[0] != "bytes" {
		t.Errorf("%v", rest)
	}
}
