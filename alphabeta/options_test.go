package alphabeta_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
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
