package gamefiles

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/internal/games"
)

// scenes are the pictures of the golden files.
func scenes(t testing.TB) map[string]Scene {
	t.Helper()
	all := map[string]Scene{}
	for name, c := range map[string]struct {
		o    games.VariantOptions
		text string
	}{
		"renju":    {games.VariantOptions{Rule: "renju"}, "h8h9i7i9h10i6i11i12"},
		"win":      {games.VariantOptions{Size: 9}, "e5e9d5f9f5g9g5a9c5"},
		"captures": {games.VariantOptions{Rule: "school42", Size: 8}, "a1b1h8c1d1"},
		"onitama":  {games.VariantOptions{Game: games.GameNames()[1]}, "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2"},
	} {
		s := scene(t, c.o, c.text)
		all[name] = s
	}
	return all
}

// scene returns the scene after a game, and the moves.
func scene(t testing.TB, o games.VariantOptions, text string) Scene {
	t.Helper()
	v, err := games.NewVariant(o)
	if err != nil {
		t.Fatal(err)
	}
	start, moves, err := v.ParseGame(text)
	if err != nil {
		t.Fatal(err)
	}
	return NewScene(v, start, moves)
}

// The same scene gives the same bytes.
func TestGolden(t *testing.T) {
	for name, s := range scenes(t) {
		var svg, again bytes.Buffer
		if err := errors.Join(SVG(&svg, &s), SVG(&again, &s)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(path, svg.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(svg.Bytes(), want) || !bytes.Equal(again.Bytes(), want) {
			t.Errorf("%s differs, %v: look at it and run the test with -update", path, err)
		}
	}
}
