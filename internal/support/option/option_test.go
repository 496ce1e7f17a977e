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
		{workers, "1", ""}, {workers, "1024", ""}, {workers, "0x10", ""}, {workers, "1_000", ""}, {workers, "007", ""},
		{workers, "0", "want 1..1024"}, {workers, "1025", "want 1..1024"}, {workers, "-1", "want 1..1024"},
		{workers, "9223372036854775807", "want 1..1024"}, {workers, "-9223372036854775809", "want 1..1024"},
		{workers, strings.Repeat("9", 400), "want 1..1024"},
		{workers, "many", "want a whole number, 1..1024"}, {workers, "", "want a whole number, 1..1024"},
		{workers, "1.5", "want a whole number, 1..1024"}, {workers, "NaN", "want a whole number, 1..1024"},
		{cache, "0", ""}, {cache, "11", "want 1..10 MiB, or 0: none"}, {cache, "-1", "want 1..10 MiB, or 0: none"},
		{lcb, "-0.5", ""}, {lcb, "100", ""}, {lcb, "NaN", "want -1..100"}, {lcb, "Inf", "want -1..100"}, {lcb, "1e999", "want -1..100"},
		{lcb, "x", "want a number, -1..100"},
		{share, "0", ""}, {share, "0.0001", "want 0.001..1, or 0: never"},
		{limit, "1.5s", ""}, {limit, "24h", ""}, {limit, "25h", "want 1ms..24h"}, {limit, "0", "want 1ms..24h"}, {limit, "-1s", "want 1ms..24h"},
		{limit, "5", "want a duration with its unit, as in 200ms or 1.5s, 1ms..24h"},
		{limit, "9999999999h", "want a duration with its unit, as in 200ms or 1.5s, 1ms..24h"},
		{settle, "0s", ""}, {settle, "2h", "want 1ms..1h30m, or 0: off"},
		{Seed{}, "18446744073709551615", ""}, {Seed{}, "18446744073709551616", "want 0..18446744073709551615"}, {Seed{}, "-1", "want 0..18446744073709551615"},
		{Switch("x", "", true), "true", ""}, {Switch("x", "", true), "1", "want true or false"},
		{Technique{Default: 4}, "on", ""}, {Technique{Default: 4}, "off", ""}, {Technique{Default: 4}, "1000000", ""},
		{Technique{Default: 4}, "0", "want 1..1000000, on or off"}, {Technique{Default: 4}, "-1", "want 1..1000000, on or off"},
		{Technique{Default: 4}, "", "want a whole number, 1..1000000, on or off"},
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
		BoardSize, Captured, OpeningPlies, GamePlies, Playouts, Visits, Nodes, SolverNodes, Depth, Lines, Deeper, InFlight,
		TreeMemory, EngineMemory, Table, Cache, Threads, SearchThreads, Workers, AtOnce, Batch, Games,
		GameNumber, GamesPerShard, Rounds, Count,
	} {
		if o.Min > o.Max || o.Key == "" || o.Help == "" || o.Default != 0 && o.Holds(o.Default) != nil {
			t.Errorf("%+v", o)
		}
		if o.Max > 1_000_000_000_000 {
			t.Errorf("%s: no bound worth its name: %d", o.Key, o.Max)
		}
	}
	for _, o := range []Float{Temperature, HalfLife, Share, Percentage, FullShare, CheapWeight, Resign, ResignAudit, Straying, LearningRate, EloDifference} {
		if !(o.Min < o.Max) || o.Key == "" || o.Help == "" {
			t.Errorf("%+v", o)
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
	m.Add("--c 1", 1<<40, 1)
	if err := m.Check(math.MaxInt64 - 1); err == nil || !strings.Contains(err.Error(), "more than can be counted") {
		t.Errorf("error %v", err)
	}
	if n := Machine(); n < 1<<28 {
		t.Errorf("the machine has %d bytes", n)
	}
}
