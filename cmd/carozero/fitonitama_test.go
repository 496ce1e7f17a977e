package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The weights of Onitama are fitted to runs of any cards, with the scores of their searches.
func TestFitOnitama(t *testing.T) {
	dir := t.TempDir()
	base, all := filepath.Join(dir, "base"), filepath.Join(dir, "all")
	mustRun(t, "selfplay", "--game", "onitama", "--player", "alphabeta:nodes=30", "--games", "50", "--out", base)
	mustRun(t, "selfplay", "--game", "onitama", "--player", "alphabeta:nodes=30", "--games", "10", "--cards",
		"senseis-path", "--out", all)
	var report struct {
		Rule            string
		Games, Held_Out int
		Loss, Hand_Loss []float64
	}
	sources := map[string]string{}
	for _, trust := range []string{"0", "0.5", "0.5"} {
		out := filepath.Join(dir, "weights.go")
		fit := []string{"fit", "--game", "onitama", "--input", base, all, "--trust", trust, "--out", out, "--json"}
		readPrinted(t, &report, fit...)
		if report.Rule != "onitama" || report.Games != 60 || report.Held_Out == 0 || trust == "0" &&
			!(report.Loss[0] < report.Hand_Loss[0]) {
			t.Errorf("%+v", report)
		}
		source, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if before, ok := sources[trust]; ok && before != string(source) {
			t.Error("two fits to the same games write different bytes")
		}
		sources[trust] = string(source)
	}
	body := func(s string) string { return s[strings.Index(s, "package"):] }
	if body(sources["0"]) == body(sources["0.5"]) {
		t.Error("the scores of the searches change nothing")
	}
	for args, want := range map[string]string{
		"--rule caro":                 "onitama has one rule set",
		"--spread 0":                  "--spread",
		"--input " + dir + "/none":    "no such file",
		"--game gomoku --rule caro":   "a game of onitama",
		"--game chess":                "chess",
		"--out " + base + "/run.json": "no file that a fit wrote",
	} {
		line := append([]string{"fit", "--game", "onitama", "--input", base, "--out", filepath.Join(dir, "x.go")},
			strings.Fields(args)...)
		if status, _, message := run(t, line...); status == 0 || !strings.Contains(message, want) ||
			strings.Count(strings.TrimSpace(message), "\n") > 0 {
			t.Errorf("%s: %d, %s", args, status, message)
		}
	}
}

// With --random-deals each pair of games has cards of its own, the same in both games and
// when the match is played again; a journal of such a match goes on with it alone.
func TestMatchOfRandomDeals(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "m.jsonl")
	match := []string{"match", "--game", "onitama", "--a", "alphabeta:nodes=30", "--b", "alphabeta:nodes=30,weights=hand",
		"--games", "8", "--seed", "5"}
	mustRun(t, append(match, "--random-deals", "--journal", journal)...)
	games, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	deals := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(games)), "\n")[1:] {
		var row struct{ Moves string }
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Moves == "" {
			t.Fatalf("game %d: %v, %s", i, err, line)
		}
		deals[strings.Fields(row.Moves)[0]] = true
	}
	if len(deals) < 2 {
		t.Errorf("all games begin with the card %v", deals)
	}
	again := mustRun(t, append(match, "--random-deals", "--journal", journal)...)
	if !strings.Contains(again, "8 games") {
		t.Error(again)
	}
	for args, want := range map[string]string{
		"--journal " + journal:                 "setting",
		"--random-deals --openings " + journal: "--openings",
		"--random-deals --game gomoku":         "all begin alike",
	} {
		if status, _, message := run(t, append(match, strings.Fields(args)...)...); status == 0 ||
			!strings.Contains(message, want) {
			t.Errorf("%s: %d, %s", args, status, message)
		}
	}
}
