package dataset

import (
	"slices"

	"github.com/carozero/carozero/selfplay/samples"
)

// table is a shard's rows and games on their way into files.
type table struct {
	shard  *samples.Shard
	number int // of the shard in the export
	arrays []samples.Array
}

// offsets is the column that says which entries of the sparse columns are a row's.
const offsets = "visit_offsets"

// sparse reports whether a column has entries between a row's offsets.
func sparse(name string) bool {
	return name == "visit_actions" || name == "visit_counts" || name == "policy_target"
}

// unpack puts a byte for each bit of planes and legal actions: planes
// [rows, planes, height, width], legal [rows, actions].
func (t *table) unpack(height, width, actions int) {
	for i := range t.arrays {
		a := &t.arrays[i]
		switch a.Name {
		case "planes":
			planes := a.Shape[1]
			a.Data = unpackBits(a.Data.([]uint8), a.Shape[2], height*width)
			a.Shape = []int{a.Shape[0], planes, height, width}
		case "legal":
			a.Data = unpackBits(a.Data.([]uint8), a.Shape[1], actions)
			a.Shape = []int{a.Shape[0], actions}
		}
	}
}

// unpackBits returns the first bits of each group of so many bytes as a byte each.
func unpackBits(packed []uint8, bytes, bits int) []uint8 {
	out := make([]uint8, 0, len(packed)/max(bytes, 1)*bits)
	for group := range slices.Chunk(packed, max(bytes, 1)) {
		for i := range bits {
			bit := uint8(0)
			if samples.Bit(group, i) {
				bit = 1
			}
			out = append(out, bit)
		}
	}
	return out
}

// columns describes the columns as the index has them.
func (t *table) columns(kind Kind) []Column {
	var list []Column
	if kind == Parquet {
		list = append(list, Column{"shard", "<u4", []any{"rows"}})
	}
	for _, a := range t.arrays {
		shape := []any{"rows"}
		for _, n := range a.Shape[1:] {
			shape = append(shape, n)
		}
		switch {
		case a.Name == offsets && kind == Parquet:
			continue
		case a.Name == offsets:
			shape[0] = "rows+1"
		case sparse(a.Name) && kind == Parquet:
			shape = append(shape, "visits")
		case sparse(a.Name):
			shape[0] = "visits"
		}
		list = append(list, Column{a.Name, a.DType, shape})
	}
	return list
}

// gameEntry is an entry of the file of games.
type gameEntry struct {
	Shard      uint32  `json:"shard" parquet:"shard"`
	Game       uint32  `json:"game" parquet:"game"` // as in the column of the rows
	ID         uint64  `json:"id" parquet:"id"`
	Seed       uint64  `json:"seed" parquet:"seed"`
	From       string  `json:"from" parquet:"from"`
	Moves      string  `json:"moves" parquet:"moves"`
	Result     string  `json:"result" parquet:"result"`
	Reason     string  `json:"reason" parquet:"reason"`
	Plies      uint32  `json:"plies" parquet:"plies"`
	Resigns    *string `json:"audit_resigns,omitempty" parquet:"audit_resigns,optional"`
	ResignsPly *uint32 `json:"audit_ply,omitempty" parquet:"audit_ply,optional"`
}

// games returns the entries of the shard's games.
func (t *table) games() []gameEntry {
	list := make([]gameEntry, len(t.shard.Header.Games))
	for i, g := range t.shard.Header.Games {
		list[i] = gameEntry{
			Shard: uint32(t.number), Game: uint32(i), ID: g.ID, Seed: g.Seed, From: g.From, Moves: g.Moves,
			Result: g.Result, Reason: string(g.Reason), Plies: uint32(g.Plies),
		}
		if a := g.Audit; a != nil {
			ply := uint32(a.Ply)
			list[i].Resigns, list[i].ResignsPly = &a.Resigns, &ply
		}
	}
	return list
}
