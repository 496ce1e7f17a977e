package selfplay

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay/samples"
)

// minimaxLabeler knows the exact value of every position of tic-tac-toe, and what
// it has been asked since it last forgot.
type minimaxLabeler struct {
	asked, games int
	fails        int // fails when that many positions were judged; 0: never
}

func (m *minimaxLabeler) Forget()      { m.games++ }
func (m *minimaxLabeler) Nodes() int64 { return int64(m.asked) }

func (m *minimaxLabeler) Balance(ctx context.Context, pos game.Position) (float64, error) {
	return float64(minimax(pos)), ctx.Err()
}

func (m *minimaxLabeler) Search(ctx context.Context, pos game.Position, lines int, o *Opinion) error {
	if m.asked++; m.asked == m.fails {
		return errors.New("out of chalk")
	}
	o.Moves, o.Static, o.Proven = o.Moves[:0], 0, game.Unproven
	for _, move := range pos.Moves(nil) {
		pos.Play(move)
		o.Moves = append(o.Moves, Scored{Move: move, Value: float32(-minimax(pos))})
		pos.Undo()
	}
	slices.SortStableFunc(o.Moves, func(a, b Scored) int { return cmp.Compare(b.Value, a.Value) })
	o.Moves = o.Moves[:min(lines, len(o.Moves))]
	if o.Moves[0].Value == 1 {
		o.Proven = game.Won
	}
	return ctx.Err()
}

// known holds the values of positions by their hash.
var known sync.Map

// minimax returns the result for the side to move, played out to the end.
func minimax(pos game.Position) int {
	if o := pos.Outcome(); o != game.Undecided {
		return o.Value(pos.ToMove())
	}
	if v, ok := known.Load(pos.Hash()); ok {
		return v.(int)
	}
	best := -1
	for _, m := range pos.Moves(nil) {
		pos.Play(m)
		best = max(best, -minimax(pos))
		pos.Undo()
	}
	known.Store(pos.Hash(), best)
	return best
}

// taughtSetup plays tic-tac-toe with the minimax teacher.
func taughtSetup() Setup {
	s := mnkSetup()
	s.Evaluator, s.Header.Model = nil, "minimax"
	s.Labeler = func(int) (Labeler, error) { return &minimaxLabeler{}, nil }
	return s
}

func taughtOptions() Options {
	return Options{
		Games: 20, GamesPerShard: 6, Seed: 5, Opening: Opening{MinPlies: 0, MaxPlies: 4, MaxValue: 1},
		Labels: LabelOptions{Lines: 9, TargetTemperature: 0.5, Temperature: mcts.Schedule{Start: 3, End: 3, HalfLife: 1}, MaxLoss: 2},
	}
}

// TestTaughtBytes plays a run with any number of workers, and goes on with one
// that was cut short after each game.
func TestTaughtBytes(t *testing.T) {
	dir := t.TempDir()
	sum := mustRun(t, taughtSetup(), taughtOptions(), Host{Dir: dir, Now: ticks()})
	want := contents(t, dir)
	if r := verified(t, dir, mnkCodecOf); r.Games != 20 || r.Shards != 4 {
		t.Errorf("%+v", r)
	}
	if sum.Nodes != int64(sum.Positions) || sum.NodesPerSecond() <= 0 {
		t.Errorf("%d positions, %d nodes, %v a second", sum.Positions, sum.Nodes, sum.NodesPerSecond())
	}
	for _, workers := range []int{2, 7} {
		dir := t.TempDir()
		mustRun(t, taughtSetup(), taughtOptions(), Host{Dir: dir, Workers: workers, AtOnce: 5, Now: ticks()})
		sameFiles(t, "workers", shardsOf(contents(t, dir)), shardsOf(want))
	}
	for after := 1; after < 18; after += 4 {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		_, err := Play(ctx, taughtSetup(), taughtOptions(), Host{Dir: dir, Progress: func(s Summary) {
			if s.Games == after {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d games: error %v", after, err)
		}
		mustRun(t, taughtSetup(), taughtOptions(), Host{Dir: dir, Resume: true, Workers: 2})
		sameFiles(t, "resumed", shardsOf(contents(t, dir)), shardsOf(want))
	}
}

// shardsOf returns the shards among a run's files: the manifest tells the time.
func shardsOf(files map[string]string) map[string]string {
	list := map[string]string{}
	for name, text := range files {
		if filepath.Ext(name) == ".zst" {
			list[name] = text
		}
	}
	return list
}

// TestTaughtRows compares what the rows say to minimax: what wins has everything,
// what loses nothing, unless there is nothing else.
func TestTaughtRows(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, taughtSetup(), taughtOptions(), Host{Dir: dir})
	s, err := samples.ReadFile(filepath.Join(dir, samples.ShardName(0)))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Header.Search.Get(samples.TargetKey); got != samples.TargetScores {
		t.Errorf("the target is of %v", got)
	}
	for i := range s.Columns.Rows {
		g := s.Header.Games[s.Columns.Game[i]]
		_, moves, err := mnkCodec().Parse(g.Moves)
		if err != nil {
			t.Fatal(err)
		}
		pos := mnkSetup().Start.Clone()
		for _, m := range moves[:s.Columns.Ply[i]] {
			pos.Play(m)
		}
		checkTaught(t, pos, s.Columns.Row(i), moves[s.Columns.Ply[i]])
	}
}

// checkTaught compares one row.
func checkTaught(t *testing.T, pos game.Position, row samples.Row, played game.Move) {
	t.Helper()
	best := minimax(pos)
	if row.RootQ != float32(best) || (row.Proven == samples.ProvenWin) != (best == 1) {
		t.Errorf("root_q %v, proven %d of a position worth %d", row.RootQ, row.Proven, best)
	}
	alike := 0
	values := map[uint16]int{}
	for _, a := range row.Actions {
		pos.Play(game.Move(a))
		values[a] = -minimax(pos)
		pos.Undo()
		if values[a] == best {
			alike++
		}
	}
	for j, a := range row.Actions {
		want := 0.0
		if values[a] == best {
			want = 1 / float64(alike)
		}
		if best == 0 && alike < len(row.Actions) { // losses have nothing, draws share alike
			want = map[bool]float64{true: 1 / float64(alike)}[values[a] == 0]
		}
		if math.Abs(float64(row.Target[j])-want) > 1e-6 || row.Counts[j] != 0 {
			t.Errorf("move %d worth %d of %d: target %v, visits %d, want %v", a, values[a], best, row.Target[j], row.Counts[j], want)
		}
	}
	if values[uint16(played)] != best {
		t.Errorf("a move worth %d was played, the best is worth %d", values[uint16(played)], best)
	}
}

// TestShares compares shares to the definition, and draws to the shares.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float32Range(-1, 1), 1, 6).Draw(t, "values")
		slices.SortFunc(values, func(a, b float32) int { return cmp.Compare(b, a) })
		temperature := rapid.Float64Range(0.01, 3).Draw(t, "temperature")
		most := rapid.Float64Range(0, 2).Draw(t, "most")
		scored := make([]Scored, len(values))
		for i, v := range values {
			scored[i] = Scored{Move: game.Move(i), Value: v}
		}
		got := shares(nil, scored, temperature, most)
		sum, total := 0.0, 0.0
		weight := func(v float32) float64 {
			best := values[0]
			if best == 1 && v < 1 || best > -1 && v == -1 || float64(best)-float64(v) > most {
				return 0
			}
			return math.Exp(float64(v) / temperature)
		}
		for _, v := range values {
			total += weight(v)
		}
		for i, v := range values {
			sum += got[i]
			if want := weight(v) / total; math.Abs(got[i]-want) > 1e-9 {
				t.Fatalf("share %d is %v, want %v", i, got[i], want)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("the shares sum to %v", sum)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		if i := draw(got, rng); got[i] == 0 {
			t.Fatalf("drew %d, which has no share of %v", i, got)
		}
	})
}
