package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// WorkerOptions configure a worker. They never change the games' bytes.
type WorkerOptions struct {
	Link    Link
	Group   string // "": main
	Name    string
	Session string // "": a new one

	Workers, AtOnce int // goroutines that play, and concurrent games of each; 0: all processors, 16
	CacheMiB        int
	Version, Commit string
	Loader          *networks.Loader
	Dir             string // folder for networks

	Once bool         // end with the run; otherwise wait for the next one
	Log  *slog.Logger // nil: none

	spoil func(*samples.Record) // for tests: how a cheating worker changes its games; otherwise nil
}

// Worker plays the games that a coordinator deals, until stopped.
type Worker struct {
	o     WorkerOptions
	group group
	pack  *zstd.Encoder

	mu      sync.Mutex
	waiting map[int]func()        // cancel requests that wait for an answer
	asked   int                   // requests so far
	before  Counts                // of earlier runs, and all games
	counted selfplay.FinishedGame // in the current run
	tasks   map[int]*Task         // in progress, without the games that the coordinator already has
	under   int                   // games that were dealt and not delivered yet
}

// NewWorker returns a worker.
func NewWorker(o WorkerOptions) (*Worker, error) {
	o.Group, o.Session = cmp.Or(o.Group, DefaultGroup), cmp.Or(o.Session, NewSession())
	o.Workers, o.AtOnce = cmp.Or(o.Workers, runtime.NumCPU()), cmp.Or(o.AtOnce, 16)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := CheckName(o.Name); err != nil {
		return nil, fmt.Errorf("the worker's name %w", err)
	}
	if err := CheckGroup(o.Group); err != nil {
		return nil, fmt.Errorf("the cluster's name %w", err)
	}
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	return &Worker{o: o, group: group(o.Group), pack: pack, tasks: map[int]*Task{}, waiting: map[int]func(){}}, err
}

// Counts are a worker's totals since it began.
type Counts struct {
	Games, Positions int // accepted by the coordinator
	Evals, Hits      uint64
	Nodes            int64
	UnderWay         int // games that were dealt and not delivered yet
}

// Counts returns the worker's totals.
func (w *Worker) Counts() Counts {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.before
	c.Evals, c.Hits, c.Nodes = c.Evals+w.counted.Stats.Evals, c.Hits+w.counted.Stats.Hits, c.Nodes+w.counted.Nodes
	c.UnderWay = w.under
	return c
}

// errRefused is wrapped by the error for a worker that the coordinator refuses.
var errRefused = errors.New("refused")

// Run plays one configuration after the other until the context ends, the coordinator
// refuses this worker, or, with Once, the run is over. It retries until the coordinator is
// reachable.
func (w *Worker) Run(ctx context.Context) error {
	ctx, refuse := context.WithCancelCause(ctx)
	defer refuse(nil)
	denied := func(err error) { refuse(fmt.Errorf("%w: %s: %w", errRefused, w.o.Link.URL, err)) }
	nc, err := w.o.Link.await(ctx, w.o.Session, func(text string) { w.o.Log.Warn(text) }, denied)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, ErrToken) {
		err = fmt.Errorf("%w: %s: %w", errRefused, w.o.Link.URL, err)
	}
	if err != nil {
		return err
	}
	defer nc.Close()
	nc.SetDisconnectErrHandler(func(_ *nats.Conn, err error) {
		w.lost()
		if err != nil {
			w.o.Log.Warn("the connection is lost", "error", err)
		}
	})
	current := make(chan string)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return w.watch(ctx, nc, current) })
	group.Go(func() error { return w.follow(ctx, nc, current) })
	err = group.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, errRefused) {
		return cause
	}
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

var errOver = errors.New("the run is over")

// watch sends the digest of the current configuration, "" for none, whenever it
// changes. It asks when there is news, and regularly in case news was lost.
func (w *Worker) watch(ctx context.Context, nc *nats.Conn, current chan<- string) error {
	news := make(chan *nats.Msg, 1)
	sub, err := nc.ChanSubscribe(w.group.news(), news)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be closed
	last := ""
	for {
		var a answer
		if err := w.retry(ctx, func() (err error) { a, err = w.read(ctx, nc, read{}); return err }); err != nil {
			return err
		}
		if a.Current != last {
			last = a.Current
			select {
			case <-ctx.Done():
				return ctx.Err()
			case current <- last:
			}
		}
		timer := time.NewTimer(longestPause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-news:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// retry calls try until it succeeds, fails permanently, or the context ends, waiting longer
// each time.
func (w *Worker) retry(ctx context.Context, try func() error) error {
	said := ""
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		err := try()
		if err == nil || errors.Is(err, errRefused) || errors.Is(err, errOver) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err() // the last error does not matter any more
		}
		if errors.Is(err, nats.ErrReconnectBufExceeded) {
			err = fmt.Errorf("%s: no connection", w.o.Link.URL)
		}
		if text := err.Error(); text != said {
			said = text
			w.o.Log.Warn("trying again", "error", err)
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// pause waits, or returns the error of a context that ends before.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

const (
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// follow plays the current configuration until it changes.
func (w *Worker) follow(ctx context.Context, nc *nats.Conn, current <-chan string) error {
	config, played := "", false
	for {
		if config == "" {
			if played && w.o.Once {
				return errOver
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case config = <-current:
				continue
			}
		}
		playing, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- w.play(playing, nc, config) }()
		select {
		case err := <-ended:
			stop()
			return err // refused, or the context ended
		case next := <-current:
			stop()
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			config, played = next, true
		}
	}
}
