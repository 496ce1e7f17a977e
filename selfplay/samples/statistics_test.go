package samples

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"github.com/carozero/carozero/game"
)

// Statistics are what a reader of the rows and games counts, and those of two shards
// what they are of both.
func TestStatisticsByHand(t *testing.T) {
	games := []Game{
		{Plies: 9, Result: game.FirstWins.String(), Reason: game.Resigned},
		{Plies: 7, Result: game.SecondWins.String(), Reason: game.MoveLimit},
		{Plies: 8, Result: game.Draw.String(), Reason: game.MoveLimit},
		{Plies: 6, Result: game.SecondWins.String(), Reason: game.Proven, Audit: &Audit{Resigns: Nobody}},
		{Plies: 5, Result: game.SecondWins.String(), Reason: game.Proven, Audit: &Audit{Resigns: game.First.String(), Ply: 2}},
		{Plies: 5, Result: game.SecondWins.String(), Reason: game.Proven, Audit: &Audit{Resigns: game.Second.String(), Ply: 2}},
	}
	rows := []Row{
		{FullSearch: 1, RootQ: -0.5, Outcome: 1, Target: []float32{1, 0}, Counts: []uint32{7, 1}, Proven: ProvenUnknown},
		{FullSearch: 0, RootQ: 0.25, Outcome: 0, Target: []float32{0.5, 0.5}, Counts: []uint32{3, 3}, Proven: ProvenWin},
		{FullSearch: 1, RootQ: 1, Outcome: 1, Target: []float32{0.25, 0.75}, Counts: []uint32{2, 6}, Proven: ProvenLoss},
	}
	one, two := newTally(), newTally()
	one.Shards, two.Shards, one.Bytes, two.Bytes = 1, 1, 100, 11
	for i := range games {
		[]*tally{one, two}[i%2].addGame(&games[i])
	}
	for i := range rows {
		to := []*tally{one, two}[i%2]
		to.addRow(&rows[i])
		rows[i].Planes = []uint8{uint8(i / 2)} // the first two are the same input
		to.inputs = append(to.inputs, rows[i].inputSum())
	}
	all := newTally()
	all.merge(one)
	all.merge(two)
	got := all.statistics()
	entropy := (math.Ln2 - 0.25*math.Log(0.25) - 0.75*math.Log(0.75)) / 3
	for name, c := range map[string]struct{ got, want float64 }{
		"plies": {got.MeanPlies, 40.0 / 6}, "|q|": {got.MeanAbsQ, 1.75 / 3}, "error": {got.MeanError, 1.75 / 3},
		"entropy": {got.MeanEntropy, entropy}, "visits": {got.MeanVisits, 22.0 / 3},
	} {
		if math.IsNaN(c.got) || math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if got.Shards != 2 || got.Bytes != 111 || got.Games != 6 || got.Rows != 3 || got.FullRows != 2 || got.First != 1 || got.Second != 4 ||
		got.Draws != 1 || got.ProvenRows != 2 || got.DistinctRows != 2 {
		t.Errorf("%+v", got)
	}
	if got.Audited != 3 || got.WouldResign != 2 || got.FalseResigns != 1 {
		t.Errorf("audited %d, would resign %d, falsely %d; want 3, 2, 1", got.Audited, got.WouldResign, got.FalseResigns)
	}
	if r := got.Reasons; r[string(game.Resigned)] != 1 || r[string(game.MoveLimit)] != 2 || r[string(game.Proven)] != 3 || len(r) != 3 {
		t.Errorf("reasons %v", r)
	}
	if none := newTally().statistics(); none.MeanPlies != 0 || none.MeanAbsQ != 0 || none.MeanEntropy != 0 || none.DistinctRows != 0 {
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
