package crosscheck

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record/gamefiles"
)

func variant(t testing.TB, rule string, size int) games.Variant {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// script is an engine that says what a test tells it to, by position.
type script struct {
	v    games.Variant
	says map[string]engine.Answer // by position
	deep map[string]engine.Answer // by position, with more than the first budget
	most map[string]engine.Answer // by position, where a conviction is at stake
	any  func(pos game.Position) engine.Answer
}

func (s *script) Forget() {}

func (s *script) Ponder(context.Context, game.Position) {}

func (s *script) Close() error { return nil }

// plantedBudget is the first budget of both engines in tests with scripts.
const plantedBudget = 1000

func (s *script) Think(_ context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	said := []map[string]engine.Answer{s.most, s.deep, s.says}
	switch {
	case l.Nodes <= plantedBudget:
		said = said[2:]
	case l.Nodes < leastDoubt:
		said = said[1:]
	}
	for _, list := range said {
		for text, a := range list {
			want, err := s.v.Parse(text)
			if err != nil {
				return nil, err
			}
			if want.Hash() == pos.Hash() {
				if len(a.Line) == 0 {
					a.Line = []game.Move{a.Move}
				}
				return &a, nil
			}
		}
	}
	a := s.any(pos)
	return &a, nil
}

// first is an answer without any knowledge: the first legal move.
func first(pos game.Position) engine.Answer {
	m := pos.Moves(nil)[0]
	return engine.Answer{Move: m, Line: []game.Move{m}}
}

// claims is an answer that claims a win in so many plies, or a loss if they are
// negative.
func claims(m game.Move, plies int) engine.Answer {
	p := engine.Proof{Result: engine.Win, Plies: plies, Claimed: true}
	if plies < 0 {
		p = engine.Proof{Result: engine.Loss, Plies: -plies, Claimed: true}
	}
	return engine.Answer{Move: m, Proof: p}
}

// drawn is an answer that is a function of the position alone: any legal move,
// any value.
func drawn(salt uint64) func(game.Position) engine.Answer {
	return func(pos game.Position) engine.Answer {
		moves := pos.Moves(nil)
		h := (pos.Hash() ^ salt) * 0x9e3779b97f4a7c15
		m := moves[(h>>20)%uint64(min(3, len(moves)))]
		return engine.Answer{
			Move: m, Line: []game.Move{m}, Value: float32(h>>44)/(1<<19) - 1, NetValue: float32(h>>45)/(1<<18) - 1,
			Stats: engine.Stats{Nodes: 7},
		}
	}
}

// move reads one move of the 15x15 board.
func move(t testing.TB, v games.Variant, text string) game.Move {
	t.Helper()
	moves, err := v.Notation().ParseMoves(text)
	if err != nil || len(moves) != 1 {
		t.Fatalf("%q: %v", text, err)
	}
	return moves[0]
}

// inputOf writes a file and returns what opens it.
func inputOf(t testing.TB, v games.Variant, name, text string) Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return func() (*gamefiles.Reader, error) {
		return gamefiles.Open([]string{path}, gamefiles.Options{Variant: v})
	}
}
