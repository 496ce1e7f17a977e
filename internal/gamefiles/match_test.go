package gamefiles

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// names are of players, with what SGF escapes.
var names = [2]string{`mcts:model="a\b"`, "exec:e [x]"}

func TestMatchesGolden(t *testing.T) {
	moves := []game.Move{112, 128, 97, 113, 96, 81, 127, 142, 0, 14, 224, 210, 7}
	for name, g := range map[string]arena.Result{
		"win":  {Game: 0, Moves: moves, Opening: 2, Outcome: game.FirstWins, Reason: game.Line},
		"draw": {Game: 11, Moves: moves[:4], Outcome: game.Draw, Reason: game.MoveLimit},
		"timeout": {Game: 2, Moves: moves[:1], Outcome: game.FirstWins, Reason: game.Forfeit,
			Forfeit: &arena.Forfeit{Side: game.Second, Fault: arena.Timeout, Text: "move 2 took [long]"}},
		"illegal": {Game: 3, Outcome: game.SecondWins, Reason: game.Forfeit,
			Forfeit: &arena.Forfeit{Side: game.First, Fault: arena.Illegal, Text: "move 1 is illegal"}},
	} {
		r, err := OfMatch(variant(t, "caro", 15), &g, names)
		if err != nil {
			t.Fatal(err)
		}
		if outcome, reason := r.Result(); outcome != g.Outcome || reason != g.Reason || r.Opening != g.Opening {
			t.Errorf("%s: %v, %v after %d moves", name, outcome, reason, r.Opening)
		}
		golden(t, name, g.Game, &r)
	}
}

// golden compares the only file of a new folder, that of a game, with the one kept.
func golden(t *testing.T, name string, number int, r *Record) {
	t.Helper()
	f := &Folder{Path: filepath.Join(t.TempDir(), "a", "b"), Program: "carozero:1"}
	if err := f.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(number, r); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(f.Path, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	got, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join("testdata", name+".sgf")
	if *update {
		if err := os.WriteFile(kept, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

// A record replaces one of the same program and nothing else.
func TestRecordsOfOthersStay(t *testing.T) {
	f := &Folder{Path: t.TempDir(), Program: "carozero:1"}
	r, err := OfMatch(variant(t, "caro", 15),
		&arena.Result{Moves: []game.Move{112}, Outcome: game.Draw, Reason: game.MoveLimit}, [2]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.Path, "game-000001.sgf")
	if err := f.Write(0, &r); err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r.Tree.Black = "x"
	for text, ours := range map[string]bool{
		"": true, "(;GM[4]FF[4]SZ[15];B[hh])\n": false, "notes on AP[carozero:1]\n": false,
		"(;GM[4]FF[4]CA[UTF-8]SZ[15]\nAP[other:1]\n)": false, string(own): true,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		prepared, recorded := f.Prepare(), f.Write(0, &r)
		after, err := os.ReadFile(path)
		if (prepared == nil) != ours || (recorded == nil) != ours || err != nil || (string(after) == text) == ours {
			t.Errorf("%q: %v, %v, then %q", text, prepared, recorded, after)
		}
	}
}
