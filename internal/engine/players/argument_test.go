package players

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/support/option"
)

// The ranges are stated once; what they have to fit is stated elsewhere.
func TestRangesFitWhatTheyBound(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"depth", option.Depth.Max, alphabeta.MaxDepth},
		{"smallest board", option.BoardSize.Min, gomoku.MinSize},
		{"largest board", option.BoardSize.Max, gomoku.MaxSize},
		{"cells", option.Lines.Max, gomoku.MaxSize * gomoku.MaxSize},
		{"opening", option.OpeningPlies.Max, gomoku.MaxSize * gomoku.MaxSize},
		{"in flight", option.InFlight.Max, games.MaxInFlight},
		{"default size", option.BoardSize.Default, games.DefaultSize},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
}

// A side may have captured as many stones as the rules let a board say, and no
// more.
func TestTheRangeOfCaptures(t *testing.T) {
	rules, err := gomoku.Lookup("school42")
	if err != nil {
		t.Fatal(err)
	}
	setup := gomoku.Setup{Stones: make([]gomoku.Stone, 81)}
	for n, good := range map[int]bool{int(option.Captured.Max): true, int(option.Captured.Max) + 2: false} {
		setup.Captured[0] = n
		if _, err := gomoku.NewSetup(rules, 9, setup); (err == nil) != good {
			t.Errorf("%d stones: %v", n, err)
		}
	}
}

// hostile are values that no number of a description may choke on.
var hostile = []string{
	"0", "-1", "1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1000000000000000000",
	"1000000000000", "NaN", "Inf", "-Inf", "1e400", "1e18", "x", "1e18s", "9223372036854775807ns", "-1s", "0s", "0+0", "1e18+1", "NaN+NaN",
	"on", "off", "true", "false", "\x00", "1 2", strings.Repeat("9", 1000),
}

// Whatever is given for a key, its description is read without a panic and
// without taking memory, or refused in one line that names the key.
func TestEveryKeyOfEveryDescription(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for kind, base := range map[PlayerKind]string{MCTS: "mcts:", AlphaBeta: "alphabeta:", Exec: "exec:x:"} {
		options := PlayerOptions(kind)
		if len(options) < 5 {
			t.Fatalf("%s has %d options", kind, len(options))
		}
		for _, o := range options {
			for _, value := range hostile {
				checkDescription(t, v, base+o.Name()+"="+value, o.Name())
			}
		}
	}
}

// parsePlayer reads a description and its options.
func parsePlayer(text string) (PlayerSpec, error) {
	spec, err := ParseSpec(text)
	if err != nil {
		return PlayerSpec{}, err
	}
	return ParsePlayer(spec)
}

func checkDescription(t *testing.T, v games.Variant, text, key string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	spec, err := ParseSpec(text)
	var player PlayerSpec
	if err == nil {
		player, err = ParsePlayer(spec)
	}
	if err == nil {
		err = CheckPlayers(v, []PlayerSpec{player, player}, 1024, 1<<20, nil)
		if err != nil && strings.Contains(err.Error(), "together") {
			err = nil
		}
	}
	if fixed := err; fixed == nil {
		switch spec.Kind {
		case MCTS:
			_, fixed = ParseFixedTree(spec)
		case AlphaBeta:
			_, _, fixed = ParseFixedClassical(spec)
		}
		if fixed != nil && (strings.Contains(fixed.Error(), "\n") || !strings.Contains(fixed.Error(), key)) {
			t.Errorf("%s, fixed: error %q, want one line that names %s", text, fixed, key)
		}
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("%s takes %d bytes", text, taken)
	}
	if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), key) && !strings.Contains(err.Error(), "control characters")) {
		t.Errorf("%s: error %q, want one line that names %s", text, err, key)
	}
}

// Both ends of every range are read, and what lies beyond them is refused.
func TestRangesOfDescriptions(t *testing.T) {
	for kind, base := range map[PlayerKind]string{MCTS: "mcts:playouts=9,", AlphaBeta: "alphabeta:", Exec: "exec:x:"} {
		for _, o := range PlayerOptions(kind) {
			bounds, _, _ := strings.Cut(o.Range(), ",")
			bounds = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(bounds, " MiB"), "on|"), "off|")
			low, high, ranged := strings.Cut(bounds, "..")
			if !ranged {
				continue
			}
			for text, good := range map[string]bool{low: true, high: true, high + "0": false, "-" + high + "0": false} {
				description := base + o.Name() + "=" + text
				if o.Name() == "playouts" {
					description = "mcts:playouts=" + text
				}
				_, err := parsePlayer(description)
				if (err == nil) != good {
					t.Errorf("%s: %v, want good %t", description, err, good)
				}
			}
		}
	}
}

// The help names every key with its range, in lines that a terminal shows.
func TestPlayerHelp(t *testing.T) {
	help := PlayerHelp(80)
	for _, kind := range []PlayerKind{MCTS, AlphaBeta, Exec} {
		for _, o := range PlayerOptions(kind) {
			if !strings.Contains(help, "\n  "+o.Name()+" ") {
				t.Errorf("%s: the help has no line that begins with the word %s", kind, o.Name())
			}
		}
	}
	for line := range strings.SplitSeq(help, "\n") {
		if len(line) > 80 || line != strings.TrimRight(line, " ") {
			t.Errorf("line %q", line)
		}
	}
}

// A description without arguments means the defaults that the help names.
func TestDefaultsOfDescriptions(t *testing.T) {
	setup := newTreeSetup()
	for _, a := range treeArguments {
		if want := option.DefaultOf(a.Option); want != "" && want != a.Text(&setup) {
			t.Errorf("%s: the default is %s, the help says %s", a.Name(), a.Text(&setup), want)
		}
	}
}

// Players that the machine has no memory for are refused before they are made.
func TestCheckPlayers(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text           string
		workers, cache int
		good           bool
	}{
		{"mcts:playouts=400", 2, 64, true},
		{"alphabeta:nodes=100", 2, 0, true},
		{"alphabeta:table=262144", 1024, 0, false},
		{"mcts:time=1s,memory=32768", 1024, 0, false},
		{"alphabeta:threads=256", 1024, 0, false},
		{"mcts:playouts=400", 1, 1 << 20, option.Machine() > 1<<40},
	} {
		spec, err := parsePlayer(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckPlayers(v, []PlayerSpec{spec}, c.workers, c.cache, nil); (err == nil) != c.good || err != nil && strings.Contains(err.Error(), "--") {
			t.Errorf("%s with %d workers and a cache of %d MiB: %v", c.text, c.workers, c.cache, err)
		}
		err = CheckPlayers(v, []PlayerSpec{spec}, c.workers, c.cache, func(key string) string { return "<" + key + ">" })
		if want := fmt.Sprintf("<workers> %d, ", c.workers); !c.good && (!strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("<cache> %d: together", c.cache))) {
			t.Errorf("%v, want %q and the cache", err, want)
		}
	}
}

// FuzzDescriptions reads any description and what it asks for.
func FuzzDescriptions(f *testing.F) {
	for _, seed := range []string{
		"mcts:playouts=400,model=uniform,solver=0", "mcts:visits=9,memory=1,lcb=-1,temperature=0.5", "alphabeta:nodes=5,rfp=off,lmr=80,table=1",
		"alphabeta:level=easy", "alphabeta:tc=60+0.5,threads=4", `exec:"a b" c:nodes=9,memory=5,time=1s`, "mcts:playouts=1e9", "mcts:time=99999999h",
	} {
		f.Add(seed)
	}
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := parsePlayer(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Fatalf("%q: error %q", text, err)
			}
			return
		}
		if err := CheckPlayers(v, []PlayerSpec{spec}, 1024, 0, nil); err != nil && !strings.Contains(err.Error(), "together") {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := parsePlayer(spec.String())
		if err != nil || !reflect.DeepEqual(again, spec) {
			t.Fatalf("%q is written %q: %v", text, spec, err)
		}
	})
}
