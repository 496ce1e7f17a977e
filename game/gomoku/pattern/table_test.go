package pattern

import (
	"testing"

	"github.com/carozero/carozero/game/gomoku"
)

// Patterns do not depend on the sense in which a line is read, nor, where both
// sides have the same rule, on the side.
func TestTableIsSymmetric(t *testing.T) {
	for _, name := range gomoku.Names() {
		r, err := gomoku.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		table := tables.tableFor(&r)
		a := newArms(table.half)
		for i, behind := range a.list {
			for _, front := range a.list[i:] {
				v := table.at(keyOf(behind, front))
				if w := table.at(keyOf(front, behind)); w != v {
					t.Fatalf("%s: %v %v read backwards is %x, forwards %x", name, behind, front, w, v)
				}
				if r.Exact[0] != r.Exact[1] || r.Renju[0] != r.Renju[1] {
					continue
				}
				if w := table.at(keyOf(behind.swapped(), front.swapped())); w != v<<4|v>>4 {
					t.Fatalf("%s: %v %v with the sides swapped is %x, else %x", name, behind, front, w, v)
				}
			}
		}
	}
}

// keyOf returns the key of an empty cell between two arms.
func keyOf(behind, front arm) uint64 {
	return uint64(behind.reversed()) | uint64(front)<<ahead
}
