package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/report"
)

// quickMatch is a match of games that take milliseconds.
var quickMatch = []string{"match", "--game", "onitama", "--workers", "2", "--max-plies", "40", "--json"}

func playMatch(t *testing.T, args ...string) report.Match {
	t.Helper()
	return printed[report.Match](t, append(quickMatch, args...)...)
}

// Matches of the classical engine at fixed nodes come out alike with any number
// of workers, and after an interruption.
func TestClassicalMatchesAreReproducible(t *testing.T) {
	players := []string{
		"--a", "alphabeta:nodes=150,table=1", "--b", "alphabeta:depth=2,table=1,rfp=off,weights=hand", "--games", "8",
	}
	first := playMatch(t, players...)
	if first.Games != 8 || first.Forfeits != 0 || len(first.Forfeited) != 0 {
		t.Errorf("%+v", first)
	}
	if again := playMatch(t, append(players, "--workers", "1")...); !reflect.DeepEqual(again, first) {
		t.Errorf("%+v with one worker, %+v with two", again, first)
	}
	journal := filepath.Join(t.TempDir(), "m.jsonl")
	if kept := playMatch(t, append(players, "--journal", journal)...); !reflect.DeepEqual(kept, first) {
		t.Errorf("%+v with a journal", kept)
	}
	lines, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(string(lines), "\n")
	writeFile(t, journal, []byte(strings.Join(rows[:4], "")+rows[4][:20])) // torn within a game
	if resumed := playMatch(t, append(players, "--journal", journal)...); !reflect.DeepEqual(resumed, first) {
		t.Errorf("%+v after an interruption, %+v without", resumed, first)
	}
}

// Records asked for when a match goes on are those of all its games, and one that is
// there stays as it is.
func TestRecordsOfEarlierGames(t *testing.T) {
	dir := t.TempDir()
	args := []string{"match", "--rule", "freestyle", "--size", "5", "--a", "alphabeta:nodes=9,table=1", "--b",
		"alphabeta:nodes=8,table=1", "--workers", "1",
		"--journal", filepath.Join(dir, "m.jsonl"), "--sgf", filepath.Join(dir, "sgf"), "--games"}
	first, edited := filepath.Join(dir, "sgf", "game-000001.sgf"), []byte(nil)
	for i, games := range []string{"2", "3"} {
		mustRun(t, append(args, games)...)
		if i == 0 {
			data, err := os.ReadFile(first)
			if err != nil {
				t.Fatal(err)
			}
			edited = append(data, "\n"...)
			writeFile(t, first, edited)
			if err := os.Remove(filepath.Join(dir, "sgf", "game-000002.sgf")); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "sgf", "*"))
	if err != nil || len(files) != 3 {
		t.Errorf("files %q, %v; want 3", files, err)
	}
	if after, err := os.ReadFile(first); err != nil || string(after) != string(edited) {
		t.Errorf("the first record was changed to %q, %v", after, err)
	}
}

func TestATestEndsAMatch(t *testing.T) {
	r := playMatch(t, "--a", "alphabeta:nodes=2000,table=1", "--b", "alphabeta:depth=1,table=1", "--games", "400",
		"--sprt", "0,200")
	if r.SPRT != "h1" || r.Games == 400 {
		t.Errorf("%d games, verdict %s", r.Games, r.SPRT)
	}
}

// A file that is no list of openings of the match's rule set and size is told in a line.
func TestBadOpenings(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "openings")
	writeFile(t, binary, []byte("\x00\xff\n"))
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "none", dir: "--openings", "../../train/openings/renju.txt": "# for gomoku renju 15",
		binary: "line 1",
	} {
		refuse(t, refusal{"match --size 7 --games 2 --a alphabeta:nodes=20 --b alphabeta:nodes=21 --openings " + path,
			statusFailed, want})
	}
}
