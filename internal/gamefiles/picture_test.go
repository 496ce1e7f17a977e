package gamefiles

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// scenes are the pictures of the golden files.
func scenes(t testing.TB) map[string]Scene {
	t.Helper()
	all := map[string]Scene{}
	for name, c := range map[string]struct {
		o    games.VariantOptions
		text string
		note *record.Note
	}{
		"renju":    {games.VariantOptions{Rule: "renju"}, "h8h9i7i9h10i6i11i12", nil},
		"win":      {games.VariantOptions{Size: 9}, "e5e9d5f9f5g9g5a9c5", nil},
		"captures": {games.VariantOptions{Rule: "school42", Size: 8}, "a1b1h8c1d1", nil},
		"marks": {games.VariantOptions{Size: 7}, "d4", &record.Note{
			Labels: []record.Label{{At: 0, Text: "A"}, {At: 8, Text: "<&>é"}, {At: 24, Text: "x"}, {At: 500, Text: "outside"}},
			Marks: []record.Mark{
				{At: 20, Kind: record.Triangle}, {At: 21, Kind: record.Square}, {At: 22, Kind: record.Circle},
				{At: 23, Kind: record.Cross}, {At: 500},
			},
		}},
		"onitama": {games.VariantOptions{Game: games.GameNames()[1]}, "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2", nil},
	} {
		s := scene(t, c.o, c.text)
		if c.note != nil {
			s.Labels, s.Marks, s.Caption = c.note.Labels, c.note.Marks, `A & B <b>`
		}
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
	return NewScene(v, start, moves, nil)
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
