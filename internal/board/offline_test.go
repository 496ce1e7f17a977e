package board

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/models"
)

var answers = flag.String("answers", "", "write the answers of a service offline to this file")

// A service offline answers about positions of every rule set by both engines. The answers are
// the same everywhere: make test-page compares those of this program with those of js/wasm.
func TestOfflineAnswers(t *testing.T) {
	models.Fetch = func(file string) ([]byte, error) { return os.ReadFile("../../models/" + file) }
	t.Cleanup(func() { models.Fetch = nil })
	c, err := Offline("test")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Service(nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, g := range c.Games {
		for _, rule := range g.Rules {
			for n := range 7 {
				o := games.VariantOptions{Game: g.Name, Rule: rule.Name}
				if g.Board == "cells" {
					o.Size = []int{15, 9, 20, 13}[n%4]
				}
				start, moves := randomGame(t, o, n)
				asked := []string{`"engine":"mcts","maxVisits":60`, `"engine":"alphabeta","maxNodes":3000`}
				if n == 0 {
					asked = append(asked, `"level":"medium","seed":3`, `"engine":"mcts","maxVisits":600`,
						`"engine":"alphabeta","maxNodes":30000,"lines":3`)
				}
				for i, how := range asked {
					lines = append(lines, fmt.Sprintf(`{"id":"%s %d %d","game":"%s","rules":"%s","boardXSize":%d,`+
						`"boardYSize":%d,"initialPosition":"%s","moves":["%s"],%s}`, rule.Name, n, i, g.Name, rule.Name,
						max(o.Size, 5), max(o.Size, 5), start, strings.Join(moves, `","`), how))
				}
			}
		}
	}
	var out bytes.Buffer
	if err := s.Serve(context.Background(), strings.NewReader(strings.Join(lines, "\n")), &out, 0); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(strings.Lines(out.String()))
	for _, line := range got {
		if !strings.Contains(line, `"moveInfos":[{"move":`) {
			t.Error(line)
		}
	}
	if len(got) != len(lines) || len(got) < 120 {
		t.Errorf("%d answers to %d queries", len(got), len(lines))
	}
	if *answers != "" {
		if err := os.WriteFile(*answers, []byte(strings.Join(got, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// randomGame returns where a game of a variant begins, "" for the usual start, and a few random
// moves after which it goes on.
func randomGame(t *testing.T, o games.VariantOptions, seed int) (start string, moves []string) {
	t.Helper()
	v, err := games.NewVariant(o)
	if err != nil {
		t.Fatal(err)
	}
	pos, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	if v.Columns() == 0 {
		start = v.FormatGame(pos, nil)
	}
	rng := rand.New(rand.NewPCG(uint64(seed), 1))
	near := v.Candidates()
	if near == nil {
		near = game.Position.Moves
	}
	for range 4 + 2*seed {
		list := near(pos, nil)
		m := list[rng.IntN(len(list))]
		if pos.Play(m); pos.Outcome() != game.Undecided {
			break
		}
		moves = append(moves, v.Notation().FormatMove(m))
	}
	return start, moves
}
