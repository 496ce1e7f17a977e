//go:build cgo

package networks

import (
	"errors"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/nn"
)

// A network is opened with the planes that it reads, or refused in one line that names
// those that the game has.
func TestNetworksReadTheirPlanes(t *testing.T) {
	l, _ := newTestLoader()
	caro, err := games.NewVariant(games.VariantOptions{Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	onitama, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	folder := "../../nn/onnx/testdata/"
	for _, c := range []struct {
		v     games.Variant
		model string
		words []string // of the error; nil: it is opened
	}{
		{caro, "good", nil},
		{caro, "other-planes", []string{"other-planes.onnx", "gomoku-9", "needed are gomoku-1 for gomoku"}},
		{onitama, "good", []string{"good.onnx", "gomoku-1", "needed are onitama-2 for onitama"}},
	} {
		n, err := l.Open(c.v, folder+c.model+".onnx")
		if c.words == nil {
			if err != nil {
				t.Errorf("%s for %s: %v", c.model, c.v, err)
				continue
			}
			if err := n.Try(t.Context(), 1); err != nil {
				t.Errorf("%s for %s: %v", c.model, c.v, err)
			}
			if err := l.Verify(t.Context(), c.v, folder+c.model+".onnx"); err != nil {
				t.Error(err)
			}
			if err := n.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		if !errors.Is(err, nn.ErrModel) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s for %s: %v, want one line that blames the model", c.model, c.v, err)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s for %s: %v, want %q in it", c.model, c.v, err, w)
			}
		}
	}
}
