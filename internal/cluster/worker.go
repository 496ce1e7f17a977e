package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// WorkerOptions configure a worker. They never change the games' bytes.
type WorkerOptions struct {
	Link Link
	Name string
	Kind string // of the machine, see [MachineKind]

	Workers, AtOnce int // as in selfplay.Host; 0 workers: all processors
	CacheMiB        int
	Version, Commit string
	Loader          *networks.Loader
	Dir             string // folder for networks

	Once bool         // end with the run; otherwise wait for the next one
	Log  *slog.Logger // nil: none

	spoil func(*samples.Record) // for tests: what is wrong with the machine; otherwise nil
}

// Worker plays the games that a coordinator deals, until stopped.
type Worker struct {
	o       WorkerOptions
	session string
	pack    *zstd.Encoder

	mu   sync.Mutex
	lost chan struct{} // closed when the connection is lost
	said string        // why something was last tried again
}

// NewWorker returns a worker.
func NewWorker(o WorkerOptions) (*Worker, error) {
	o.Workers = cmp.Or(o.Workers, runtime.NumCPU())
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	return &Worker{o: o, session: rand.Text(), pack: pack, lost: make(chan struct{})}, err
}

var (
	errRefused = errors.New("refused")
	errOver    = errors.New("the run is over")
	errChanged = errors.New("the run has changed") // or another one has begun
)

// Run plays one run after the other until the context ends, the coordinator refuses this
// worker, or, with Once, the run is over. It tries until the coordinator is there.
func (w *Worker) Run(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	nc, err := w.o.Link.await(ctx, w.disturbed, w.disconnected, end)
	if err == nil {
		defer nc.Close()
		err = w.follow(ctx, nc)
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(err, ErrToken), errors.Is(cause, ErrToken):
		return fmt.Errorf("%s: %w", w.o.Link.URL, ErrToken)
	case errors.Is(err, errOver):
		return nil
	}
	return err
}

// disturbed tells once why a connection or a request is tried again.
func (w *Worker) disturbed(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && err.Error() != w.said {
		w.said = err.Error()
		w.o.Log.Info("trying again", "cause", w.said)
	}
}

// disconnected ends the requests that wait, since no answer comes any more.
func (w *Worker) disconnected() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.lost)
	w.lost = make(chan struct{})
}

// follow plays the coordinator's current run whenever there is one.
func (w *Worker) follow(ctx context.Context, nc *nats.Conn) error {
	news := make(chan *nats.Msg, 1)
	sub, err := nc.ChanSubscribe(subjectNews, news)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be closed
	for played := ""; ; {
		var text []byte
		err := w.retry(ctx, func() (err error) {
			text, err = w.request(ctx, nc, nats.NewMsg(subjectConfig))
			return err
		})
		if err != nil {
			return err
		}
		if len(text) > 0 {
			config, err := ParseConfig(text)
			switch {
			case err != nil:
				return fmt.Errorf("%w: %w", errRefused, err)
			case w.o.Once && played != "" && config.Digest != played:
				return errOver
			}
			played, err = config.Digest, w.play(ctx, nc, config, disk.Sum(text), news)
			if !errors.Is(err, errChanged) && (!errors.Is(err, errOver) || w.o.Once) {
				return err
			}
			continue
		}
		if w.o.Once && played != "" {
			return errOver
		}
		if err := wait(ctx, longestPause, news, nil); err != nil {
			return err
		}
	}
}

// wait waits for a while, until there is news, or until it is woken.
func wait(ctx context.Context, d time.Duration, news <-chan *nats.Msg, woken <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-news:
	case <-woken:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// play plays the run of a configuration, whose text has a digest, until it is over.
func (w *Worker) play(
	ctx context.Context, nc *nats.Conn, config *Config, text string, news <-chan *nats.Msg,
) (err error) {
	m := selfplay.Machine{
		Loader: w.o.Loader, CacheMiB: w.o.CacheMiB, Note: func(line string) { w.o.Log.Info(line) },
	}
	if sum := config.network(); sum != "" {
		if m.Model, err = w.network(ctx, nc, sum); err != nil {
			return err
		}
	}
	p, err := config.Open(w.o.Version, w.o.Commit, m)
	if err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	w.o.Log.Info("playing", "run", config.Digest[:12], "games", config.Options.Games)
	r := &run{w: w, nc: nc, config: config, sum: text, news: news}
	return errors.Join(r.play(ctx, p.Setup), p.Close())
}

// request sends a request to the coordinator and returns the answer.
func (w *Worker) request(ctx context.Context, nc *nats.Conn, msg *nats.Msg) ([]byte, error) {
	w.mu.Lock()
	lost := w.lost
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	go func() {
		select {
		case <-lost:
			cancel()
		case <-ctx.Done():
		}
	}()
	reply, err := nc.RequestMsgWithContext(ctx, msg)
	if err != nil {
		return nil, err
	}
	return reply.Data, nil
}

// answerWithin is the timeout of a request.
const answerWithin = 20 * time.Second

// Pauses between tries.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// retry calls try until it succeeds, is refused, the run is over, or the context ends, waiting
// longer each time.
func (w *Worker) retry(ctx context.Context, try func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := try()
		if err == nil || errors.Is(err, errRefused) || errors.Is(err, errOver) || errors.Is(err, errChanged) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err() // the last error does not matter any more
		}
		if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrReconnectBufExceeded) ||
			errors.Is(err, context.Canceled) {
			err = errors.New("no coordinator answers")
		}
		w.disturbed(err)
		if err := wait(ctx, pause, nil, nil); err != nil {
			return err
		}
	}
}

// ask sends a request until it is answered.
func (w *Worker) ask(ctx context.Context, nc *nats.Conn, msg *nats.Msg) (a answer, err error) {
	err = w.retry(ctx, func() error {
		data, err := w.request(ctx, nc, msg)
		if err != nil {
			return err
		}
		a = answer{}
		switch err := json.Unmarshal(data, &a); {
		case err != nil:
			return fmt.Errorf("the coordinator's answer: %w", err)
		case a.Refused != "":
			return fmt.Errorf("%w: %s", errRefused, a.Refused)
		case a.Over:
			return errOver
		case a.Changed:
			return errChanged
		case a.Again != "":
			return errors.New(a.Again)
		}
		return nil
	})
	return a, err
}

// network stores the network with a digest in the worker's folder, unless it is there, and
// returns its path.
func (w *Worker) network(ctx context.Context, nc *nats.Conn, sum string) (string, error) {
	path := filepath.Join(w.o.Dir, samples.NetworkName(sum))
	if data, err := disk.ReadFile(path, maxNetwork); err == nil && disk.Sum(data) == sum {
		return path, nil
	}
	var file []byte
	for p := (piece{Size: 1}); len(file) < p.Size; {
		err := w.retry(ctx, func() error {
			text, err := json.Marshal(piece{SHA256: sum, From: len(file)})
			if err != nil {
				return err
			}
			data, err := w.request(ctx, nc, &nats.Msg{Subject: subjectNetwork, Data: text})
			if err != nil {
				return err
			}
			p = piece{}
			if err := json.Unmarshal(data, &p); err != nil {
				return err
			}
			if p.Failed != "" || len(p.Data) == 0 {
				return fmt.Errorf("the network %.12s…: %s", sum, cmp.Or(p.Failed, "it is empty"))
			}
			file = append(file, p.Data...)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	if disk.Sum(file) != sum {
		return "", fmt.Errorf("the network %.12s… came with the sha256 %.12s…", sum, disk.Sum(file))
	}
	if err := os.MkdirAll(w.o.Dir, 0o777); err != nil {
		return "", err
	}
	return path, disk.WriteBytes(path, file)
}

// run is a run that a worker plays.
type run struct {
	w      *Worker
	nc     *nats.Conn
	config *Config
	sum    string // digest of the configuration's text
	news   <-chan *nats.Msg

	local      bool // inside the coordinator
	checksOnly bool // it only plays others' first games again

	queue *selfplay.GameQueue
	woken chan struct{} // tells that there may be room

	mu      sync.Mutex
	games   map[int]bool // that were dealt and are not stored
	counted counts

	capacity int // games that the worker has at most
}

// play plays until the run is over, which is an error, or the context ends.
func (r *run) play(ctx context.Context, setup selfplay.Setup) error {
	opts := r.config.Options
	r.queue, r.woken, r.games = selfplay.NewGameQueue(), make(chan struct{}, 1), map[int]bool{}
	group, playing := errgroup.WithContext(ctx)
	host := selfplay.Host{Workers: r.w.o.Workers, AtOnce: r.w.o.AtOnce, Dir: r.w.o.Dir}
	r.capacity = host.Games(&setup) + host.Workers
	group.Go(func() error { return r.work(playing) })
	group.Go(func() error {
		return selfplay.PlayQueue(playing, setup, opts, host, r.queue, func(g selfplay.FinishedGame) error {
			r.mu.Lock()
			r.counted = counts{g.Stats.Evals, g.Stats.Hits, g.Nodes}
			r.mu.Unlock()
			group.Go(func() error { return r.deliver(playing, g.Record) })
			return nil
		})
	})
	err := group.Wait()
	if b, ok := selfplay.Broken(err); ok {
		return r.report(ctx, b)
	}
	if !errors.Is(err, errOver) && !errors.Is(err, errChanged) && !errors.Is(err, errRefused) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		// it would be missed after a while
		_, _ = r.w.request(ctx, r.nc, &nats.Msg{Subject: subjectLeave, Data: []byte(strconv.Quote(r.w.session))})
	}
	return err
}

// report tells the coordinator of a broken network, by which all that was dealt is void.
func (r *run) report(ctx context.Context, b *selfplay.BrokenNetwork) error {
	data, err := json.Marshal(broken{Config: r.sum, SHA256: b.SHA256, Why: b.Error()})
	if err == nil {
		_, err = r.w.ask(ctx, r.nc, &nats.Msg{Subject: subjectBroken, Data: data})
	}
	return cmp.Or(err, errChanged)
}

// work tells the coordinator what this worker plays, and asks for games while it has room.
func (r *run) work(ctx context.Context) error {
	for {
		r.mu.Lock()
		w := work{
			Session: r.w.session, Name: r.w.o.Name, Local: r.local, Config: r.sum,
			Games: slices.Collect(maps.Keys(r.games)), Counted: r.counted,
		}
		r.mu.Unlock()
		if !r.config.Exact {
			w.Kind = r.w.o.Kind
		}
		if !r.checksOnly {
			w.Room = max(r.capacity-len(w.Games), 0)
		}
		data, err := json.Marshal(w)
		if err != nil {
			return err
		}
		a, err := r.w.ask(ctx, r.nc, &nats.Msg{Subject: subjectWork, Data: data})
		if err != nil {
			return err
		}
		for _, t := range a.Tasks {
			if err := r.take(ctx, t); err != nil {
				return err
			}
		}
		if err := wait(ctx, max(a.Beat, firstPause), r.news, r.woken); err != nil {
			return err
		}
	}
}

// take puts a game into the queue, with the network that it needs.
func (r *run) take(ctx context.Context, t Task) error {
	if sum := t.Network.SHA256; r.config.Follow && sum != "" {
		if _, err := r.w.network(ctx, r.nc, sum); err != nil {
			return err
		}
	}
	r.mu.Lock()
	there := r.games[t.Game]
	r.games[t.Game] = true
	r.mu.Unlock()
	if !there {
		r.queue.Add(t.Network, t.Game)
	}
	return nil
}

// deliver sends a game until the coordinator has stored it.
func (r *run) deliver(ctx context.Context, record *samples.Record) error {
	if r.w.o.spoil != nil {
		r.w.o.spoil(record)
	}
	data, err := samples.EncodeRecord(record)
	if err != nil {
		return err
	}
	msg := nats.NewMsg(subjectResult)
	msg.Header.Set(sessionHeader, r.w.session)
	msg.Header.Set(configHeader, r.sum)
	if msg.Data = r.w.pack.EncodeAll(data, nil); len(msg.Data) >= maxPayload || len(data) > maxPayload {
		return fmt.Errorf("game %d takes %d bytes: want at most %d", record.Game.ID, len(data), maxPayload)
	}
	if _, err := r.w.ask(ctx, r.nc, msg); err != nil {
		return err
	}
	r.mu.Lock()
	delete(r.games, int(record.Game.ID))
	room := r.capacity - len(r.games)
	r.mu.Unlock()
	if 4*room >= r.capacity {
		select {
		case r.woken <- struct{}{}:
		default:
		}
	}
	return nil
}
