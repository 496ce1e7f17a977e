// Package bench measures the speed of the engine's parts, three figures each: the rules,
// the network alone, the two searches, and self-play. What uses the network is timed in
// turn with the network alone, so that a machine whose speed drifts skews no ratio.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
)

// Options say what is measured.
type Options struct {
	Duration time.Duration // of a measurement of the rules or of the network
	Playouts int           // of a search
	Depth    int           // of an alpha-beta search, in plies
	Threads  int           // that compute the network, and workers of self-play

	ProcessorTime func() time.Duration // that the process has taken

	// Open opens the network, which the caller closes. It is called once if a part
	// needs the network.
	Open func() (*networks.Net, error)
}

// LargestBatch is the number of rows of the largest batch.
const LargestBatch = 64

// Parts are the names of what can be measured.
var Parts = []string{"rules", "nn", "alphabeta", "mcts", "selfplay"}

// Report is what was measured.
type Report struct {
	Game    string `json:"game"`
	Rule    string `json:"rule"`
	Size    int    `json:"size"`
	Model   string `json:"model,omitempty"` // "": no part needed the network
	Threads int    `json:"threads"`

	// Parts has the figures of each part by their names.
	Parts map[string]map[string]float64 `json:"parts"`

	order [][]figure
}

type figure struct {
	part, name string
	value      float64
}

// Text writes a line a part.
func (r *Report) Text(w io.Writer) {
	fmt.Fprintf(w, "%s, %d threads", strings.TrimSpace(fmt.Sprintf("%s %dx%d %s", r.Rule, r.Size, r.Size, r.Model)),
		r.Threads)
	for _, list := range r.order {
		for i, f := range list {
			if i == 0 {
				fmt.Fprintf(w, "\n%-9s", f.part)
			}
			fmt.Fprintf(w, "  %s %.0f", f.name, f.value)
		}
	}
	fmt.Fprintln(w)
}

// Run measures parts of a variant, or all of them if none is named.
func Run(ctx context.Context, v games.Variant, o Options, parts ...string) (*Report, error) {
	if len(parts) == 0 {
		parts = Parts
	}
	r := &Report{Game: v.Game, Rule: v.Rule(), Size: v.Size, Threads: o.Threads, Parts: map[string]map[string]float64{}}
	var net *networks.Net
	for _, part := range parts {
		measure := map[string]func() ([]figure, error){
			"rules":     func() ([]figure, error) { return rules(ctx, v, o) },
			"nn":        func() ([]figure, error) { return network(ctx, net, o) },
			"alphabeta": func() ([]figure, error) { return alphaBeta(ctx, v, o.Depth) },
			"mcts":      func() ([]figure, error) { return tree(ctx, net, o) },
			"selfplay":  func() ([]figure, error) { return play(ctx, net, o) },
		}[part]
		if net == nil && part != "rules" && part != "alphabeta" {
			var err error
			if net, err = o.Open(); err != nil {
				return nil, err
			}
			r.Model = net.Name
		}
		list, err := measure()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		r.Parts[part] = map[string]float64{}
		for i := range list {
			list[i].part = part
			r.Parts[part][list[i].name] = list[i].value
		}
		r.order = append(r.order, list)
	}
	return r, nil
}

// rules plays random games through and back again, and lists moves and immediate wins
// along them, on one core.
func rules(ctx context.Context, v games.Variant, o Options) ([]figure, error) {
	pos, err := v.Start()
	if err != nil {
		return nil, err
	}
	games, total := randomGames(pos), 0
	for _, g := range games {
		total += len(g)
	}
	along := func(look func()) float64 {
		rounds, start := 0, time.Now()
		for rounds == 0 || time.Since(start) < o.Duration/3 && ctx.Err() == nil {
			for _, g := range games {
				for _, m := range g {
					look()
					pos.Play(m)
				}
				for range g {
					pos.Undo()
				}
			}
			rounds++
		}
		return float64(rounds*total) / time.Since(start).Seconds()
	}
	buf := make([]game.Move, 0, pos.MaxMoves())
	return []figure{
		{name: "play_undo_per_s", value: along(func() {})},
		{name: "move_lists_per_s", value: along(func() { buf = pos.Moves(buf[:0]) })},
		{name: "win_lists_per_s", value: along(func() { buf = pos.Wins(buf[:0]) })},
	}, nil
}

// randomGames returns the moves of random games from pos, at most 200 a game.
func randomGames(pos game.Position) [][]game.Move {
	const count, longest = 64, 200
	games := make([][]game.Move, count)
	for i := range games {
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		p := pos.Clone()
		for p.Outcome() == game.Undecided && len(games[i]) < longest {
			moves := p.Moves(nil)
			m := moves[rng.IntN(len(moves))]
			games[i] = append(games[i], m)
			p.Play(m)
		}
	}
	return games
}

// network times the network alone, on all threads, in batches of three sizes; on a device in
// more sizes, and which of them to take. Of a network without batches there is only the speed
// of a position at a time.
func network(ctx context.Context, net *networks.Net, o Options) (list []figure, err error) {
	if net.Batches() == nil {
		speed, err := atOnce(ctx, net, o.Duration)
		return []figure{{name: "evals_per_s", value: speed}}, err
	}
	batches, threads := []int{1, nn.DefaultMaxBatch, LargestBatch}, o.Threads
	if net.Device() != nil {
		batches, threads = []int{64, 128, 256, 512, 1024, 2048, 4096}, batchesUnderWay
	}
	for i, batch := range batches {
		raw, err := newRawMeter(ctx, net, batch, threads)
		if err == nil {
			err = raw.run(ctx, o.Duration/time.Duration(len(batches)))
		}
		if err != nil && net.Device() != nil && i > 0 && ctx.Err() == nil {
			break // it is too large for the device's memory
		}
		if err != nil {
			return nil, err
		}
		list = append(list, figure{name: fmt.Sprintf("evals_per_s_of_batches_of_%d", batch), value: raw.total.PerSecond()})
	}
	if net.Device() != nil {
		list = append(list, figure{name: "batch", value: float64(batches[enough(list)])})
	}
	return list, nil
}

// batchesUnderWay is how many batches a device computes at a time.
const batchesUnderWay = 2

// enough returns the first figure that reaches 95% of the largest: larger batches of a device
// gain little, and need more games at once.
func enough(list []figure) int {
	largest := slices.MaxFunc(list, func(a, b figure) int { return cmp.Compare(a.value, b.value) }).value
	return slices.IndexFunc(list, func(f figure) bool { return f.value >= 0.95*largest })
}

// atOnce times a network that answers at once by asking for the position behind each move,
// as a search does, on one thread.
func atOnce(ctx context.Context, net *networks.Net, d time.Duration) (float64, error) {
	list, err := positions(net.Variant())
	if err != nil {
		return 0, err
	}
	eval, err := net.Evaluator(nn.EvaluatorOptions{Capacity: 1, Threads: 1})
	if err != nil {
		return 0, err
	}
	form, start := net.Form(games.SolverNodes{}), time.Now()
	for more := true; more; more = time.Since(start) < d && ctx.Err() == nil {
		for _, pos := range list {
			pos = form(pos)
			for _, m := range pos.Moves(nil) {
				pos.Play(m)
				if next := pos.Moves(nil); len(next) > 0 {
					eval.Add(pos, nn.Tag{}, next, &nn.Result{Priors: make([]float32, len(next))})
				}
				pos.Undo()
			}
		}
	}
	return float64(eval.Stats().Evals) / time.Since(start).Seconds(), nil
}

// rawMeter times the network alone in slices, between slices of other work.
type rawMeter struct {
	net      nn.BatchNetwork
	enc      nn.Encoder
	opts     nn.RawOptions
	perRound time.Duration
	total    nn.RawResult
}

// newRawMeter warms the network up and learns how long a round takes. It returns nil for a
// network without batches.
func newRawMeter(ctx context.Context, net *networks.Net, batch, threads int) (*rawMeter, error) {
	if net.Batches() == nil {
		return nil, nil
	}
	enc, err := nn.EncoderFor(net.Batches(), net.Variant())
	if err != nil {
		return nil, err
	}
	m := &rawMeter{net: net.Batches(), enc: enc, opts: nn.RawOptions{
		Batch: batch, Threads: threads, Rounds: 4, Warmup: 2, Clock: time.Now,
	}}
	r, err := nn.MeasureRaw(ctx, m.net, m.enc, m.opts)
	m.perRound = max(r.Elapsed/4, time.Microsecond)
	m.opts.Warmup = 1
	return m, err
}

// run measures for about the given time and adds to the total; a nil meter does nothing.
func (m *rawMeter) run(ctx context.Context, d time.Duration) error {
	if m == nil {
		return nil
	}
	m.opts.Rounds = max(int(d/m.perRound), 1)
	r, err := nn.MeasureRaw(ctx, m.net, m.enc, m.opts)
	m.total = m.total.Plus(r)
	return err
}

// raw returns the figure of the network's speed, none of one without batches.
func (m *rawMeter) raw() []figure {
	if m == nil {
		return nil
	}
	return []figure{{name: "raw_evals_per_s", value: m.total.PerSecond()}}
}

// alphaBeta searches quiet positions to a depth on one thread, each with an empty table and
// without a solver beside the search. The signature is the number of nodes, which changes
// only with the search itself. A node is a move played.
func alphaBeta(ctx context.Context, v games.Variant, depth int) ([]figure, error) {
	list, err := quietPositions(v)
	if err != nil {
		return nil, err
	}
	c, err := engine.NewClassical(v, engine.ClassicalOptions{
		Search: alphabeta.Options{Threads: 1, TableMiB: 64},
		Proof:  engine.ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off},
	})
	if err != nil {
		return nil, err
	}
	var sum engine.Stats
	for _, pos := range list {
		c.Forget()
		found, err := engine.Complete(ctx, c, pos, engine.Limits{Depth: depth})
		if err != nil {
			return nil, err
		}
		sum.Nodes += found.Stats.Nodes
		sum.Elapsed += found.Stats.Elapsed
	}
	return []figure{
		{name: "nodes_per_s", value: float64(sum.Nodes) / sum.Elapsed.Seconds()},
		{name: "ms", value: float64(sum.Elapsed.Milliseconds())},
		{name: "signature", value: float64(sum.Nodes)},
	}, nil
}

// tree searches fixed positions without a cache, after a pass that is not counted.
func tree(ctx context.Context, net *networks.Net, o Options) ([]figure, error) {
	list, err := positions(net.Variant())
	if err != nil {
		return nil, err
	}
	settings := engine.DefaultTreeSettings(TreeMiB)
	batch := settings.Search.WithDefaults().InFlight
	if o.Threads > 1 {
		batch = 1
	}
	limits := mcts.Limits{Playouts: o.Playouts}
	if net.Device() != nil {
		batch = net.Device().Small
		settings.Search.InFlight = games.MaxInFlight
		limits.InFlight = engine.DeviceInFlight(o.Playouts)
	}
	raw, err := newRawMeter(ctx, net, max(batch, 1), o.Threads)
	if err != nil {
		return nil, err
	}
	device := newDeviceMeter(net, o)
	eval, err := net.Evaluator(nn.EvaluatorOptions{Capacity: games.MaxInFlight, Threads: o.Threads, Seed: 1})
	if err != nil {
		return nil, err
	}
	form := net.Form(settings.Solvers)
	s := mcts.New(settings.Search, eval, net.Variant().Solvers(net.Settled(settings.Solvers)))
	var wall time.Duration
	var before uint64
	done := 0
	for i, pos := range append(list[:len(list):len(list)], list...) {
		if i == len(list) {
			wall, done, before = 0, 0, eval.Stats().Evals
			device = newDeviceMeter(net, o)
		}
		if err := s.SetPosition(form(pos)); err != nil {
			return nil, err
		}
		device.start()
		start := time.Now()
		if err := s.Search(ctx, limits); err != nil {
			return nil, err
		}
		elapsed := time.Since(start)
		device.stop(elapsed)
		if err := raw.run(ctx, elapsed/2); err != nil {
			return nil, err
		}
		var result mcts.Result
		s.Result(&result)
		wall += elapsed
		done += result.Playouts
	}
	return append([]figure{
		{name: "playouts_per_s", value: float64(done) / wall.Seconds()},
		{name: "evals_per_s", value: float64(eval.Stats().Evals-before) / wall.Seconds()},
	}, append(raw.raw(), device.figures()...)...), nil
}

// deviceMeter counts what a device does, and the processor time beside it.
type deviceMeter struct {
	device *nn.Device
	net    *nn.Simulated // nil: a real device
	cpu    func() time.Duration

	began, total deviceCounts
}

type deviceCounts struct {
	nn.QueueStats
	busy, processor, elapsed time.Duration
}

// newDeviceMeter returns nil, which measures nothing, for a network without a device.
func newDeviceMeter(net *networks.Net, o Options) *deviceMeter {
	if net.Device() == nil {
		return nil
	}
	m := &deviceMeter{device: net.Device(), cpu: o.ProcessorTime}
	m.net, _ = net.Network().(*nn.Simulated)
	return m
}

// counts returns the counts so far.
func (m *deviceMeter) counts() deviceCounts {
	c := deviceCounts{QueueStats: m.device.Stats(), processor: m.cpu()}
	if m.net != nil {
		c.busy = m.net.Use().Busy
	}
	return c
}

// start begins a part of the measurement.
func (m *deviceMeter) start() {
	if m != nil {
		m.began = m.counts()
	}
}

// stop ends a part of the measurement that took that long.
func (m *deviceMeter) stop(elapsed time.Duration) {
	if m == nil {
		return
	}
	now, t := m.counts(), &m.total
	t.Batches += now.Batches - m.began.Batches
	t.Rows += now.Rows - m.began.Rows
	t.Computed += now.Computed - m.began.Computed
	t.busy += now.busy - m.began.busy
	t.processor += now.processor - m.began.processor
	t.elapsed += elapsed
}

// figures returns what was measured.
func (m *deviceMeter) figures() []figure {
	if m == nil {
		return nil
	}
	t, rows := &m.total, float64(m.total.Rows)
	list := []figure{
		{name: "rows_per_batch", value: rows / float64(t.Batches)},
		{name: "fill_percent", value: 100 * rows / float64(t.Computed)},
	}
	if m.net == nil {
		return list
	}
	hashing := m.net.Use().Hashing * time.Duration(t.Computed)
	return append(list,
		figure{name: "idle_percent", value: 100 - 100*float64(t.busy)/float64(t.elapsed)},
		figure{name: "limit_percent", value: 100 * rows / t.elapsed.Seconds() / m.net.Limit()},
		figure{name: "processor_ns_per_eval", value: float64(t.processor-hashing) / rows})
}

// TreeMiB bounds the tree of a search.
const TreeMiB = 16

// play plays games of self-play without a cache, on as many workers as threads. The samples
// go to a temporary directory.
func play(ctx context.Context, net *networks.Net, o Options) (list []figure, err error) {
	const gamesPerWorker = 16
	batch, threads := nn.DefaultMaxBatch, o.Threads
	if net.Device() != nil {
		batch, threads = net.Device().Batch, 2
	}
	raw, err := newRawMeter(ctx, net, batch, threads)
	if err == nil {
		err = raw.run(ctx, o.Duration/3)
	}
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "carozero-")
	if err != nil {
		return nil, fmt.Errorf("bench selfplay: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	opts := selfplay.Options{
		Games: gamesPerWorker * o.Threads, Playouts: o.Playouts, Seed: 1,
		Opening: selfplay.Opening{MaxPlies: 4}, Search: mcts.Options{Memory: TreeMiB << 20},
	}.WithDefaults()
	setup, err := selfplay.Run{Version: "bench", Options: opts}.Setup(net, selfplay.Machine{})
	if err != nil {
		return nil, err
	}
	host := selfplay.Host{Dir: filepath.Join(dir, "run"), Workers: o.Threads, Now: time.Now}
	if setup.Turns != nil {
		return playOnDevice(ctx, net, setup, opts, host, o, raw)
	}
	sum, err := selfplay.Play(ctx, setup, opts, host)
	if err == nil {
		err = raw.run(ctx, o.Duration/3)
	}
	if err != nil {
		return nil, err
	}
	return append([]figure{
		{name: "positions_per_s", value: float64(sum.Positions) / sum.Elapsed.Seconds()},
		{name: "evals_per_s", value: float64(sum.Stats.Evals) / sum.Elapsed.Seconds()},
	}, raw.raw()...), nil
}

// playOnDevice measures self-play from the first full batch on, while every game has a
// successor.
func playOnDevice(ctx context.Context, net *networks.Net, setup selfplay.Setup, opts selfplay.Options,
	host selfplay.Host, o Options, raw *rawMeter) ([]figure, error) {
	opts.Games = 1 << 20
	playing, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		_, err := selfplay.Play(playing, setup, opts, host)
		ended <- err
	}()
	m, full, over := newDeviceMeter(net, o), time.NewTicker(time.Millisecond), (<-chan time.Time)(nil)
	defer full.Stop()
	var began time.Time
	for {
		select {
		case <-full.C:
			if over == nil && m.device.Stats().Full > 0 {
				began, over = time.Now(), time.After(o.Duration)
				m.start()
			}
			continue
		case <-over:
			m.stop(time.Since(began))
			stop()
			continue
		case err := <-ended:
			if ctx.Err() != nil || !errors.Is(err, context.Canceled) {
				return nil, errors.Join(err, ctx.Err())
			}
		}
		break
	}
	rows := figure{name: "evals_per_s", value: float64(m.total.Rows) / m.total.elapsed.Seconds()}
	games := figure{name: "games_at_once", value: float64(host.Games(&setup))}
	return append([]figure{games, rows}, append(raw.raw(), m.figures()...)...), nil
}
