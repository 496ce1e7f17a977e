package selfplay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay/samples"
)

// listLabeler says the same of every position.
type listLabeler struct{ opinion Opinion }

func (*listLabeler) Forget()                                                 {}
func (*listLabeler) Nodes() int64                                            { return 0 }
func (*listLabeler) Balance(context.Context, game.Position) (float64, error) { return 0, nil }
func (l *listLabeler) Search(_ context.Context, _ game.Position, _ int, o *Opinion) error {
	o.Moves = append(o.Moves[:0], l.opinion.Moves...)
	o.Static, o.Proven = l.opinion.Static, l.opinion.Proven
	return nil
}

// played counts the moves that a teacher's games take at a temperature, over seeds.
func played(t *testing.T, o Opinion, s mcts.Schedule) map[game.Move]int {
	t.Helper()
	opts := LabelOptions{Lines: 3, TargetTemperature: 0.5, Temperature: s, MaxLoss: 2}
	j := newLabelPlayer(&opts, &listLabeler{o})
	counts := map[game.Move]int{}
	for seed := range uint64(200) {
		if err := j.start(gametest.NewMNK(3, 3, 3), seed); err != nil {
			t.Fatal(err)
		}
		v, err := j.search(t.Context(), int(seed%5))
		if err != nil {
			t.Fatal(err)
		}
		if len(v.moves) != len(o.Moves) || v.rootQ != o.Moves[0].Value || v.netQ != o.Static || v.proven != o.Proven || !v.full || v.weight != 1 {
			t.Fatalf("%+v of %+v", v, o)
		}
		sum := float32(0)
		for _, m := range v.moves {
			sum += m.target
		}
		if !(sum > 0.999 && sum < 1.001) {
			t.Fatalf("the targets of %+v sum to %v", v, sum)
		}
		counts[v.move]++
	}
	return counts
}

// At a temperature of 0 the best move is played; above it, and where nothing
// is proven, others as well.
func TestTeachersTemperature(t *testing.T) {
	moves := []Scored{{Move: 4, Value: 0.2}, {Move: 2, Value: 0.2}, {Move: 7, Value: 0.1}}
	warm := mcts.Schedule{Start: 1, End: 1, HalfLife: 1}
	for _, s := range []mcts.Schedule{{HalfLife: 1}, {HalfLife: 10}} {
		if got := played(t, Opinion{Moves: moves, Static: 0.1}, s); got[4] != 200 {
			t.Errorf("at temperature 0: %v, want the best move 200 times", got)
		}
	}
	if got := played(t, Opinion{Moves: moves}, warm); got[4] == 0 || got[2] == 0 || got[7] == 0 {
		t.Errorf("at temperature 1: %v, want each of the three", got)
	}
	won := []Scored{{Move: 4, Value: 1}, {Move: 2, Value: 1}, {Move: 7, Value: 0.1}}
	if got := played(t, Opinion{Moves: won, Proven: game.Won}, warm); got[4] != 200 {
		t.Errorf("in a won position: %v, want the first move 200 times", got)
	}
	if got := played(t, Opinion{Moves: moves[1:]}, warm); got[2] == 0 || got[7] == 0 {
		t.Errorf("of two moves: %v, want both", got)
	}
	if got := played(t, Opinion{Moves: moves[:1]}, warm); got[4] != 200 {
		t.Errorf("of one move: %v", got)
	}
}

// Whoever deals the games of a run that follows a file is told for each shard which
// network plays it and from which game on, as the run itself records it.
func TestAssigner(t *testing.T) {
	o := followOptions()
	o.GamesPerShard = 4
	f := &toyFile{content: func(look int) []byte { return weights(byte(4 + look)) }}
	setup, dir := followed(f), t.TempDir()
	run, err := Plan(setup, o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := samples.Create(samples.Disk{}, dir, run, func() time.Time { return time.Time{} })
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	a := NewAssigner(setup, o, out)
	for id := range 12 {
		by, err := a.Of(id)
		seed := byte(4 + id/4)
		want := samples.PlayedBy{FromGame: id / 4 * 4, Model: fmt.Sprintf("net-%d", seed), SHA256: digestOf(weights(seed))}
		if err != nil || by != want {
			t.Errorf("game %d: %+v, %v, want %+v", id, by, err, want)
		}
	}
	if f.looks != 3 {
		t.Errorf("%d looks at the file, want one for each of 3 shards", f.looks)
	}
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
