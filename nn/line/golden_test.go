package line

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// goldenFile is what the trainer's integer model says of positions.
type goldenFile struct {
	Model     string           `json:"model"` // beside the file
	Positions []goldenPosition `json:"positions"`
}

type goldenPosition struct {
	Rule        string  `json:"rule"`
	Size        int     `json:"size"`
	ToMove      string  `json:"to_move"` // first or second
	Own         []int   `json:"own"`
	Opponent    []int   `json:"opponent"`
	CapturedOwn int     `json:"captured_own"` // stones that the side to move has taken
	CapturedOpp int     `json:"captured_opponent"`
	Value       []int32 `json:"y3"`
	Logits      []int32 `json:"logits"`
}

func (p *goldenPosition) board(t *testing.T) *pattern.Board {
	t.Helper()
	rules, err := gomoku.Lookup(p.Rule)
	if err != nil {
		t.Fatal(err)
	}
	s := gomoku.Setup{Stones: make([]gomoku.Stone, p.Size*p.Size)}
	if p.ToMove == "second" {
		s.ToMove = game.Second
	}
	for _, c := range p.Own {
		s.Stones[c] = gomoku.StoneOf(s.ToMove)
	}
	for _, c := range p.Opponent {
		s.Stones[c] = gomoku.StoneOf(s.ToMove.Other())
	}
	s.Captured[s.ToMove], s.Captured[s.ToMove.Other()] = p.CapturedOwn, p.CapturedOpp
	b, err := gomoku.NewSetup(rules, p.Size, s)
	if err != nil {
		t.Fatal(err)
	}
	return pattern.FromBoard(b)
}

// The engine computes what the trainer computed, bit for bit, with every set of
// kernels. train/tests/linegolden.py writes the files.
func TestGolden(t *testing.T) {
	const dir = "testdata"
	text, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g goldenFile
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join(dir, g.Model))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Load(g.Model, data, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range g.Positions {
		for name, k := range allKernels() {
			a := newAccumulator(n, p.board(t), k)
			value, logits := a.Value(), make([]int32, a.cells)
			a.Policy(logits)
			if !slices.Equal(value[:], p.Value) || !slices.Equal(logits, p.Logits) {
				t.Errorf("position %d, %s %dx%d, %s: value %d and policy %d, want %d and %d", i, p.Rule, p.Size, p.Size, name,
					value, logits, p.Value, p.Logits)
			}
		}
	}
}
