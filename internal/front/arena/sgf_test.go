package arena

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestSGFGolden(t *testing.T) {
	moves := []game.Move{112, 128, 97, 113, 96, 81, 127, 142, 0, 14, 224, 210, 7}
	names := [2]string{`mcts:model="a\b"`, "exec:e [x]"}
	for name, c := range map[string]struct {
		result Result
		spoil  func(*SGF)
	}{
		"win":     {Result{Game: 0, Moves: moves, Opening: 2, Outcome: game.FirstWins, Reason: game.Line}, func(*SGF) {}},
		"draw":    {Result{Game: 11, Moves: moves[:4], Outcome: game.Draw, Reason: game.MoveLimit}, func(s *SGF) { s.Event = "" }},
		"timeout": {Result{Game: 2, Moves: moves[:1], Outcome: game.FirstWins, Reason: game.Forfeit, Forfeit: &Forfeit{Side: game.Second, Fault: Timeout, Text: "move 2 took [long]"}}, func(*SGF) {}},
		"illegal": {Result{Game: 3, Outcome: game.SecondWins, Reason: game.Forfeit, Forfeit: &Forfeit{Side: game.First, Fault: Illegal, Text: "move 1 is illegal"}}, func(*SGF) {}},
		"values":  {Result{Game: 5, Moves: moves[:2], Values: []float64{31, -1.5}, Outcome: game.Draw, Reason: game.MoveLimit}, func(*SGF) {}},
		"setup": {Result{Game: 4, Moves: moves[3:6], Outcome: game.SecondWins, Reason: game.Resigned}, func(s *SGF) {
			s.Setup = []game.Move{moves[0], moves[2], moves[1]}
		}},
	} {
		s := &SGF{Folder: filepath.Join(t.TempDir(), "a", "b"), Size: 15, Rules: "caro", Event: "test", Program: "carozero:1"}
		c.spoil(s)
		if err := s.Prepare(); err != nil {
			t.Fatal(err)
		}
		if err := s.Record(&c.result, names); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(s.Folder, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("files %v, %v", files, err)
		}
		got, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name+".sgf")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestSGFFileNames(t *testing.T) {
	s := &SGF{Folder: t.TempDir(), Size: 3}
	opts := options(3, entrant("a", firstMove), entrant("b", firstMove))
	opts.Recorder = s
	run(t, opts)
	for _, name := range []string{"game-000001.sgf", "game-000002.sgf", "game-000003.sgf"} {
		if _, err := os.Stat(filepath.Join(s.Folder, name)); err != nil {
			t.Error(err)
		}
	}
	missing := &SGF{Folder: filepath.Join(s.Folder, "none"), Size: 3}
	if err := missing.Record(&Result{}, [2]string{}); err == nil {
		t.Error("no error without the folder")
	}
}

// A record replaces one of the same program and nothing else.
func TestSGFOfOthersStays(t *testing.T) {
	s := &SGF{Folder: t.TempDir(), Size: 15, Rules: "caro", Program: "carozero:1"}
	result := &Result{Moves: []game.Move{112}, Outcome: game.Draw, Reason: game.MoveLimit}
	path := filepath.Join(s.Folder, "game-000001.sgf")
	own, err := s.format(result, [2]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	for text, ours := range map[string]bool{
		"": true, "(;GM[4]FF[4]SZ[15];B[hh])\n": false, "notes on AP[carozero:1]\n": false,
		"(;GM[4]FF[4]CA[UTF-8]SZ[15]\nAP[other:1]\n)": false, string(own): true,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		prepared, recorded := s.Prepare(), s.Record(result, [2]string{"x", "y"})
		after, err := os.ReadFile(path)
		if (prepared == nil) != ours || (recorded == nil) != ours || err != nil || (string(after) == text) == ours {
			t.Errorf("%q: %v, %v, then %q", text, prepared, recorded, after)
		}
	}
}
