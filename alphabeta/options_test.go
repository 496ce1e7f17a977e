package alphabeta_test

import (
	"reflect"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/option"
)

// techniques returns options with one technique off each, by the name of its
// field: all fields but the resources.
func techniques() map[string]alphabeta.Options {
	all := map[string]alphabeta.Options{}
	fields := reflect.TypeFor[alphabeta.Options]()
	for i := range fields.NumField() {
		switch name := fields.Field(i).Name; name {
		case "Threads", "TableMiB", "Clock":
		default:
			var o alphabeta.Options
			reflect.ValueOf(&o).Elem().Field(i).SetInt(alphabeta.Off)
			all[name] = o
		}
	}
	return all
}

// specimens run searches in which every technique has something to do.
func specimens(t *testing.T, o alphabeta.Options) []alphabeta.Result {
	board := gametest.NewMNK(6, 6, 5)
	rougher := rough{seed: 11, quiesce: true, margin: 30, extend: true, solver: &greedy{}, share: 60}
	results := []alphabeta.Result{
		search(t, rougher, o, board, alphabeta.Limits{Nodes: 20000}),
		search(t, rough{seed: 13, margin: 60}, o, board, alphabeta.Limits{Depth: 5, Nodes: 40000}),
		search(t, rated{rough{seed: 17, margin: 60}, new(int)}, o, board, alphabeta.Limits{Nodes: 5000}),
		search(t, alphabeta.Plain{}, o.Exhaustive(), gametest.NewMNK(4, 3, 3), alphabeta.Limits{Depth: 12}),
	}
	for seed := range uint64(8) {
		results = append(results, search(t, rough{seed: seed, margin: 40}, o, newTree(seed), alphabeta.Limits{Depth: 18}))
	}
	return results
}

// Each technique does something, and without it the search does not.
func TestEveryTechniqueCounts(t *testing.T) {
	on := specimens(t, alphabeta.Options{})
	for name, o := range techniques() {
		differs := false
		for i, off := range specimens(t, o) {
			differs = differs || off.Stats != on[i].Stats || off.Move != on[i].Move || off.Depth != on[i].Depth
		}
		if !differs {
			t.Errorf("%s off changes nothing", name)
		}
	}
}

// Whatever is off together, lines are legal, wins in one are found, and with
// all that may overlook something off the value is that of minimax.
func TestAnyTechniquesOff(t *testing.T) {
	fields := reflect.TypeFor[alphabeta.Options]()
	rapid.Check(t, func(rt *rapid.T) {
		var o alphabeta.Options
		for name := range techniques() {
			if rapid.Bool().Draw(rt, name) {
				f, _ := fields.FieldByName(name)
				reflect.ValueOf(&o).Elem().FieldByIndex(f.Index).SetInt(alphabeta.Off)
			}
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		pos, depth := game.Position(newTree(seed)), rapid.IntRange(1, 6).Draw(rt, "depth")
		g := rated{rough{seed: seed, quiesce: o.Quiescence.On(), margin: 20, extend: true}, new(int)}
		r := search(t, g, o, pos, alphabeta.Limits{Depth: depth})
		if wins := pos.Wins(nil); (len(wins) > 0) != (r.Score == alphabeta.WinIn(1)) {
			rt.Fatalf("%v, but %v wins at once", r.Score, wins)
		}
		r = search(t, g, o.Exhaustive(), pos, alphabeta.Limits{Depth: depth})
		if want := oracle(t, g, pos, depth); r.Score != want && !early(r, depth) {
			rt.Fatalf("exhaustive: %v at depth %d, want %v", r.Score, depth, want)
		}
	})
}

// rated is a rough game with a Prior of hashes; asked counts the moves that it has
// rated.
type rated struct {
	rough
	asked *int
}

func (g rated) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	parts, err := g.rough.Bind(pos)
	parts.Prior = &roughPrior{g, pos}
	return parts, err
}

type roughPrior struct {
	rated
	pos game.Position
}

func (p *roughPrior) Rate(moves []alphabeta.ScoredMove) {
	*p.asked += len(moves)
	for i := range moves {
		if e := &moves[i]; e.Kind == alphabeta.Quiet {
			h := mix(p.seed+3, p.pos.Hash()^uint64(e.Move))
			e.Hint, e.Behind = int32(h>>40%64), int16(h>>8%(8*alphabeta.BehindUnit))
		}
	}
}

// A Prior orders moves and reduces them, so that it changes nothing of the value of
// an exhaustive search: that is minimax's, whatever the least depth.
func TestPriorIsSound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		asked := 0
		g := rated{rough{seed: rapid.Uint64().Draw(rt, "seed")}, &asked}
		pos := gametest.NewMNK(4, 3, 3)
		for range rapid.IntRange(0, 4).Draw(rt, "plies") {
			if m := rapid.SampledFrom(pos.Moves(nil)).Draw(rt, "move"); pos.Outcome() == game.Undecided {
				pos.Play(m)
			}
		}
		if pos.Outcome() != game.Undecided || len(pos.Wins(nil)) > 0 {
			return
		}
		depth := rapid.IntRange(1, 4).Draw(rt, "depth")
		o := alphabeta.Options{TableMiB: alphabeta.Off,
			PriorDepth: rapid.SampledFrom([]int{alphabeta.Off, 1, 2, 3}).Draw(rt, "prior")}.Exhaustive()
		if got, want := search(t, g, o, pos, alphabeta.Limits{Depth: depth}).Score, oracle(t, g, pos, depth); got != want {
			rt.Fatalf("%v, want %v", got, want)
		}
		if (asked > 0) != (o.PriorDepth > 0) {
			rt.Fatalf("%d moves were rated from depth %d on", asked, o.PriorDepth)
		}
	})
}

// Every field of the options is a technique with a key of its own, or one of the
// resources that are listed here. Its key switches that field off and on, where a game
// leaves it out too, and sets its number; its default is what zero stands for.
func TestEveryTechniqueHasASetting(t *testing.T) {
	known := map[string]bool{"Threads": true, "TableMiB": true, "Clock": true}
	for _, s := range alphabeta.Techniques {
		var o alphabeta.Options
		if err := s.Set(&o, "off"); err != nil {
			t.Fatal(err)
		}
		field := ""
		v := reflect.ValueOf(o)
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				field += v.Type().Field(i).Name
			}
		}
		if _, exists := v.Type().FieldByName(field); !exists || known[field] {
			t.Fatalf("%s sets %q, which is no field or has a key already", s.Name(), field)
		}
		known[field] = true
		if got := v.FieldByName(field).Int(); got != alphabeta.Off || s.Text(&o) != "off" {
			t.Errorf("%s=off gives %d, %q", s.Name(), got, s.Text(&o))
		}
		err := s.Set(&o, "on")
		if got := reflect.ValueOf(o).FieldByName(field).Int(); err != nil || got <= 0 || s.Text(&o) != "on" {
			t.Errorf("%s=on gives %d, %v", s.Name(), got, err)
		}
		if want, got := specimens(t, alphabeta.Options{}), specimens(t, o); !reflect.DeepEqual(got, want) {
			t.Errorf("%s=on is another search than the usual one", s.Name())
		}
		def := option.DefaultOf(s.Option)
		n, err := strconv.Atoi(def)
		if err != nil {
			continue // on
		}
		if err := s.Set(&o, def); err != nil || reflect.ValueOf(o).FieldByName(field).Int() != int64(n) {
			t.Errorf("%s=%s gives %+v, %v", s.Name(), def, o, err)
		}
		if want, got := specimens(t, alphabeta.Options{}), specimens(t, o); !reflect.DeepEqual(got, want) {
			t.Errorf("%s=%s, the default, is another search", s.Name(), def)
		}
	}
	for i := range reflect.TypeFor[alphabeta.Options]().NumField() {
		if name := reflect.TypeFor[alphabeta.Options]().Field(i).Name; !known[name] {
			t.Errorf("Options.%s has no key", name)
		}
	}
}
