package line

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// A key of package pattern has two bits a cell.
const (
	armBits = 2 * reach
	armKeys = 1 << armBits
	edge    = 3 // the content of what is beyond the edge
)

// The trainer's table of shapes, by the numbers of the arms behind and ahead, is
// what the engine's patterns say, under every rule set.
func TestTrainersShapes(t *testing.T) {
	file, err := zip.OpenReader("../../train/carozero_train/line/shapes.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var keys [armCount]uint64 // of arms, the nearest cell lowest
	for key := range uint64(armKeys) {
		if pastEdge(key) == key {
			keys[armNumber(key)] = key
		}
	}
	for _, name := range gomoku.Names() {
		rules, err := gomoku.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		shapes, table := pattern.ShapesOf(rules), readTable(t, &file.Reader, name)
		for a := range armCount {
			for b := range armCount {
				first, second := shapes.At(reversed(keys[a]) | keys[b]<<(armBits+2))
				if got := table[a*armCount+b]; got != first|second<<4 {
					t.Fatalf("%s: arms %d and %d are %d in the table, want %d and %d", name, a, b, got, first, second)
				}
			}
		}
	}
}

// armNumber returns the number of an arm of which the nearest cell is lowest. What
// comes beyond the edge is not looked at.
func armNumber(key uint64) int {
	number, power := 0, 1
	for i := range reach {
		content := int(key >> (2 * i) & 3)
		if content == edge {
			break
		}
		number += power + content*power
		power *= 3
	}
	return number
}

// reversed returns an arm read from its other end.
func reversed(key uint64) (r uint64) {
	for i := range reach {
		r = r<<2 | key>>(2*i)&3
	}
	return r
}

// pastEdge returns an arm with nothing but edge beyond its edge.
func pastEdge(key uint64) uint64 {
	for i := range reach {
		if key>>(2*i)&3 == edge {
			return key | ^uint64(0)<<(2*i)&(armKeys-1)
		}
	}
	return key
}

// readTable returns the bytes of an array of an npz file.
func readTable(t *testing.T, file *zip.Reader, name string) []byte {
	t.Helper()
	f, err := file.Open(name + ".npy")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data[:128], []byte("'descr': '|u1', 'fortran_order': False, 'shape': (364, 364)")) {
		t.Fatalf("%s: its header is %q", name, data[:128])
	}
	return data[128:]
}
