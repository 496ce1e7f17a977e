package option

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	workers := Int{Key: "workers", Min: 1, Max: 1024}
	cache := Int{Key: "cache", Unit: "MiB", Min: 1, Max: 10, Zero: "none"}
	lcb := Float{Key: "lcb", Min: -1, Max: 100}
	share := Float{Key: "share", Min: 0.001, Max: 1, Zero: "never"}
	limit := Duration{Key: "time", Min: time.Millisecond, Max: 24 * time.Hour}
	settle := Duration{Key: "settle", Min: time.Millisecond, Max: 90 * time.Minute, Zero: "off"}
	for _, c := range []struct {
		o    Option
		text string
		want string // the error; "": none
	}{
		{workers, "1", ""}, {workers, "1024", ""}, {workers, "007", ""},
		{workers, "0x10", "want 1..1024"}, {workers, "1_000", "want 1..1024"},
		{lcb, "0x1p4", "want -1..100"}, {Seed{}, "0x10", "want 0..18446744073709551615"},
		{workers, "0", "want 1..1024"}, {workers, "1025", "want 1..1024"}, {workers, "-1", "want 1..1024"},
		{workers, "9223372036854775807", "want 1..1024"}, {workers, "-9223372036854775809", "want 1..1024"},
		{workers, strings.Repeat("9", 400), "want 1..1024"},
		{workers, "many", "want 1..1024"}, {workers, "", "want 1..1024"},
		{workers, "1.5", "want 1..1024"}, {workers, "NaN", "want 1..1024"},
		{cache, "0", ""}, {cache, "11", "want 1..10 MiB, or 0: none"}, {cache, "-1", "want 1..10 MiB, or 0: none"},
		{lcb, "-0.5", ""}, {lcb, "100", ""}, {lcb, "NaN", "want -1..100"}, {lcb, "Inf", "want -1..100"},
		{lcb, "1e999", "want -1..100"},
		{lcb, "x", "want -1..100"},
		{share, "0", ""}, {share, "0.0001", "want 0.001..1, or 0: never"},
		{limit, "1.5s", ""}, {limit, "24h", ""}, {limit, "25h", "want 1ms..24h"}, {limit, "0", "want 1ms..24h"},
		{limit, "-1s", "want 1ms..24h"},
		{limit, "5", "want 1ms..24h"},
		{limit, "9999999999h", "want 1ms..24h"},
		{settle, "0s", ""}, {settle, "2h", "want 1ms..1h30m, or 0: off"},
		{Seed{}, "18446744073709551615", ""}, {Seed{}, "18446744073709551616", "want 0..18446744073709551615"},
		{Seed{}, "-1", "want 0..18446744073709551615"},
		{Switch("x", "", true), "true", ""}, {Switch("x", "", true), "1", "want true or false"},
		{Technique{Default: 4}, "on", ""}, {Technique{Default: 4}, "off", ""}, {Technique{Default: 4}, "1000000", ""},
		{Technique{Default: 4}, "0", "want 1..1000000, on or off"},
		{Technique{Default: 4}, "-1", "want 1..1000000, on or off"},
		{Technique{Default: 4}, "", "want 1..1000000, on or off"},
		{Technique{}, "on", ""}, {Technique{}, "2", "want on or off"}, {Technique{}, "", "want on or off"},
		{Text{Sample: "NAME"}, "a", ""}, {Text{Sample: "NAME"}, "", "want NAME"},
	} {
		got := ""
		if err := c.o.Check(c.text); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.o.Name(), c.text, got, c.want)
		}
	}
}

// Every number that Parse accepts lies in the range, and all of the range is
// accepted.
func TestIntRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Int64().Draw(t, "low")
		high := rapid.Int64Min(low).Draw(t, "high")
		n := rapid.Int64().Draw(t, "n")
		o := Int{Min: low, Max: high}
		got, err := o.Parse(strconv.FormatInt(n, 10))
		if inside := n >= low && n <= high; inside != (err == nil) || inside && got != n {
			t.Fatalf("%d in %s: %d, %v", n, o.Range(), got, err)
		}
	})
}

// All ranges are stated so that their ends can be given and their default is
// one of the values, or stands for none.
func TestRangesMakeSense(t *testing.T) {
	for _, o := range []Int{
		BoardSize, Captured, OpeningPlies, GamePlies, Playouts, Visits, Nodes, Depth, Lines, Deeper, InFlight,
		TreeMemory, EngineMemory, Table, Cache, Threads, SearchThreads, Workers, Batch, AtOnce, Games,
		GamesPerShard, Rounds, Count,
	} {
		if o.Min > o.Max || o.Key == "" || o.Help == "" || o.Default != 0 && o.Holds(o.Default) != nil {
			t.Errorf("%+v", o)
		}
		if o.Max > 1_000_000_000_000 {
			t.Errorf("%s: no bound worth its name: %d", o.Key, o.Max)
		}
	}
}

// A sum that no 64 bits can hold is refused, and so is one that is a byte over.
func TestMemory(t *testing.T) {
	var m Memory
	m.Add("--a 3", 1<<20, 3)
	m.Add("", 5)
	if err := m.Check(3<<20 + 5); err != nil {
		t.Errorf("a sum that fits: %v", err)
	}
	err := m.Check(3<<20 + 4)
	if err == nil || !strings.Contains(err.Error(), "--a 3: together") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	m.Add("--b 2", 1<<40, math.MaxInt32, math.MaxInt32)
	if err := m.Check(math.MaxInt64 - 1); err == nil {
		t.Error("a sum of 102 bits fits")
	}
	if n := Machine(); n < 1<<28 {
		t.Errorf("the machine has %d bytes", n)
	}
}

// A step is what was declared, else a tenth of the default, of whole numbers 1 or
// more; a fraction without a default has a hundredth of its range.
func TestSteps(t *testing.T) {
	for i, c := range []struct {
		o    Numeric
		want float64
	}{
		{Int{Default: 40, Max: 1000, Step: 7}, 7}, {Int{Default: 40, Max: 1000}, 4}, {Int{Default: 2, Max: 9}, 1},
		{Int{Default: -40, Min: -90}, 4}, {Int{Max: 1000}, 0},
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
	NumVar(Duration{
		Key: "length", Min: time.Millisecond, Max: time.Hour,
	}, func(h *holder) *time.Duration { return &h.length }),
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
	for _, c := range [][2]string{
		{"whole", "1001"}, {"bytes", "0"}, {"single", "NaN"}, {"length", "2h"}, {"truth", "yes"}, {"word", "c"},
	} {
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
	list := Defaulting(Within(Only(holderSettings, "whole", "truth"), func(o *outer) *holder { return &o.inner }),
		&outer{holder{whole: 9}})
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
