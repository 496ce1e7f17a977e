package samples

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestPackPlanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.IntRange(1, 40).Draw(t, "cells")
		planes := rapid.IntRange(0, 4).Draw(t, "planes")
		in := rapid.SliceOfN(rapid.SampledFrom([]float32{0, 1}), cells*planes, cells*planes).Draw(t, "in")
		out := PackPlanes([]byte{7}, in, cells)
		if len(out) != 1+planes*packedLen(cells) || out[0] != 7 {
			t.Fatalf("%d bytes", len(out))
		}
		for i, v := range in {
			b := out[1+i/cells*packedLen(cells):]
			if Bit(b, i%cells) != (v == 1) {
				t.Fatalf("bit %d is not %v", i, v)
			}
		}
	})
	if got := PackPlanes(nil, []float32{1, 0, 0, 0, 0, 0, 0, 1, 1}, 9); got[0] != 0x81 || got[1] != 0x80 {
		t.Errorf("%x, want 8180: the first cell is the highest bit", got)
	}
}

func TestFieldsOf(t *testing.T) {
	type inner struct {
		InFlight int
		CPUCT    float32
	}
	type outer struct {
		Name   string
		Exact  [2]bool
		Search inner
		Seed   uint64
		Clock  func()
		Hidden int `sample:"-"`
		local  int
	}
	v := outer{Name: "x", Exact: [2]bool{true, false}, Search: inner{2, 0.1}, Seed: math.MaxUint64, local: 1}
	got, err := FieldsOf(v)
	want := Fields{
		{"name", "x"}, {"exact", []any{true, false}},
		{"search", Fields{{"in_flight", int64(2)}, {"cpuct", 0.1}}}, {"seed", uint64(math.MaxUint64)},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, error %v, want %v", got, err, want)
	}
	text, err := json.Marshal(got)
	if err != nil || string(text) != `{"name":"x","exact":[true,false],"search":{"in_flight":2,"cpuct":0.1},"seed":18446744073709551615}` {
		t.Errorf("%s, error %v", text, err)
	}
	if _, err := FieldsOf(struct{ C chan int }{}); err == nil {
		t.Error("a channel is recorded")
	}
}

func TestSnake(t *testing.T) {
	for in, want := range map[string]string{
		"InFlight": "in_flight", "FPUReduction": "fpu_reduction", "CInit": "c_init",
		"RootFPUReduction": "root_fpu_reduction", "SHA256": "sha256", "A": "a",
	} {
		if got := snake(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestGameSeeds(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(30) {
		for id := range uint64(300) {
			seen[GameSeed(seed*1e9, id)] = true
		}
	}
	if len(seen) != 9000 {
		t.Errorf("%d seeds for 9000 games", len(seen))
	}
}

func TestVisitTarget(t *testing.T) {
	target := make([]float32, 3)
	VisitTarget(target, []uint32{1, 0, 3})
	if target[0] != 0.25 || target[1] != 0 || target[2] != 0.75 {
		t.Errorf("%v", target)
	}
	VisitTarget(target[:1], []uint32{0})
	if target[0] != 1 {
		t.Errorf("%v for a proven move without visits", target[0])
	}
}

func TestInspect(t *testing.T) {
	m := newMemFS()
	w, err := Create(m, "run", testRun(5, 2), standStill)
	if err == nil {
		err = writeAll(w, inOrder)
	}
	if err != nil {
		t.Fatal(err)
	}
	total, shards, err := Inspect(m, "run")
	if err != nil || total.Shards != 3 || total.Games != 5 || len(shards) != 3 {
		t.Fatalf("%+v, error %v", total, err)
	}
	rows, plies, absQ := 0, 0, 0.0
	for id := range uint64(5) {
		r := testRecord(id)
		rows += r.Rows.Rows
		plies += r.Game.Plies
		for _, q := range r.Rows.RootQ {
			absQ += math.Abs(float64(q))
		}
	}
	if total.Rows != rows || total.First+total.Second+total.Draws != 5 || total.MeanPlies != float64(plies)/5 {
		t.Errorf("%+v, want %d rows, %d plies", total, rows, plies)
	}
	if math.Abs(total.MeanAbsQ-absQ/float64(rows)) > 1e-9 || total.MeanEntropy <= 0 || total.DistinctRows > rows {
		t.Errorf("%+v", total)
	}
	twice, _, err := Inspect(m, "run", "run")
	if err != nil || twice.Rows != 2*total.Rows || twice.DistinctRows != total.DistinctRows {
		t.Errorf("error %v, %d of %d rows differ in a run named twice, %d of %d in it alone", err, twice.DistinctRows, twice.Rows, total.DistinctRows, total.Rows)
	}
	if c := shards[0].Columns[0]; c.Name != "planes" || c.DType != "u1" || c.Shape[0] != shards[0].Rows {
		t.Errorf("%+v", c)
	}
	if one, _, err := Inspect(m, "run/"+ShardName(2)); err != nil || one.Games != 1 {
		t.Errorf("%+v, error %v", one, err)
	}
	if _, _, err := Inspect(m, "elsewhere"); err == nil {
		t.Error("a directory without a manifest is accepted")
	}
}
