package record

import (
	"slices"
	"testing"
)

// Trees that are merged keep each other's labels and marks, and the first value of a move.
func TestMergeKeepsFigures(t *testing.T) {
	var trees []*Tree
	for _, text := range []string{
		"(;GM[4]SZ[15];B[hi]V[2]LB[aa:x]TR[aa])", "(;GM[4]SZ[15];B[hi]V[3]LB[aa:y][bb:z]TR[bb][aa]SQ[aa])",
	} {
		list, _, err := Parse([]byte(text), "", Options{})
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, list...)
	}
	if err := trees[0].Merge(trees[1]); err != nil {
		t.Fatal(err)
	}
	a, b := trees[1].Note(1).Marks[1].At, trees[1].Note(1).Marks[0].At // aa and bb
	got := trees[0].Note(1)
	if want := []Label{{At: a, Text: "x"}, {At: b, Text: "z"}}; !slices.Equal(got.Labels, want) {
		t.Errorf("labels %v, want %v", got.Labels, want)
	}
	if want := []Mark{{a, Triangle}, {b, Triangle}, {a, Square}}; !slices.Equal(got.Marks, want) || got.Value != 2 {
		t.Errorf("marks %v, value %v; want %v and 2", got.Marks, got.Value, want)
	}
}
