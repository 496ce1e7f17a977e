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
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

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

	Open func() (*networks.Net, error) // the network, if a part needs it
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

	parts []part // in the order asked for
}

type part struct {
	name    string
	figures []figure
}

type figure struct {
	name  string
	value float64
}

// Text writes a line a part.
func (r *Report) Text(w io.Writer) {
	fmt.Fprintf(w, "%s, %d threads\n",
		strings.TrimSpace(fmt.Sprintf("%s %dx%d %s", r.Rule, r.Size, r.Size, r.Model)), r.Threads)
	for _, p := range r.parts {
		fmt.Fprintf(w, "%-9s", p.name)
		for _, f := range p.figures {
			fmt.Fprintf(w, "  %s %.0f", f.name, f.value)
		}
		fmt.Fprintln(w)
	}
}

// Run measures parts of a variant, or all of them if none is named.
func Run(ctx context.Context, v games.Variant, o Options, parts ...string) (*Report, error) {
	if len(parts) == 0 {
		parts = Parts
	}
	r := &Report{Game: v.Game, Rule: v.Rule(), Size: v.Size, Threads: o.Threads, Parts: map[string]map[string]float64{}}
	var net *networks.Net
	for _, name := range parts {
		if net == nil && name != "rules" && name != "alphabeta" {
			var err error
			if net, err = o.Open(); err != nil {
				return nil, err
			}
			defer net.Close()
			r.Model = net.Name
		}
		figures, err := measure(ctx, name, v, net, o)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		r.Parts[name] = map[string]float64{}
		for _, f := range figures {
			r.Parts[name][f.name] = f.value
		}
		r.parts = append(r.parts, part{name, figures})
	}
	return r, nil
}

func measure(ctx context.Context, part string, v games.Variant, net *networks.Net, o Options) ([]figure, error) {
	switch part {
	case "rules":
		return rules(ctx, v, o)
	case "nn":
		return network(ctx, net, o)
	case "alphabeta":
		return alphaBeta(ctx, v, o.Depth)
	case "mcts":
		return tree(ctx, net, o)
	}
	return play(ctx, net, o)
}

// rules plays random games through and back again, and lists moves and immediate wins
// along them, on one core.
func rules(ctx context.Context, v games.Variant, o Options) ([]figure, error) {
	pos, err := v.Start()
	if err != nil {
		return nil, err
	}
	const longest = 200
	var games [64][]game.Move
	total := 0
	for i := range games {
		rng, p := rand.New(rand.NewPCG(7, uint64(i))), pos.Clone()
		for p.Outcome() == game.Undecided && len(games[i]) < longest {
			moves := p.Moves(nil)
			m := moves[rng.IntN(len(moves))]
			games[i] = append(games[i], m)
			p.Play(m)
		}
		total += len(games[i])
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
		{"play_undo_per_s", along(func() {})},
		{"move_lists_per_s", along(func() { buf = pos.Moves(buf[:0]) })},
		{"win_lists_per_s", along(func() { buf = pos.Wins(buf[:0]) })},
	}, nil
}

// batchesUnderWay is how many batches a device computes at a time.
const batchesUnderWay = 2

// network times the network alone, on all threads, in batches of three sizes; on a device in
// more sizes, and names the first that reaches 95% of the best speed: larger ones need more
// games at once. Of a network without batches there is only the speed of a position at a time.
func network(ctx context.Context, net *networks.Net, o Options) (list []figure, err error) {
	if net.Batches() == nil {
		return atOnce(ctx, net, o.Duration)
	}
	device, batches, threads := net.Device() != nil, []int{1, nn.DefaultMaxBatch, LargestBatch}, o.Threads
	if device {
		batches, threads = []int{64, 128, 256, 512, 1024, 2048, 4096}, batchesUnderWay
	}
	best := 0.0
	for i, batch := range batches {
		raw, err := newRawMeter(ctx, net, batch, threads)
		if err == nil {
			err = raw.run(ctx, o.Duration/time.Duration(len(batches)))
		}
		if err != nil && device && i > 0 && ctx.Err() == nil {
			break // it is too large for the device's memory
		}
		if err != nil {
			return nil, err
		}
		list = append(list, figure{fmt.Sprintf("evals_per_s_of_batches_of_%d", batch), raw.perSecond()})
		best = max(best, raw.perSecond())
	}
	if device {
		enough := slices.IndexFunc(list, func(f figure) bool { return f.value >= 0.95*best })
		list = append(list, figure{"batch", float64(batches[enough])})
	}
	return list, nil
}

// atOnce times a network that answers at once by asking for the position behind each move,
// as a search does, on one thread.
func atOnce(ctx context.Context, net *networks.Net, d time.Duration) ([]figure, error) {
	list, err := positions(net.Variant())
	if err != nil {
		return nil, err
	}
	eval, err := net.Evaluator(nn.EvaluatorOptions{Capacity: 1, Threads: 1})
	if err != nil {
		return nil, err
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
	return []figure{{"evals_per_s", float64(eval.Stats().Evals) / time.Since(start).Seconds()}}, nil
}

// rawMeter times the network alone in slices, between slices of other work.
type rawMeter struct {
	net     nn.BatchNetwork
	batches []*nn.Batch // one a thread
	rounds  int         // of all threads
	elapsed time.Duration
}

// newRawMeter warms the network up. It returns nil, which measures nothing, for a network
// without batches.
func newRawMeter(ctx context.Context, net *networks.Net, rows, threads int) (*rawMeter, error) {
	if net.Batches() == nil {
		return nil, nil
	}
	enc, err := nn.EncoderFor(net.Batches(), net.Variant())
	if err != nil {
		return nil, err
	}
	m := &rawMeter{net: net.Batches()}
	for range threads {
		m.batches = append(m.batches, nn.ArbitraryBatch(enc.Shape(), rows))
	}
	err = m.run(ctx, 0)
	m.rounds, m.elapsed = 0, 0
	return m, err
}

// run computes for about the given time, each batch at least once.
func (m *rawMeter) run(ctx context.Context, d time.Duration) error {
	if m == nil {
		return nil
	}
	start, rounds := time.Now(), atomic.Int64{}
	var threads errgroup.Group
	for _, b := range m.batches {
		threads.Go(func() error {
			for more := true; more; more = time.Since(start) < d {
				if err := m.net.Forward(ctx, b); err != nil {
					return err
				}
				rounds.Add(1)
			}
			return nil
		})
	}
	err := threads.Wait()
	m.rounds += int(rounds.Load())
	m.elapsed += time.Since(start)
	return err
}

func (m *rawMeter) perSecond() float64 {
	return float64(m.rounds*m.batches[0].Len()) / m.elapsed.Seconds()
}

// figures returns the figure of the network's speed, none of one without batches.
func (m *rawMeter) figures() []figure {
	if m == nil {
		return nil
	}
	return []figure{{"raw_evals_per_s", m.perSecond()}}
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
		{"nodes_per_s", float64(sum.Nodes) / sum.Elapsed.Seconds()},
		{"ms", float64(sum.Elapsed.Milliseconds())},
		{"signature", float64(sum.Nodes)},
	}, nil
}

// tree searches fixed positions without a cache, after a pass that is not counted.
func tree(ctx context.Context, net *networks.Net, o Options) ([]figure, error) {
	list, err := positions(net.Variant())
	if err != nil {
		return nil, err
	}
	settings, limits := engine.DefaultTreeSettings(TreeMiB), mcts.Limits{Playouts: o.Playouts}
	var raw *rawMeter
	switch {
	case net.Device() != nil:
		settings.Search.InFlight = games.MaxInFlight
		limits.InFlight = engine.DeviceInFlight(o.Playouts)
	case o.Threads > 1:
		raw, err = newRawMeter(ctx, net, 1, o.Threads)
	default:
		raw, err = newRawMeter(ctx, net, max(settings.Search.WithDefaults().InFlight, 1), 1)
	}
	if err != nil {
		return nil, err
	}
	eval, err := net.Evaluator(nn.EvaluatorOptions{Capacity: games.MaxInFlight, Threads: o.Threads, Seed: 1})
	if err != nil {
		return nil, err
	}
	form := net.Form(settings.Solvers)
	s := mcts.New(settings.Search, eval, net.Variant().Solvers(net.Settled(settings.Solvers)))
	var wall time.Duration
	var evals uint64
	var device nn.QueueStats
	done := 0
	for i, pos := range slices.Concat(list, list) {
		if i == len(list) {
			wall, done, evals, device = 0, 0, eval.Stats().Evals, deviceStats(net)
		}
		if err := s.SetPosition(form(pos)); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := s.Search(ctx, limits); err != nil {
			return nil, err
		}
		elapsed := time.Since(start)
		if err := raw.run(ctx, elapsed/2); err != nil {
			return nil, err
		}
		var result mcts.Result
		s.Result(&result)
		wall += elapsed
		done += result.Playouts
	}
	return slices.Concat([]figure{
		{"playouts_per_s", float64(done) / wall.Seconds()},
		{"evals_per_s", float64(eval.Stats().Evals-evals) / wall.Seconds()},
	}, raw.figures(), fill(net, device)), nil
}

// deviceStats returns what the network's device has been sent so far, if there is one.
func deviceStats(net *networks.Net) (s nn.QueueStats) {
	if net.Device() != nil {
		s = net.Device().Stats()
	}
	return s
}

// fill returns the figure of the rows of a device's batches that are no padding, from a
// moment on.
func fill(net *networks.Net, from nn.QueueStats) []figure {
	if net.Device() == nil {
		return nil
	}
	now := deviceStats(net)
	return []figure{{"fill_percent", 100 * float64(now.Rows-from.Rows) / float64(max(1, now.Computed-from.Computed))}}
}

// TreeMiB bounds the tree of a search.
const TreeMiB = 16

// play plays games of self-play without a cache, on as many workers as threads. The samples
// go to a temporary directory.
func play(ctx context.Context, net *networks.Net, o Options) (list []figure, err error) {
	const gamesPerWorker = 16
	batch, threads := nn.DefaultMaxBatch, o.Threads
	if net.Device() != nil {
		batch, threads = net.Device().Batch, batchesUnderWay
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
	if net.Device() != nil {
		opts.Games = 1 << 20 // every game has a successor
		list, err = playOnDevice(ctx, net, o.Duration, func(ctx context.Context) error {
			_, err := selfplay.Play(ctx, setup, opts, host)
			return err
		})
	} else {
		var sum selfplay.Summary
		sum, err = selfplay.Play(ctx, setup, opts, host)
		list = []figure{{"positions_per_s", sum.PositionsPerSecond()}, {"evals_per_s", sum.EvalsPerSecond()}}
	}
	if err == nil {
		err = raw.run(ctx, o.Duration/3)
	}
	return append(list, raw.figures()...), err
}

// playOnDevice measures what a device does for games from its first full batch on.
func playOnDevice(ctx context.Context, net *networks.Net, d time.Duration, games func(context.Context) error,
) (list []figure, err error) {
	playing, stop := context.WithCancel(ctx)
	pause := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-playing.Done():
		}
	}
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		defer stop()
		for deviceStats(net).Full == 0 && playing.Err() == nil {
			pause(time.Millisecond)
		}
		from, start := deviceStats(net), time.Now()
		pause(d)
		rows := deviceStats(net).Rows - from.Rows
		list = append(fill(net, from), figure{"evals_per_s", float64(rows) / time.Since(start).Seconds()})
	}()
	err = games(playing)
	stop()
	<-measured
	if ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return list, nil // it was long enough
	}
	return nil, err
}
