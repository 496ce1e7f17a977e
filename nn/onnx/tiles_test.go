//go:build cgo

package onnx

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/carozero/carozero/nn/onnx/graph"
)

// A network for tile registers gives the same bits as the file itself.
func TestTilesChangeNoBit(t *testing.T) {
	before := tiles
	t.Cleanup(func() { tiles = before })
	for name, has := range map[string]bool{"int8": true, "good": false} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".onnx"))
		if err != nil {
			t.Fatal(err)
		}
		if moved := !slices.Equal(graph.ForTiles(data), data); moved != has {
			t.Errorf("%s: moved %v", name, moved)
		}
		var rows [2][]float32
		var ids [2]uint64
		for i, on := range []bool{false, true} {
			tiles = func() bool { return on }
			s := load(t, name)
			b := fill(16)
			if err := s.Forward(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			for row := range 16 {
				rows[i] = append(append(rows[i], b.Policy(row)...), b.Value(row)...)
			}
			ids[i] = s.ID()
		}
		if !slices.Equal(rows[0], rows[1]) || ids[0] != ids[1] {
			t.Errorf("%s: other results, or another identity", name)
		}
	}
}
