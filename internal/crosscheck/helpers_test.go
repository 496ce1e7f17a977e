package crosscheck

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/positions"
)

func variant(t testing.TB, rule string, size int) engine.Variant {
	t.Helper()
	v, err := engine.NewVariant(engine.VariantOptions{Rule: rule, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// script is an engine that says what a test tells it to, by position.
type script struct {
	v    engine.Variant
	says map[string]Opinion // by position
	deep map[string]Opinion // by position, with more than the first budget
	any  func(pos game.Position) Opinion
}

func (s *script) Forget() {}

// plantedBudget is the first budget of both engines in tests with scripts.
const plantedBudget = 1000

func (s *script) Search(_ context.Context, pos game.Position, budget int) (Opinion, error) {
	said := []map[string]Opinion{s.deep, s.says}
	if budget <= plantedBudget {
		said = said[1:]
	}
	for _, list := range said {
		for text, o := range list {
			want, err := s.v.Parse(text)
			if err != nil {
				return o, err
			}
			if want.Hash() == pos.Hash() {
				if len(o.Line) == 0 {
					o.Line = []game.Move{o.Move}
				}
				return o, nil
			}
		}
	}
	return s.any(pos), nil
}

// first is an opinion without any knowledge: the first legal move.
func first(pos game.Position) Opinion {
	m := pos.Moves(nil)[0]
	return Opinion{Move: m, Line: []game.Move{m}}
}

// drawn is an opinion that is a function of the position alone: any legal move,
// any value.
func drawn(salt uint64) func(game.Position) Opinion {
	return func(pos game.Position) Opinion {
		moves := pos.Moves(nil)
		h := (pos.Hash() ^ salt) * 0x9e3779b97f4a7c15
		m := moves[(h>>20)%uint64(min(3, len(moves)))]
		return Opinion{Move: m, Line: []game.Move{m}, Value: float64(h>>44)/(1<<19) - 1, Net: float64(h>>45)/(1<<18) - 1, Nodes: 7}
	}
}

// move reads one move of the 15x15 board.
func move(t testing.TB, v engine.Variant, text string) game.Move {
	t.Helper()
	moves, err := v.Notation().ParseMoves(text)
	if err != nil || len(moves) != 1 {
		t.Fatalf("%q: %v", text, err)
	}
	return moves[0]
}

// inputOf writes a file and returns what opens it.
func inputOf(t testing.TB, v engine.Variant, name, text string) Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return func() (*positions.Reader, error) {
		return positions.Open([]string{path}, positions.Options{Variant: v})
	}
}
