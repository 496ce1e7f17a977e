package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fitGames plays a few quick games for a fit and returns their run.
func fitGames(t *testing.T, rule, games string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "games")
	mustRun(t, "selfplay", "--rule", rule, "--size", "7", "--games", games, "--player", "alphabeta:nodes=50",
		"--opening-max", "6", "--out", dir)
	return dir
}

func TestFitWritesWeights(t *testing.T) {
	dir := fitGames(t, "freestyle", "60")
	out := filepath.Join(t.TempDir(), "weights.go")
	var report struct {
		Games, Positions, Held_Out int
		Loss, Hand_Loss            []float64
	}
	fit := []string{"fit", "--rule", "freestyle", "--input", dir, "--out", out, "--note", "quick games", "--json"}
	readPrinted(t, &report, fit...)
	if report.Games != 60 || report.Positions == 0 || report.Held_Out == 0 || !(report.Loss[0] < report.Hand_Loss[0]) {
		t.Errorf("%+v", report)
	}
	first, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"DO NOT EDIT", "60 games", "Games: quick games", "var freestyleWeights = Weights{"} {
		if !strings.Contains(string(first), want) {
			t.Errorf("the file lacks %q", want)
		}
	}
	mustRun(t, fit...)
	if second, err := os.ReadFile(out); err != nil || string(second) != string(first) {
		t.Errorf("two fits to the same games write different bytes; %v", err)
	}
}

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
		"--input " + dir + "/none":    "no such file",
		"--game gomoku --rule caro":   "a game of onitama",
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
