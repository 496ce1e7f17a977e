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

// The other method writes the same kind of file, and says how in its head.
func TestFitLearnsByTDLeaf(t *testing.T) {
	dir := fitGames(t, "freestyle", "60")
	out := filepath.Join(t.TempDir(), "weights.go")
	learn := []string{"fit", "--method", "td-leaf", "--rule", "freestyle", "--input", dir, "--out", out, "--depth", "1",
		"--rate", "0.1", "--seed", "7", "--json"}
	var report struct {
		Method string
		Games  int
		Loss   []float64
	}
	readPrinted(t, &report, append(learn, "--workers", "1")...)
	if report.Method != "td-leaf" || report.Games != 60 || len(report.Loss) != 2 {
		t.Errorf("%+v", report)
	}
	first := mustRead(t, out)
	for _, want := range []string{"DO NOT EDIT", "60 games", "TD-Leaf(0.7), depth 1, rate 0.1, passes 1, seed 7",
		"var freestyleWeights = Weights{"} {
		if !strings.Contains(string(first), want) {
			t.Errorf("the file lacks %q", want)
		}
	}
	mustRun(t, append(learn, "--workers", "3")...)
	if string(mustRead(t, out)) != string(first) {
		t.Error("three workers write other bytes than one")
	}
}

func TestBadFits(t *testing.T) {
	dir := fitGames(t, "freestyle", "5")
	temp := t.TempDir()
	corrupt, empty := filepath.Join(temp, "corrupt.sgf"), filepath.Join(temp, "empty.sgf")
	for path, text := range map[string]string{corrupt: "(;GM[4]SZ[15];B[hh", empty: ""} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(temp, "weights.go")
	refuse(t, []refusal{
		{"fit --input " + dir, 2, "--out"},
		{"fit --input " + dir + " --out " + out + " --rule chess", 2, "--rule"},
		{"fit --input " + dir + " --out " + out + " --spread 0", 2, "--spread"},
		{"fit --input " + dir + " --out " + out + " --method guess", 2, "td-leaf"},
		{"fit --input " + dir + " --out " + out + " --lambda 0.5", 2, "--lambda goes with --method td-leaf"},
		{"fit --input " + dir + " --out " + out + " --method td-leaf --trust 0.5", 2, "--trust goes with --method results"},
		{"fit --input " + dir + " --out " + out + " --method td-leaf --rule freestyle", 1, "at least 50"},
		{"fit --input " + dir + "/none --out " + out, 1, "none"},
		{"fit --input " + corrupt + " --out " + out, 1, "corrupt.sgf:1"},
		{"fit --input " + empty + " --out " + out, 1, "empty.sgf"},
		{"fit --input " + dir + " --out " + out + " --rule renju", 1, "freestyle"},
		{"fit --input " + dir + " --out " + out + " --rule freestyle", 1, "at least 50"},
	}...)
	if _, err := os.Stat(out); err == nil {
		t.Error("weights are written in spite of it")
	}
	bad := filepath.Join(temp, "missing", "weights.go")
	status, _, message := run(t, "fit", "--input", fitGames(t, "freestyle", "60"), "--rule", "freestyle", "--out", bad)
	if status != 1 || !strings.Contains(message, "--out") {
		t.Errorf("an unwritable file: status %d, %q", status, message)
	}
}
