package selfplay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
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

func mustRun(t testing.TB, s Setup, o Options, h Host) Summary {
	t.Helper()
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
		for i, h := range []Host{{}, {Workers: 2}, {Workers: 1, AtOnce: 1}, {Workers: 2, AtOnce: 3}, {Workers: 5, AtOnce: 2}} {
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
		other := small()
		other.Seed++
		dir := t.TempDir()
		mustRun(t, c.setup, other, Host{Dir: dir})
		if name := samples.ShardName(0); contents(t, dir)[name] == want[name] {
			t.Errorf("%s: another seed gives the same shard", c.name)
		}
	}
}

// TestBatchesDoNotMatter lets few positions wait at a time, or none.
func TestBatchesDoNotMatter(t *testing.T) {
	s := gomokuSetup(t, "freestyle", 6)
	dir := t.TempDir()
	mustRun(t, s, small(), Host{Dir: dir})
	want := contents(t, dir)
	for _, mock := range []nn.Mock{{Queue: 1}, {Queue: 3}, {Immediate: true}} {
		s.Evaluator = func(int) (nn.Evaluator, error) {
			m := nn.NewMock(3)
			m.Queue, m.Immediate = mock.Queue, mock.Immediate
			return m, nil
		}
		dir := t.TempDir()
		mustRun(t, s, small(), Host{Dir: dir, Workers: 2})
		sameFiles(t, "queue", contents(t, dir), want)
	}
}

// TestCancelAndResume ends a run after each number of games and goes on with
// another number of workers.
func TestCancelAndResume(t *testing.T) {
	s, o := gomokuSetup(t, "standard", 6), small()
	dir := t.TempDir()
	mustRun(t, s, o, Host{Dir: dir})
	want := contents(t, dir)
	lost := 0
	for after := 1; after < o.Games-1; after++ { // the worker may be one game ahead
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		sum, err := Play(ctx, s, o, Host{Dir: dir, AtOnce: 2, Progress: func(p Summary) {
			if p.Games == after {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || sum.Games < after || sum.OnDisk != sum.Games {
			t.Fatalf("error %v, %+v", err, sum)
		}
		if lost += sum.Lost; sum.Lost > 2 || sum.Games+sum.Lost > o.Games {
			t.Errorf("%d games lost of two under way, after %d of %d", sum.Lost, sum.Games, o.Games)
		}
		if sum.Games == o.Games {
			t.Fatalf("cancelled after %d games, all were played", after)
		}
		if _, err := Play(context.Background(), s, o, Host{Dir: dir}); !errors.Is(err, samples.ErrExists) {
			t.Fatalf("without resume: %v", err)
		}
		rest := mustRun(t, s, o, Host{Dir: dir, Resume: true, Workers: 3})
		if rest.Games+sum.Games != o.Games || rest.OnDisk != o.Games || rest.Lost != 0 {
			t.Errorf("%d and %d games of %d", sum.Games, rest.Games, o.Games)
		}
		sameFiles(t, "resumed", contents(t, dir), want)
	}
	again := mustRun(t, s, o, Host{Dir: dir, Resume: true})
	if again.Games != 0 || again.OnDisk != o.Games {
		t.Errorf("a finished run plays %d games", again.Games)
	}
	o.Playouts++
	if _, err := Play(context.Background(), s, o, Host{Dir: dir, Resume: true}); !errors.Is(err, samples.ErrOptions) || !strings.Contains(err.Error(), "playouts is 24 there and 25 now") {
		t.Errorf("other options: %v", err)
	}
	if lost == 0 {
		t.Error("no game was under way when its run was cancelled")
	}
}

// TestFullDisk fills the disk at several points; with room again the run ends
// as if nothing had been.
// A run whose directory goes is not one to resume.
func TestRemovedDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	sum, err := Play(ctx, mnkSetup(), small(), Host{Dir: dir, Progress: func(s Summary) {
		if s.OnDisk == 2 {
			cancel()
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
	}})
	if !oneLine(err) || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "was removed") || sum.OnDisk != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}

func TestFullDisk(t *testing.T) {
	s, o := mnkSetup(), small()
	dir := t.TempDir()
	mustRun(t, s, o, Host{Dir: dir})
	want := contents(t, dir)
	total := 0
	for _, f := range want {
		total += 2 * len(f)
	}
	failed := 0
	for room := 0; room < total; room += total / 23 {
		dir, left := filepath.Join(t.TempDir(), "run"), room
		_, err := Play(context.Background(), s, o, Host{Dir: dir, Workers: 2, Files: fullDisk{left: &left}})
		if err == nil {
			continue
		}
		failed++
		if !errors.Is(err, errFull) || !oneLine(err) {
			t.Fatalf("error %v", err)
		}
		mustRun(t, s, o, Host{Dir: dir, Resume: true})
		sameFiles(t, "resumed", contents(t, dir), want)
	}
	if failed < 5 {
		t.Errorf("the disk was full %d times only", failed)
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
			s.Evaluator = func(int) (nn.Evaluator, error) { return nil, broken }
		}, "broken"},
		{"one of two", func(s *Setup, _ *Options) {
			s.Evaluator = func(w int) (nn.Evaluator, error) {
				if w == 1 {
					return nil, broken
				}
				return nn.NewUniform(9), nil
			}
		}, "broken"},
		{"games", func(_ *Setup, o *Options) { o.Games = 0 }, "games 0: want 1.."},
		{"playouts", func(_ *Setup, o *Options) { o.Playouts = 1 }, "playouts 1: want at least 2"},
		{"opening", func(_ *Setup, o *Options) { o.Opening.MinPlies = 9 }, "opening-min 9: want at most opening-max 4"},
		{"limit", func(_ *Setup, o *Options) { o.MaxPlies = 3 }, "games end after 3 moves"},
		{"names", func(s *Setup, _ *Options) { s.Header.Globals = []string{"one"} }, "globals"},
		{"start", func(s *Setup, _ *Options) { s.Start = s.Start.Clone(); s.Start.Play(0) }, "start position"},
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
	s.Evaluator = func(int) (nn.Evaluator, error) { return &failing{Mock: nn.NewMock(3), runs: 40, err: broken}, nil }
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
	sum := mustRun(t, s, o, Host{Dir: t.TempDir(), Now: ticks(), Progress: func(p Summary) { calls = append(calls, p) }})
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

// TestHeaderRecordsOptions wants what can change a result in the header, and
// nothing about the host.
func TestHeaderRecordsOptions(t *testing.T) {
	s, o := mnkSetup(), small()
	s.Header.Search = samples.Fields{{Key: "symmetry", Value: "hash"}}
	dir := t.TempDir()
	mustRun(t, s, o, Host{Dir: dir, Workers: 2})
	shard, err := samples.ReadFile(filepath.Join(dir, samples.ShardName(0)))
	if err != nil {
		t.Fatal(err)
	}
	h := shard.Header
	for key, want := range map[string]any{
		"playouts": int64(24), "cheap_playouts": int64(8), "full_share": 0.6, "policy_target": "visits", "symmetry": "hash",
	} {
		if got, _ := h.Search.Get(key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	tree, _ := h.Search.Get("search")
	if k, _ := tree.(samples.Fields).Get("in_flight"); k != int64(2) {
		t.Errorf("in_flight is %v: its default must be spelt out", k)
	}
	if _, ok := h.Search.Get("workers"); ok || h.Seed != 11 {
		t.Errorf("%+v", h)
	}
}

// Every option of the search is in the header with the value that is used, in
// the order of the options, and so a run goes on when what it was begun with by
// default is spelt out.
func TestHeaderHasEffectiveOptions(t *testing.T) {
	s, o, dir := mnkSetup(), small(), t.TempDir()
	mustRun(t, s, o, Host{Dir: dir})
	shard, err := samples.ReadFile(filepath.Join(dir, samples.ShardName(0)))
	if err != nil {
		t.Fatal(err)
	}
	value, _ := shard.Header.Search.Get("search")
	got := value.(samples.Fields)
	want := samples.Fields{
		{Key: "in_flight", Value: int64(2)}, {Key: "c_init", Value: 1.25}, {Key: "c_base", Value: 19652.0},
		{Key: "spread", Value: 0.5}, {Key: "fpu_reduction", Value: 0.2}, {Key: "root_fpu_reduction", Value: 0.1},
		{Key: "stride", Value: 0.35}, {Key: "noise_total", Value: 10.83}, {Key: "noise_fraction", Value: 0.25}, {Key: "lcb", Value: 2.0},
		{Key: "early_stop", Value: false}, {Key: "memory", Value: int64(256 << 20)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("search is %v, want %v", got, want)
	}
	o.Search = mcts.Options{
		InFlight: 2, CInit: 1.25, CBase: 19652, Spread: 0.5, FPUReduction: 0.2, RootFPUReduction: 0.1, Stride: 0.35,
		NoiseTotal: 10.83, NoiseFraction: 0.25, LCB: 2, Memory: 256 << 20,
	}
	o.ResignTurns, o.Opening.Distance = 3, 2
	mustRun(t, s, o, Host{Dir: dir, Resume: true})
	o.Search.LCB = 1
	_, err = Play(t.Context(), s, o, Host{Dir: dir, Resume: true})
	if !errors.Is(err, samples.ErrOptions) || !strings.Contains(err.Error(), "header.search.search.lcb is 2 there and 1 now") {
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

func TestDropTree(t *testing.T) {
	s, o := mnkSetup(), small()
	o.DropTree, o.CheapPlayouts = true, 0
	dir := t.TempDir()
	mustRun(t, s, o, Host{Dir: dir})
	shard, err := samples.ReadFile(filepath.Join(dir, samples.ShardName(0)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range shard.Columns.Rows {
		sum := uint32(0)
		for _, n := range shard.Columns.Row(i).Counts {
			sum += n
		}
		if sum >= 24 {
			t.Errorf("row %d has %d visits of 24 playouts, the root's own included", i, sum)
		}
	}
}
