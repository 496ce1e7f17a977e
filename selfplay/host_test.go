package selfplay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// small are options that reach every part of a run in little time.
func small() Options {
	return Options{
		Games: 7, GamesPerShard: 3, Seed: 11, Playouts: 24, CheapPlayouts: 8, FullShare: 0.6, CheapWeight: 0.5,
		Opening: Opening{MinPlies: 1, MaxPlies: 4, MaxValue: 0.2},
	}
}

// mustRun plays a run to its end, by default on a disk that does not wait.
func mustRun(t testing.TB, s Setup, o Options, h Host) Summary {
	t.Helper()
	if h.Files == nil {
		h.Files = quickDisk{}
	}
	sum, err := Play(context.Background(), s, o, h)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func verified(t testing.TB, dir string, open samples.CodecFunc) samples.Report {
	t.Helper()
	r, err := samples.Verify(context.Background(), open, 5, dir)
	if err != nil || r.Bad > 0 {
		t.Fatalf("error %v, problems %v", err, r.Problems)
	}
	return r
}

// TestBytesDoNotDependOnTheHost plays the same runs with different numbers of
// workers and games at once, and another seed.
func TestBytesDoNotDependOnTheHost(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup Setup
		open  samples.CodecFunc
	}{
		{"caro", gomokuSetup(t, "caro", 6), gomokuCodecOf},
		{"renju", gomokuSetup(t, "renju", 7), gomokuCodecOf},
		{"mnk", mnkSetup(), mnkCodecOf},
	} {
		var want map[string]string
		for i, h := range []Host{
			{}, {Workers: 2}, {Workers: 1, AtOnce: 1}, {Workers: 2, AtOnce: 3}, {Workers: 5, AtOnce: 2},
		} {
			h.Dir = t.TempDir()
			mustRun(t, c.setup, small(), h)
			got := contents(t, h.Dir)
			if i == 0 {
				want = got
				if r := verified(t, h.Dir, c.open); r.Games != 7 || r.Shards != 3 || r.Rows < 14 {
					t.Errorf("%s: %+v", c.name, r)
				}
			}
			sameFiles(t, c.name, got, want)
		}
		// few positions wait at a time, or none
		for _, mock := range []nn.Mock{{Queue: 1}, {Queue: 3}, {Immediate: true}} {
			setup, dir := c.setup, t.TempDir()
			setup.Evaluator = func(int, *nn.Turn) (nn.Evaluator, error) {
				m := nn.NewMock(3)
				m.Queue, m.Immediate = mock.Queue, mock.Immediate
				return m, nil
			}
			mustRun(t, setup, small(), Host{Dir: dir, Workers: 2})
			sameFiles(t, c.name+", queue", contents(t, dir), want)
		}
		other := small()
		other.Seed++
		dir := t.TempDir()
		mustRun(t, c.setup, other, Host{Dir: dir})
		if name := samples.ShardName(0); contents(t, dir)[name] == want[name] {
			t.Errorf("%s: another seed gives the same shard", c.name)
		}
	}
}

// reproducible plays a run to its end, with other numbers of workers, and interrupted after
// every third game: the shards have the same bytes. It returns the first one's directory.
func reproducible(t *testing.T, s Setup, o Options, open samples.CodecFunc) (dir string) {
	t.Helper()
	dir = t.TempDir()
	mustRun(t, s, o, Host{Dir: dir})
	verified(t, dir, open)
	want := contents(t, dir)
	for _, workers := range []int{2, 7} {
		dir := t.TempDir()
		mustRun(t, s, o, Host{Dir: dir, Workers: workers})
		sameFiles(t, "workers", contents(t, dir), want)
	}
	for after := 1; after < o.Games-2; after += 3 { // each worker may be one game ahead
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		sum, err := Play(ctx, s, o, Host{Dir: dir, Files: quickDisk{}, Workers: 2, Progress: func(p Summary) {
			if p.Games == after {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || sum.Games < after || sum.OnDisk != sum.Games || sum.Games == o.Games {
			t.Fatalf("error %v, %+v", err, sum)
		}
		if sum.Lost > 2 || sum.Games+sum.Lost > o.Games {
			t.Errorf("%d games lost of two under way, after %d of %d", sum.Lost, sum.Games, o.Games)
		}
		rest := mustRun(t, s, o, Host{Dir: dir, Resume: true, Workers: 3})
		if rest.Games+sum.Games != o.Games || rest.OnDisk != o.Games || rest.Lost != 0 {
			t.Errorf("%d and %d games of %d", sum.Games, rest.Games, o.Games)
		}
		sameFiles(t, "resumed", contents(t, dir), want)
	}
	return dir
}

// A run goes on only where it is resumed, and with the same options.
func TestCancelAndResume(t *testing.T) {
	s, o := gomokuSetup(t, "standard", 6), small()
	dir := reproducible(t, s, o, gomokuCodecOf)
	if _, err := Play(t.Context(), s, o, Host{Dir: dir}); !errors.Is(err, samples.ErrExists) {
		t.Errorf("without resume: %v", err)
	}
	if again := mustRun(t, s, o, Host{Dir: dir, Resume: true}); again.Games != 0 || again.OnDisk != o.Games {
		t.Errorf("a finished run plays %d games", again.Games)
	}
	o.Playouts++
	if _, err := Play(t.Context(), s, o, Host{Dir: dir, Resume: true}); !errors.Is(err, samples.ErrOptions) ||
		!strings.Contains(err.Error(), "playouts is 24 there and 25 now") {
		t.Errorf("other options: %v", err)
	}
}

func TestRunErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		change func(s *Setup, o *Options)
		want   string
	}{
		{"evaluator", func(s *Setup, _ *Options) {
			s.Evaluator = func(int, *nn.Turn) (nn.Evaluator, error) { return nil, broken }
		}, "broken"},
		{"one of two", func(s *Setup, _ *Options) {
			s.Evaluator = func(w int, _ *nn.Turn) (nn.Evaluator, error) {
				if w == 1 {
					return nil, broken
				}
				return nn.NewUniform(9), nil
			}
		}, "broken"},
		{"games", func(_ *Setup, o *Options) { o.Games = 0 }, "games 0: want 1.."},
		{"playouts", func(_ *Setup, o *Options) { o.Playouts = 1 }, "playouts 1: want at least 2"},
		{"labeler", func(s *Setup, _ *Options) {
			s.Labeler = func(int) (Labeler, error) { return nil, broken }
		}, "broken"},
		{"labeler's search", func(s *Setup, _ *Options) {
			s.Labeler = func(int) (Labeler, error) { return &minimaxLabeler{fails: 9}, nil }
		}, "out of chalk"},
		{"names", func(s *Setup, _ *Options) { s.Header.Globals = []string{"one"} }, "globals"},
	} {
		s, o := mnkSetup(), small()
		c.change(&s, &o)
		_, err := Play(context.Background(), s, o, Host{Dir: t.TempDir(), Workers: 2})
		if !oneLine(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestEvaluatorFails lets the evaluator fail in the middle of the run.
func TestEvaluatorFails(t *testing.T) {
	s, o := mnkSetup(), small()
	broken := errors.New("broken")
	s.Evaluator = func(int, *nn.Turn) (nn.Evaluator, error) {
		return &failing{Mock: nn.NewMock(3), runs: 40, err: broken}, nil
	}
	dir := t.TempDir()
	sum, err := Play(context.Background(), s, o, Host{Dir: dir, AtOnce: 1})
	if !errors.Is(err, broken) || sum.Games == o.Games {
		t.Fatalf("error %v, %+v", err, sum)
	}
	mustRun(t, mnkSetup(), o, Host{Dir: dir, Resume: true})
	whole := t.TempDir()
	mustRun(t, mnkSetup(), o, Host{Dir: whole})
	sameFiles(t, "resumed", contents(t, dir), contents(t, whole))
}

type failing struct {
	*nn.Mock
	runs int
	err  error
}

func (f *failing) Wait(ctx context.Context, n int) error {
	if f.runs--; f.runs < 0 {
		return f.err
	}
	return f.Mock.Wait(ctx, n)
}

func TestSummary(t *testing.T) {
	s, o := mnkSetup(), small()
	made := []int{}
	s.Solver = func(worker int) mcts.Solver { made = append(made, worker); return mcts.NoSolver{} }
	var calls []Summary
	sum := mustRun(t, s, o,
		Host{Dir: t.TempDir(), Now: ticks(), Progress: func(p Summary) { calls = append(calls, p) }})
	if sum.Games != 7 || sum.First+sum.Second+sum.Draws != 7 || sum.Of != 7 || sum.OnDisk != 7 || sum.Shards != 3 {
		t.Errorf("%+v", sum)
	}
	if sum.Stats.Evals == 0 || sum.Elapsed <= 0 || sum.MeanLength() < 5 || sum.MeanLength() > 9 {
		t.Errorf("%+v, mean length %v", sum, sum.MeanLength())
	}
	if sum.EvalsPerSecond() != float64(sum.Stats.Evals)/sum.Elapsed.Seconds() || sum.PositionsPerSecond() <= 0 {
		t.Errorf("%v evals/s, %v positions/s", sum.EvalsPerSecond(), sum.PositionsPerSecond())
	}
	if len(calls) != 7 || calls[6].OnDisk != 7 || calls[0].Games != 1 {
		t.Errorf("progress %+v", calls)
	}
	if len(made) != 1 || made[0] != 0 {
		t.Errorf("solvers for workers %v", made)
	}
	var none Summary
	if none.MeanLength() != 0 || none.EvalsPerSecond() != 0 {
		t.Error("a division by zero")
	}
}

// The header has every option with the value that is used, in the order of the options, and
// nothing about the host. A run goes on when its defaults are spelt out.
func TestHeaderHasEffectiveOptions(t *testing.T) {
	s, o, dir := mnkSetup(), small(), t.TempDir()
	s.Header.Search = samples.OrderedMap{{Key: "symmetry", Value: "hash"}}
	mustRun(t, s, o, Host{Dir: dir, Workers: 2})
	const want = "[{playouts 24} {cheap_playouts 8} {full_share 0.6} {cheap_weight 0.5} " +
		"{temperature [{start 1} {end 0.2} {half_life 10}]} {drop_tree false} " +
		"{opening [{min_plies 1} {max_plies 4} {distance 2} {max_value 0.2} {tries 16}]} " +
		"{max_plies 0} {resign_at 0} {resign_turns 3} {stop_at_proof false} " +
		"{search [{in_flight 2} {c_init 1.25} {c_base 19652} {spread 0.5} {fpu_reduction 0.2} " +
		"{root_fpu_reduction 0.1} {stride 0.35} {noise_total 10.83} {noise_fraction 0.25} {lcb 2} " +
		"{early_stop false} {memory 268435456}]} {policy_target visits} {symmetry hash}]"
	if h := readAll(t, dir)[0].Header; fmt.Sprint(h.Search) != want || h.Seed != 11 {
		t.Errorf("%v", h.Search)
	}
	mustRun(t, s, o.WithDefaults(), Host{Dir: dir, Resume: true})
	o.Search.LCB = 1
	if _, err := Play(t.Context(), s, o, Host{Dir: dir, Resume: true}); !errors.Is(err, samples.ErrOptions) ||
		!strings.Contains(err.Error(), "lcb is 2 there and 1 now") {
		t.Errorf("another option: %v", err)
	}
}

func TestRows(t *testing.T) {
	s, o := gomokuSetup(t, "caro", 6), small()
	o.Seed = 1 // some of its rows are proven
	dir := t.TempDir()
	mustRun(t, s, o, Host{Dir: dir})
	full, cheap, proven := 0, 0, 0
	for k := range 3 {
		shard, err := samples.ReadFile(filepath.Join(dir, samples.ShardName(k)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range shard.Columns.Rows {
			r := shard.Columns.Row(i)
			weight := float32(1)
			if r.FullSearch == 1 {
				full++
			} else {
				cheap++
				weight = 0.5
			}
			if r.Weight != weight {
				t.Errorf("weight %v of a row with full_search %d", r.Weight, r.FullSearch)
			}
			if r.Proven == samples.ProvenWin {
				proven++
			}
		}
	}
	if full < 10 || cheap < 10 || proven == 0 {
		t.Errorf("%d full, %d cheap, %d proven rows", full, cheap, proven)
	}
	o.CheapWeight = 0
	dir = t.TempDir()
	sum := mustRun(t, s, o, Host{Dir: dir})
	if sum.Positions != full {
		t.Errorf("%d rows without the cheap ones, want %d", sum.Positions, full)
	}
	verified(t, dir, gomokuCodecOf)
}

// TestEndings wants the ways to end a game that the options offer.
func TestEndings(t *testing.T) {
	for _, c := range []struct {
		reason game.Reason
		change func(s *Setup, o *Options)
	}{
		{game.MoveLimit, func(_ *Setup, o *Options) { o.MaxPlies = 6 }},
		{game.Proven, func(_ *Setup, o *Options) { o.StopAtProof = true }},
		{game.Resigned, func(s *Setup, o *Options) {
			o.ResignAt, o.ResignTurns = 0.05, 2
		}},
	} {
		s, o := gomokuSetup(t, "freestyle", 6), small()
		o.FullShare, o.Opening = 1, Opening{}
		c.change(&s, &o)
		dir := t.TempDir()
		mustRun(t, s, o, Host{Dir: dir})
		verified(t, dir, gomokuCodecOf)
		total, _, err := samples.Inspect(dir)
		if err != nil || total.Reasons[string(c.reason)] == 0 {
			t.Errorf("%s: %v, error %v", c.reason, total.Reasons, err)
		}
	}
}
