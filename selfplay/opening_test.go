package selfplay

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// TestOpenings wants openings to be a function of their seed, of the length
// asked for, near what is there, and neither decided nor won at once.
func TestOpenings(t *testing.T) {
	const size = 9
	s := gomokuSetup(t, "caro", size)
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.IntRange(0, 6).Draw(t, "min")
		opts := Opening{
			MinPlies: lo, MaxPlies: lo + rapid.IntRange(0, 6).Draw(t, "more"),
			Distance: rapid.IntRange(1, 3).Draw(t, "distance"),
		}
		seed := rapid.Uint64().Draw(t, "seed")
		draw := func() ([]game.Move, game.Position, bool) {
			o := randomOpening{opts: opts, width: size}
			pos := s.Start.Clone()
			moves, open := o.draw(pos, nil, rand.New(rand.NewPCG(seed, 1)))
			return moves, pos, open
		}
		moves, pos, open := draw()
		again, _, _ := draw()
		if len(again) != len(moves) {
			t.Fatal("not a function of the seed")
		}
		for i, m := range moves {
			if again[i] != m {
				t.Fatal("not a function of the seed")
			}
			if !nearby(m, moves[:i], size, opts.Distance) {
				t.Fatalf("move %d, %d, is far from %v", i+1, m, moves[:i])
			}
		}
		if !open {
			return
		}
		if len(moves) < opts.MinPlies || len(moves) > opts.MaxPlies {
			t.Fatalf("%d moves, want %d..%d", len(moves), opts.MinPlies, opts.MaxPlies)
		}
		if pos.Outcome() != game.Undecided || len(pos.Wins(nil)) > 0 {
			t.Fatal("decided, or won at once")
		}
	})
}

// nearby says by coordinates what is near.
func nearby(m game.Move, before []game.Move, size, distance int) bool {
	if len(before) == 0 {
		before = []game.Move{game.Move(size*size) / 2}
	}
	for _, b := range before {
		dx, dy := int(m)%size-int(b)%size, int(m)/size-int(b)/size
		if max(dx, -dx) <= distance && max(dy, -dy) <= distance {
			return true
		}
	}
	return false
}

func TestOpeningsWithoutCells(t *testing.T) {
	o := randomOpening{opts: Opening{MinPlies: 3, MaxPlies: 3}}
	seen := map[game.Move]bool{}
	for seed := range uint64(200) {
		moves, _ := o.draw(mnkSetup().Start.Clone(), nil, rand.New(rand.NewPCG(seed, 1)))
		seen[moves[0]] = true
	}
	if len(seen) != 9 {
		t.Errorf("%d of 9 first moves", len(seen))
	}
}

// starts returns the openings of the games of a run's first shard.
func starts(t *testing.T, dir string, size int) (list [][]game.Move) {
	t.Helper()
	shard, err := samples.ReadFile(filepath.Join(dir, samples.ShardName(0)))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range shard.Header.Games {
		moves, err := (gomoku.Notation{Size: size}).ParseMoves(g.From)
		if err != nil {
			t.Fatalf("game %d starts from %q: %v", g.ID, g.From, err)
		}
		list = append(list, moves)
	}
	return list
}

// TestBalance wants balanced openings where the net finds any, and the most
// balanced one where it finds none.
func TestBalance(t *testing.T) {
	s, o := gomokuSetup(t, "freestyle", 7), Options{Games: 6, Playouts: 4, MaxPlies: 9,
		Opening: Opening{MinPlies: 2, MaxPlies: 6, MaxValue: 0.1, Tries: 200}}
	dir := t.TempDir()
	mustRun(t, s, o, Host{Dir: dir})
	for i, moves := range starts(t, dir, 7) {
		if len(moves) < 2 {
			t.Fatalf("game %d starts after %d moves", i, len(moves))
		}
		pos := s.Start.Clone()
		for _, m := range moves {
			pos.Play(m)
		}
		if v := value(t, pos); v > 0.1 || v < -0.1 {
			t.Errorf("game %d starts from a position of value %v", i, v)
		}
	}
	s.Evaluator = func(int, *nn.Turn) (nn.Evaluator, error) { return fixedValue{nn.NewUniform(8), 0.9, 0}, nil }
	o.Opening.Tries = 3
	if sum := mustRun(t, s, o, Host{Dir: t.TempDir()}); sum.Games != 6 {
		t.Errorf("%+v", sum)
	}
}

// Where the first draws end the game, more are made; where no draw leaves one, the run
// says so and plays no other game than was asked for.
func TestNoOpening(t *testing.T) {
	s := gomokuSetup(t, "freestyle", 5)
	o := Options{Games: 1, Playouts: 4, Opening: Opening{MinPlies: 25, MaxPlies: 25}}
	_, err := Play(t.Context(), s, o, Host{Dir: t.TempDir()})
	if want := "none of 1000 random openings of 25 to 25 moves leaves the game open: use fewer"; err == nil ||
		!strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	o.Opening = Opening{MinPlies: 14, MaxPlies: 14, Tries: 1}
	o.Games = 8
	dir := t.TempDir()
	mustRun(t, s, o, Host{Dir: dir})
	for i, moves := range starts(t, dir, 5) {
		if len(moves) != 14 {
			t.Errorf("game %d starts after %d moves: want 14", i, len(moves))
		}
	}
}

// value is the mock's opinion of pos.
func value(t testing.TB, pos game.Position) float32 {
	t.Helper()
	mock, moves := nn.NewMock(3), pos.Moves(nil)
	r := nn.Result{Priors: make([]float32, len(moves))}
	if !mock.Add(pos, mock.Tag(pos), moves, &r) {
		if err := mock.Wait(context.Background(), nn.All); err != nil {
			t.Fatal(err)
		}
	}
	return r.Value()
}

// A game that is dealt starts from what is dealt, each from its own; what cannot be
// dealt ends the run with its error.
func TestDealtStarts(t *testing.T) {
	setup, o := mnkSetup(), small()
	o.Games, o.GamesPerShard, o.Opening = 4, 4, Opening{}
	dealt := map[game.Move]int{}
	setup.Deal = func(rng *rand.Rand) (game.Position, error) {
		pos := gametest.NewMNK(3, 3, 3)
		m := game.Move(rng.IntN(9))
		dealt[m]++
		pos.Play(m)
		return pos, nil
	}
	setup.Format = func(_ game.Position, moves []game.Move) string {
		return gametest.NewMNK(3, 3, 3).Notation().FormatMoves(moves)
	}
	sum := mustRun(t, setup, o, Host{Dir: t.TempDir()})
	if n := sum.Games; n != 4 || len(dealt) < 2 {
		t.Errorf("%d games from %v", n, dealt)
	}
	broken := errors.New("no cards")
	setup.Deal = func(*rand.Rand) (game.Position, error) { return nil, broken }
	if _, err := Play(t.Context(), setup, o, Host{Dir: t.TempDir()}); !errors.Is(err, broken) {
		t.Errorf("what cannot be dealt: %v", err)
	}
}
