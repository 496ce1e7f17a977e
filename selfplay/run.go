package selfplay

import (
	"cmp"
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Host says where and how a run is executed. Nothing in it affects the bytes of the
// shards.
type Host struct {
	Dir    string // the run's directory
	Resume bool   // continue the run in Dir; otherwise Dir must hold none

	// Workers is the number of goroutines that play, AtOnce how many games
	// each keeps under way. Zero means 1 and 8.
	Workers, AtOnce int

	// Files is the file system. Nil means the disk.
	Files samples.FS

	// Now is the clock for the manifest and the Summary. Nil means a clock
	// that stands still at the zero time.
	Now func() time.Time

	// Progress, if not nil, is called on Run's goroutine after every game that was
	// written.
	Progress func(Summary)
}

func (h Host) withDefaults() Host {
	h.Workers = cmp.Or(h.Workers, 1)
	h.AtOnce = cmp.Or(h.AtOnce, 8)
	if h.Files == nil {
		h.Files = samples.Disk{}
	}
	if h.Now == nil {
		h.Now = func() time.Time { return time.Time{} }
	}
	if h.Progress == nil {
		h.Progress = func(Summary) {}
	}
	return h
}

// Run plays the games of the run that are not on disk yet and returns when all its
// goroutines have ended. If ctx ends, or after any other error, it abandons the current
// games and returns the error; all finished games are on disk. The Summary is always
// valid.
func Run(ctx context.Context, setup Setup, opts Options, host Host) (Summary, error) {
	opts, host = opts.WithDefaults(), host.withDefaults()
	sum := Summary{Of: opts.Games}
	run, err := Plan(setup, opts)
	if err != nil {
		return sum, err
	}
	open := samples.Create
	if host.Resume {
		open = samples.Resume
	}
	started := host.Now()
	out, err := open(host.Files, host.Dir, run, host.Now)
	if err != nil {
		return sum, err
	}
	c := &collector{host: &host, out: out, sum: &sum, started: started, work: make([]work, host.Workers)}
	c.count()
	err = c.play(ctx, &setup, &opts)
	c.count()
	return sum, cmp.Or(err, out.Close())
}

// Plan returns the run's description for package samples: everything that decides the
// bytes of its shards. It fails where Run would fail before the first game.
func Plan(setup Setup, opts Options) (samples.Run, error) {
	opts = opts.WithDefaults()
	if err := opts.Check(); err != nil {
		return samples.Run{}, err
	}
	return setup.run(opts)
}

// unfinished returns the games that are not on disk.
func unfinished(out *samples.Writer, games int) (ids []int) {
	for id := range games {
		if !out.Done(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// collector puts finished games on disk and counts them.
type collector struct {
	host    *Host
	out     *samples.Writer
	sum     *Summary
	started time.Time
	work    []work      // by worker
	ended   []time.Time // when each worker ran out of games, in order
}

// play runs the workers and takes in their games until all have ended. The first error
// ends all.
func (c *collector) play(ctx context.Context, setup *Setup, opts *Options) error {
	ids := unfinished(c.out, opts.Games)
	deal := &dealer{games: ids, workers: min(c.host.Workers, len(ids)), roster: newRoster(setup, c.out.Networks())}
	return deal.runWorkers(ctx, setup, opts, c.host.AtOnce, func(f finished) error {
		c.sum.Lost += f.lost
		if f.record == nil {
			c.ended = append(c.ended, c.host.Now())
		}
		return c.take(f)
	})
}

// runWorkers runs the dealer's workers until all have ended, and calls take on the
// caller's goroutine with what they deliver. The first error ends all workers; after
// it take gets the workers' last messages, but no more games.
func (d *dealer) runWorkers(ctx context.Context, setup *Setup, opts *Options, atOnce int, take func(finished) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	group, ctx := errgroup.WithContext(ctx)
	games := make(chan finished)
	ended := make(chan error, 1)
	for number := range d.workers {
		group.Go(func() error {
			w, err := newWorker(number, setup, opts, d, atOnce, func(f finished) { games <- f })
			if err != nil {
				return err
			}
			err = w.run(ctx)
			games <- finished{worker: number, work: w.work(), lost: w.underWay()}
			return err
		})
	}
	go func() {
		ended <- group.Wait()
		close(games)
	}()
	var failed error
	for f := range games {
		if failed != nil && f.record != nil {
			continue
		}
		if err := take(f); failed == nil && err != nil {
			failed = err
			cancel(failed)
		}
	}
	if err := <-ended; failed == nil {
		failed = err
	}
	return cmp.Or(failed, d.roster.close())
}

// take writes a worker's game.
func (c *collector) take(f finished) error {
	c.work[f.worker] = f.work
	if f.record == nil {
		return nil
	}
	if err := c.out.Add(f.record); err != nil {
		return err
	}
	c.sum.Add(f.record)
	c.count()
	c.host.Progress(*c.sum)
	return nil
}

// count brings the summary up to date.
func (c *collector) count() {
	c.sum.OnDisk, c.sum.Shards = c.out.Complete(), c.out.Shards()
	c.sum.Stats, c.sum.Nodes = nn.Stats{}, 0
	for _, w := range c.work {
		c.sum.Stats = c.sum.Stats.Plus(w.stats)
		c.sum.Nodes += w.nodes
	}
	c.sum.Elapsed = c.host.Now().Sub(c.started)
	c.sum.Idle = 0
	for _, at := range c.ended {
		c.sum.Idle += c.ended[len(c.ended)-1].Sub(at)
	}
}
