package samples

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
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
	want := OrderedMap{
		{"name", "x"}, {"exact", []any{true, false}},
		{"search", OrderedMap{{"in_flight", int64(2)}, {"cpuct", 0.1}}}, {"seed", uint64(math.MaxUint64)},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, error %v, want %v", got, err, want)
	}
	text, err := json.Marshal(got)
	if err != nil ||
		string(text) != `{"name":"x","exact":[true,false],"search":{"in_flight":2,"cpuct":0.1},"seed":18446744073709551615}` {
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
	dir := played(t, 5, 2, inOrder...)
	total, shards, err := Inspect(dir)
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
	if c := shards[0].Columns[0]; c.Name != "planes" || c.DType != "u1" || c.Shape[0] != shards[0].Rows {
		t.Errorf("%+v", c)
	}
	if one, _, err := Inspect(filepath.Join(dir, ShardName(2))); err != nil || one.Games != 1 {
		t.Errorf("%+v, error %v", one, err)
	}
	if _, _, err := Inspect("elsewhere"); err == nil {
		t.Error("a directory without a manifest is accepted")
	}
}

// Statistics are what a reader of the rows and games counts.
func TestStatisticsByHand(t *testing.T) {
	games := []Game{
		{Plies: 9, Result: game.FirstWins.String(), Reason: game.Resigned},
		{Plies: 7, Result: game.SecondWins.String(), Reason: game.MoveLimit},
		{Plies: 8, Result: game.Draw.String(), Reason: game.MoveLimit},
		{Plies: 6, Result: game.SecondWins.String(), Reason: game.Proven, Audit: &Audit{Resigns: Nobody}},
		{Plies: 5, Result: game.SecondWins.String(), Reason: game.Proven, Audit: &Audit{Resigns: game.First.String(),
			Ply: 2}},
		{Plies: 5, Result: game.SecondWins.String(), Reason: game.Proven, Audit: &Audit{Resigns: game.Second.String(),
			Ply: 2}},
	}
	rows := []Row{
		{FullSearch: 1, RootQ: -0.5, Outcome: 1, Target: []float32{1, 0}, Counts: []uint32{7, 1}, Proven: ProvenUnknown},
		{FullSearch: 0, RootQ: 0.25, Outcome: 0, Target: []float32{0.5, 0.5}, Counts: []uint32{3, 3}, Proven: ProvenWin},
		{FullSearch: 1, RootQ: 1, Outcome: 1, Target: []float32{0.25, 0.75}, Counts: []uint32{2, 6}, Proven: ProvenLoss},
	}
	all := NewTally()
	for i := range games {
		all.addGame(&games[i])
	}
	for i := range rows {
		all.addRow(&rows[i])
		rows[i].Planes = []uint8{uint8(i / 2)} // the first two are the same input
		all.inputs = append(all.inputs, rows[i].inputSum())
	}
	got := all.Means()
	entropy := (math.Ln2 - 0.25*math.Log(0.25) - 0.75*math.Log(0.75)) / 3
	for name, c := range map[string]struct{ got, want float64 }{
		"plies": {got.MeanPlies, 40.0 / 6}, "|q|": {got.MeanAbsQ, 1.75 / 3}, "error": {got.MeanError, 1.75 / 3},
		"entropy": {got.MeanEntropy, entropy}, "visits": {got.MeanVisits, 22.0 / 3},
	} {
		if math.IsNaN(c.got) || math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if got.Games != 6 || got.Rows != 3 || got.FullRows != 2 || got.First != 1 || got.Second != 4 ||
		got.Draws != 1 || got.ProvenRows != 2 || got.DistinctRows != 2 {
		t.Errorf("%+v", got)
	}
	if got.Audited != 3 || got.WouldResign != 2 || got.FalseResigns != 1 {
		t.Errorf("audited %d, would resign %d, falsely %d; want 3, 2, 1", got.Audited, got.WouldResign, got.FalseResigns)
	}
	if r := got.Reasons; r[string(game.Resigned)] != 1 || r[string(game.MoveLimit)] != 2 || r[string(game.Proven)] != 3 ||
		len(r) != 3 {
		t.Errorf("reasons %v", r)
	}
	if none := NewTally().Means(); none.MeanPlies != 0 || none.MeanAbsQ != 0 || none.MeanEntropy != 0 ||
		none.DistinctRows != 0 {
		t.Errorf("of nothing: %+v", none)
	}
}

// The hash by which equal inputs are told is FNV-1a, over the bytes of the planes and
// the bits of each global.
func TestInputSum(t *testing.T) {
	for _, r := range []Row{{}, {Planes: []uint8{0, 1, 255, 7}}, {Planes: []uint8{9}, Globals: []float32{0}}} {
		h := fnv.New64a()
		h.Write(r.Planes)
		want := h.Sum64()
		for _, g := range r.Globals {
			want = (want ^ uint64(math.Float32bits(g))) * 0x100000001b3
		}
		if got := r.inputSum(); got != want {
			t.Errorf("%+v: %#x, want %#x", r, got, want)
		}
	}
	seen := map[uint64]bool{}
	for i := range uint64(5000) {
		r := Row{Planes: binary.LittleEndian.AppendUint64(nil, i<<20), Globals: []float32{float32(i % 2)}}
		seen[r.inputSum()] = true
	}
	if len(seen) != 5000 {
		t.Errorf("%d of 5000 inputs are told apart", len(seen))
	}
}

// A row whose offsets lead nowhere has no visits.
func TestOffsetsThatLeadNowhere(t *testing.T) {
	for _, offsets := range [][]uint32{{2, 1}, {0, 3}, {math.MaxUint32, 1}} {
		c := &Columns{VisitOffsets: offsets, VisitActions: []uint16{4, 5}}
		if lo, hi := c.visits(0); lo != 0 || hi != 0 {
			t.Errorf("%v: %d to %d", offsets, lo, hi)
		}
	}
	c := &Columns{VisitOffsets: []uint32{1, 2}, VisitActions: []uint16{4, 5}}
	if lo, hi := c.visits(0); lo != 1 || hi != 2 {
		t.Errorf("%d to %d, want 1 to 2", lo, hi)
	}
}
