package main

import (
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
