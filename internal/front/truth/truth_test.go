package truth

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/mcts"
)

// choice is a position of a made-up game: the side to move plays one of the moves, and
// what each comes to for it is given.
type choice struct {
	game.Position
	moves  []mcts.Proof
	played game.Move
}

func (c *choice) Moves(buf []game.Move) []game.Move {
	for i := range c.moves {
		buf = append(buf, game.Move(i))
	}
	return buf
}
func (c *choice) Play(m game.Move)      { c.played = m }
func (c *choice) Undo()                 { c.played = game.NoMove }
func (c *choice) ToMove() game.Side     { return game.First }
func (c *choice) Outcome() game.Outcome { return game.Undecided }
func (c *choice) Clone() game.Position  { d := *c; return &d }

// made are endgames of choices, drawn in turn.
type made struct {
	games.Endgames
	list []*choice
	next int
}

func (m *made) Random(*rand.Rand) game.Position {
	m.next++
	c := *m.list[(m.next-1)%len(m.list)]
	return &c
}

func (m *made) Probe(pos game.Position) (mcts.Proof, int) {
	c := pos.(*choice)
	if c.played != game.NoMove {
		return c.moves[c.played].Flip(), 4
	}
	best := c.moves[0]
	for _, r := range c.moves {
		if worth(r) > worth(best) {
			best = r
		}
	}
	if best == mcts.Draw {
		return best, 0
	}
	return best, 5
}

// fixed plays the first move and answers the same everywhere.
type fixed struct {
	value float32
	proof engine.Result
	games int
}

func (f *fixed) NewGame(context.Context, arena.Start) error { f.games++; return nil }
func (f *fixed) Close() error                               { return nil }
func (f *fixed) Think(context.Context, game.Position, engine.Limits) (*engine.Answer, error) {
	return &engine.Answer{Move: 0, Value: f.value, Proof: engine.Proof{Result: f.proof}}, nil
}

// Each kind of error is counted where it is made, and nowhere else.
func TestErrorsAreCounted(t *testing.T) {
	const w, d, l = mcts.Win, mcts.Draw, mcts.Loss
	at := func(moves ...mcts.Proof) *choice { return &choice{moves: moves, played: game.NoMove} }
	of := &made{list: []*choice{at(w, w), at(w, l), at(d, w), at(l, w), at(d, d), at(l, d), at(d, l), at(l, l)}}
	s, err := Draw(t.Context(), of, len(of.list), 5, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 8 || s.Wins != 4 || s.Draws != 3 || s.Losses != 1 || s.Choices != 5 {
		t.Errorf("%+v", s)
	}
	for _, c := range []struct {
		player fixed
		want   Errors
	}{
		{fixed{value: 0.5}, Errors{LetGo: 2, Lost: 1, WrongSign: 1}},
		{fixed{value: -0.5, proof: engine.Loss}, Errors{LetGo: 2, Lost: 1, WrongSign: 4, FalseClaims: 7}},
		{fixed{proof: engine.Win}, Errors{LetGo: 2, Lost: 1, WrongSign: 5, FalseClaims: 4}},
		{fixed{value: 1, proof: engine.Draw}, Errors{LetGo: 2, Lost: 1, WrongSign: 1, FalseClaims: 5}},
	} {
		steps := 0
		got, err := Examine(t.Context(), of, s, &c.player, func() { steps++ })
		if got.Elapsed = 0; err != nil || got != c.want || steps != 8 || c.player.games != 8 {
			t.Errorf("%+v: %+v, %v after %d steps; want %+v", c.player, got, err, steps, c.want)
		}
	}
	if s, err := Draw(t.Context(), of, 6, 6, rand.New(rand.NewPCG(1, 2))); err != nil || s.Draws != 6 {
		t.Errorf("longer ones: %+v, %v; want draws alone", s, err)
	}
	of.list = of.list[:1]
	if _, err := Draw(t.Context(), of, 1, 6, rand.New(rand.NewPCG(1, 2))); !errors.Is(err, ErrFew) {
		t.Errorf("none is long enough: %v", err)
	}
}

// A search that knows the endgames is never wrong, and one of a single node is.
func TestSearchesOfEndgames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "three")
	build(t, path)
	of, err := games.OpenEndgames(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer of.Close()
	s, err := Draw(t.Context(), of, 200, 0, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	for _, knows := range []bool{true, false} {
		for kind, p := range contestants(t, of, knows) {
			e, err := Examine(t.Context(), of, s, p, func() {})
			if err = errors.Join(err, p.Close()); err != nil {
				t.Fatal(err)
			}
			if wrong := e.LetGo + e.Lost + e.WrongSign; (wrong == 0) != knows || e.FalseClaims > 0 {
				t.Errorf("%s, knowing %v: %+v", kind, knows, e)
			}
		}
	}
}
