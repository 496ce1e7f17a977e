//go:build cgo

package onnx

import (
	"os"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
	"github.com/carozero/carozero/nn/nntest"
)

// A session does what every network does.
func TestSessionIsANetwork(t *testing.T) {
	rules, err := gomoku.Lookup("caro")
	if err != nil {
		t.Fatal(err)
	}
	start := func() (game.Position, error) { return gomoku.New(rules, 7) }
	var positions []game.Position
	for _, text := range []string{"", "d4", "d4e4c3", "d4e4c3f4d3"} {
		pos, err := gomoku.ParsePosition(rules, 7, text)
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, pos)
	}
	nntest.CheckNetwork(t, nntest.Subject{
		Network: load(t, "good"), Positions: positions,
		Variant: nntest.Variant{
			Name: "caro 7x7", From: start,
			Encoded: func() (nn.Encoder, error) { return gomokunet.New(rules, 7) },
		},
	})
}

func TestKind(t *testing.T) {
	data, err := os.ReadFile("testdata/good.onnx")
	if err != nil {
		t.Fatal(err)
	}
	found := func() (*Runtime, error) { return library, nil }
	nntest.CheckKind(t, Kind(found, "", nil, nil), data)
	k := Kind(found, "abacus", nil, nil)
	if _, err := k.Load("it", data, ""); err == nil || !strings.Contains(err.Error(), "abacus") {
		t.Errorf("a provider that there is not: %v", err)
	}
	k = Kind(func() (*Runtime, error) { return nil, ErrNoRuntime }, "", nil, nil)
	if n, err := k.Load("it", data, ""); n != nil || err != ErrNoRuntime {
		t.Errorf("without a runtime: %v, %v", n, err)
	}
}
