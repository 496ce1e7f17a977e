package networks

import (
	"github.com/carozero/carozero/models"
	"os"
	"path/filepath"
	"testing"
)

// What is in a file says which kind of network it is; where nothing does, its name.
func TestKindOfAFile(t *testing.T) {
	lines, _, err := models.Open("taught7-line16")
	if err != nil {
		t.Fatal(err)
	}
	onnx, _, err := models.Open("first-b4c32-int8")
	if err != nil {
		t.Fatal(err)
	}
	small, err := os.ReadFile("../../../nn/onnx/testdata/good.onnx")
	if err != nil {
		t.Fatal(err)
	}
	garbage := []byte("\xd3\x1fno network of any kind")
	for _, c := range []struct {
		name string
		data []byte
		line bool
	}{
		{"a.line", lines, true}, {"a.onnx", lines, true}, {"a.line", onnx, false}, {"a.onnx", onnx, false}, {"a.line", small, false},
		{"a.line", garbage, true}, {"a.onnx", garbage, false}, {"a.line", nil, true}, {"a.line", lines[:4], true}, {"a.onnx", nil, false},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := new(Loader).kinds().of(path).Name == "line"; got != c.line {
			t.Errorf("%s of %d bytes: line network %v", c.name, len(c.data), got)
		}
	}
}
