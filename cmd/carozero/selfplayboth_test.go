package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/selfplay/samples"
)

// bothShard plays games of both searches and returns the first shard.
func bothShard(t *testing.T, dir string, args ...string) *samples.Shard {
	t.Helper()
	mustRun(t, append([]string{"selfplay", "--player", "both:playouts=30,share=0.5", "--out", dir}, args...)...)
	file, err := os.Open(filepath.Join(dir, "shard-000000.msgpack.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := samples.ReadShard(file, samples.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Both searches play samples in every rule set and in Onitama, which pass the check and say
// of each move which half it is of.
func TestSelfplayOfBoth(t *testing.T) {
	variants := [][]string{{"--game", "onitama"}}
	for _, rule := range games.RuleNames() {
		size := "9"
		if rule == "renju" {
			size = "15"
		}
		variants = append(variants, []string{"--rule", rule, "--size", size, "--model", "uniform"})
	}
	letters := map[rune]int{}
	for _, v := range variants {
		dir := filepath.Join(t.TempDir(), "run")
		s := bothShard(t, dir, append(v, "--games", "2", "--max-plies", "40", "--opening-max", "4", "--lines", "2")...)
		if player, _ := s.Header.Search.Get("player"); player != "both:playouts=30,share=0.5,table=2" {
			t.Errorf("%v: player %v", v, player)
		}
		for _, g := range s.Header.Games {
			if len(g.Decided) != g.Plies {
				t.Errorf("%v: %d plies, decided %q", v, g.Plies, g.Decided)
			}
			for _, l := range g.Decided {
				letters[l]++
			}
		}
		if out := mustRun(t, "samples", "verify", dir); !strings.Contains(out, "all as the rules have them") {
			t.Errorf("%v: %s", v, out)
		}
	}
	if letters['m'] == 0 || letters['a'] == 0 || letters['-'] == 0 || len(letters) != 3 {
		t.Errorf("letters %v: want moves of both halves, and of openings", letters)
	}
}

// The number of workers changes no byte, and a packed run comes back byte for byte, also
// where its games are played again.
func TestSelfplayOfBothAgain(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--size", "9", "--games", "4", "--games-per-shard", "2", "--max-plies", "30"}
	one, three := filepath.Join(dir, "one"), filepath.Join(dir, "three")
	bothShard(t, one, append(args, "--workers", "1")...)
	bothShard(t, three, append(args, "--workers", "3")...)
	want := shards(t, one)
	same := func(name string, got map[string][]byte) {
		t.Helper()
		for file, data := range want {
			if !bytes.Equal(got[file], data) {
				t.Errorf("%s: %s differs", name, file)
			}
		}
	}
	same("three workers", shards(t, three))
	for _, how := range [][]string{nil, {"--columns"}} {
		packed, back := filepath.Join(dir, "run.czpack"), filepath.Join(dir, "back")
		mustRun(t, append([]string{"samples", "pack", one, "--out", packed}, how...)...)
		mustRun(t, "samples", "unpack", packed, "--out", back)
		same("unpacked", shards(t, filepath.Join(back, "one")))
		for _, path := range []string{packed, back} {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range [][2]string{
		{"both:time=1s", `unknown argument "time"`}, {"both:share=0.9", "share=0.9"}, {"both:playouts=0", "playouts=0"}, {"exec:x", "want mcts, alphabeta or both"},
	} {
		bad := filepath.Join(dir, "bad")
		status, _, message := run(t, "selfplay", "--player", c[0], "--games", "1", "--out", bad)
		if status != statusUsage || !strings.Contains(message, c[1]) || strings.Contains(message, "\n") {
			t.Errorf("%s: status %d, %q", c[0], status, message)
		}
		if _, err := os.Stat(bad); err == nil {
			t.Errorf("%s left a folder", c[0])
		}
	}
	for _, flag := range []string{"--playouts=30", "--gumbel=8", "--cluster=localhost:0"} {
		status, _, message := run(t, "selfplay", "--player", "both:playouts=30", "--games", "1", "--out", filepath.Join(dir, "bad"), flag)
		if status != statusUsage || strings.Contains(message, "\n") {
			t.Errorf("%s: status %d, %q", flag, status, message)
		}
	}
}
