package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/front/report"
)

// The numbers of other programs, and of pencil and paper.
func TestPerftCommand(t *testing.T) {
	for _, c := range []struct {
		args   string
		leaves uint64
	}{
		{"--game onitama --position Ox,Boar/Horse,Elephant/Crab --depth 5", 487752},
		{"--game onitama --depth 4", 19384},
		{"--depth 2", 225 * 224},
		{"--rule freestyle --size 5 --depth 3", 25 * 24 * 23},
		{"--rule freestyle --size 5 --depth 1 --position a1a2b1b2c1c2d1d2e1", 0},
		{"--rule freestyle --size 5 --depth 2 --position a1a2b1b2c1c2d1d2", 16 * 16},
	} {
		var r report.Perft
		if err := json.Unmarshal([]byte(mustRun(t, append([]string{"perft", "--json", "--divide"}, strings.Fields(c.args)...)...)), &r); err != nil {
			t.Fatal(err)
		}
		sum := uint64(0)
		for _, b := range r.Branches {
			sum += b.Leaves
		}
		if r.Leaves != c.leaves || sum != r.Leaves {
			t.Errorf("%s: %d leaves, %d behind the moves, want %d", c.args, r.Leaves, sum, c.leaves)
		}
	}
}
