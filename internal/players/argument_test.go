package players

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
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

// parsePlayer reads a description and its options.
func parsePlayer(text string) (PlayerSpec, error) {
	spec, err := ParseSpec(text)
	if err != nil {
		return PlayerSpec{}, err
	}
	return ParsePlayer(spec)
}

// The help names every key with its range, in lines that a terminal shows.
func TestPlayerHelp(t *testing.T) {
	help := PlayerHelp(80)
	for _, kind := range kinds {
		for _, o := range kind.setup.arguments() {
			if !strings.Contains(help, "\n  "+o.Name()+" ") {
				t.Errorf("%s the help has no line that begins with the word %s", kind.about, o.Name())
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
	setup := newTree()
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
		if err := CheckPlayers(v, []PlayerSpec{spec}, c.workers, c.cache, nil); (err == nil) != c.good || err != nil &&
			strings.Contains(err.Error(), "--") {
			t.Errorf("%s with %d workers and a cache of %d MiB: %v", c.text, c.workers, c.cache, err)
		}
		err = CheckPlayers(v, []PlayerSpec{spec}, c.workers, c.cache, func(key string) string { return "<" + key + ">" })
		if want := fmt.Sprintf("<workers> %d, ", c.workers); !c.good &&
			(!strings.HasPrefix(err.Error(), want) ||
				!strings.Contains(err.Error(), fmt.Sprintf("<cache> %d: together", c.cache))) {
			t.Errorf("%v, want %q and the cache", err, want)
		}
	}
}

// FuzzDescriptions reads any description and what it asks for.
func FuzzDescriptions(f *testing.F) {
	for _, seed := range []string{
		"mcts:playouts=400,model=uniform,solver=0", "mcts:visits=9,memory=1,lcb=-1,temperature=0.5",
		"alphabeta:nodes=5,rfp=off,lmr=80,table=1",
		"alphabeta:level=easy", "alphabeta:tc=60+0.5,threads=4", `exec:"a b" c:nodes=9,memory=5,time=1s`,
		"mcts:playouts=1e9", "mcts:time=99999999h", `exec:C:\x "\\" "\""`, `mcts:a="\x",b=c"d"e`,
	} {
		f.Add(seed)
	}
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		written, err := ParseSpec(text)
		if err == nil {
			again, err := ParseSpec(written.String())
			if err != nil || !reflect.DeepEqual(again, written) {
				t.Fatalf("%q is written %q and read as %+v (%v), want %+v", text, written, again, err, written)
			}
		}
		spec, err := parsePlayer(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Fatalf("%q: error %q", text, err)
			}
			return
		}
		if err := CheckPlayers(v, []PlayerSpec{spec}, 1024, 0, nil); err != nil &&
			!strings.Contains(err.Error(), "together") {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

func describedPlayer(t *testing.T, text string) PlayerSpec {
	t.Helper()
	p, err := parsePlayer(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A number's value is what the description says under any of its names, or the
// default of the search, also where that is called "on".
func TestNumbersOfPlayers(t *testing.T) {
	gomoku := enginetest.Variant(t, games.VariantOptions{})
	for _, c := range []struct {
		player, key string
		want        Number
	}{
		{"mcts:playouts=9", "cpuct", Number{Key: "cpuct", Value: 1.25}},
		{"mcts:cpuct=3", "cpuct", Number{Key: "cpuct", Value: 3}},
		{"mcts:ptemp=1.5", "policy-temperature", Number{Key: "policy-temperature", Value: 1.5}},
		{"mcts:solver=70", "solver", Number{Key: "solver-leaf", Value: 70}},
		{"alphabeta:nodes=9", "lmr", Number{Key: "lmr", Value: 100}},
		{"alphabeta:nodes=9,rfp=3", "rfp", Number{Key: "rfp", Value: 3}},
	} {
		n, err := describedPlayer(t, c.player).Number(c.key, gomoku)
		if err != nil || n.Key != c.want.Key || n.Value != c.want.Value || n.Step <= 0 || n.Whole && n.Step < 1 ||
			!(n.Min < n.Max) {
			t.Errorf("%s, %s: %+v, %v; want %+v", c.player, c.key, n, err, c.want)
		}
	}
}

// Every number that is offered can be tuned, from its default or from a value that
// stands in place of a special one, and a player with the value is one.
func TestEveryOfferedNumberCanBeSet(t *testing.T) {
	gomoku := enginetest.Variant(t, games.VariantOptions{})
	for _, text := range []string{"mcts:playouts=9", "alphabeta:nodes=9"} {
		p := describedPlayer(t, text)
		if len(p.Numbers()) < 8 {
			t.Errorf("%s: only %v", text, p.Numbers())
		}
		for _, key := range p.Numbers() {
			q, err := p.With(key, "1")
			if err != nil {
				t.Errorf("%s: %v", key, err)
				continue
			}
			if n, err := q.Number(key, gomoku); err != nil || n.Value != 1 {
				t.Errorf("%s=1: %+v, %v", key, n, err)
			}
		}
	}
}

func TestAnotherValueReplacesAllNames(t *testing.T) {
	p, err := describedPlayer(t, "mcts:solver=70,playouts=9").With("solver-leaf", "80")
	if err != nil || p.String() != "mcts:playouts=9,solver-leaf=80" {
		t.Errorf("%s, %v", p, err)
	}
}

// What is no number, or cannot be compared or repeated, is refused in one line that
// names it.
func TestRefusedNumbers(t *testing.T) {
	gomoku := enginetest.Variant(t, games.VariantOptions{})
	for _, c := range []struct{ player, key, want string }{
		{"mcts:playouts=9", "cput", "cpuct"},
		{"mcts:playouts=9", "reuse", "no number"},
		{"mcts:playouts=9", "playouts", "no number"},
		{"alphabeta:nodes=9", "scout", "no number"},
		{"alphabeta:nodes=9,lmr=off", "lmr", "number to start from"},
		{"mcts:solver-replies=0", "solver-replies", "number to start from"},
	} {
		_, err := describedPlayer(t, c.player).Number(c.key, gomoku)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, %s: %v, want %q", c.player, c.key, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"mcts:time=1s": "clock", "alphabeta:nodes=9,threads=2": "threads=2",
		"exec:true":       "mcts or alphabeta",
		"mcts:playouts=9": "",
	} {
		err := describedPlayer(t, text).Repeatable()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if keys := describedPlayer(t, "mcts:playouts=9").Numbers(); slices.Contains(keys, "memory") {
		t.Errorf("%v", keys)
	}
}

// A technique that is not set starts as the game has it, and cannot start where the game
// leaves it out.
func TestNumbersOfTechniquesByGame(t *testing.T) {
	onitama := enginetest.Variant(t, games.VariantOptions{Game: games.Onitama})
	p := describedPlayer(t, "alphabeta:nodes=9")
	if n, err := p.Number("lmr", onitama); err != nil || n.Value != 170 {
		t.Errorf("lmr %+v, %v", n, err)
	}
	if n, err := p.Number("rfp", onitama); err == nil {
		t.Errorf("rfp %+v", n)
	}
	set, err := p.With("rfp", "on")
	if n, failed := set.Number("rfp", onitama); err != nil || failed != nil || n.Value != 6 {
		t.Errorf("%s: rfp %+v, %v, %v", set, n, err, failed)
	}
}
