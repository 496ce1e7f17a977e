package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Games are dealt from the cards that --cards names, and samples of them say so.
func TestCards(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	mustRun(t, "selfplay", "--game", "onitama", "--cards", "senseis-path", "--model", "uniform", "--games", "2", "--playouts", "4", "--out", dir)
	if out := mustRun(t, "samples", "verify", dir); !strings.Contains(out, "2 games") {
		t.Errorf("verified:\n%s", out)
	}
	if out := mustRun(t, "samples", "inspect", dir, "--json"); !strings.Contains(out, "senseis-path") {
		t.Errorf("inspected:\n%s", out)
	}
	for cards, want := range map[string]string{
		"":                        "side: Dragon",
		"base":                    "side: Dragon",
		"senseis-path":            "first: Bear Dog\nsecond: Fox Giraffe\nside: Iguana",
		"viper,tiger,fox,boar,ox": "first: Boar Ox\nsecond: Tiger Fox\nside: Viper",
	} {
		line := []string{"show", "--game", "onitama"}
		if cards != "" {
			line = append(line, "--cards", cards)
		}
		if out := mustRun(t, line...); !strings.Contains(out, want) {
			t.Errorf("%s:\n%s\nwant %s", cards, out, want)
		}
	}
	for line, want := range map[string]string{
		"search --cards all":                                         "--cards is for onitama",
		"search --game onitama --cards fox,dog":                      "has 2",
		"search --game onitama --cards fox,dog,boar,ox,dog":          "Dog is there twice",
		"search --game onitama --cards fox,dog,boar,ox,goat":         `no card "goat"`,
		"search --game onitama --position Ox,Boar/Fox,Dog/Goat":      `no card "Goat"`,
		"search --game onitama --position Ox,Boar/Fox,Dog/Ox":        "Ox is there twice",
		"analysis --game onitama --cards all":                        "--cards",
		"bitbase --cards Crab,Crane,Dragon,Monkey,Goat --out none":   `no card "Goat"`,
		"bitbase --cards Crab,Crane,Dragon,Monkey,Monkey --out none": "Monkey is there twice",
	} {
		status, out, message := run(t, strings.Fields(line)...)
		if status != statusUsage || !strings.Contains(message, want) || strings.Contains(message, "\n") || out != "" {
			t.Errorf("%s: status %d, %q; want %q", line, status, message, want)
		}
	}
}
