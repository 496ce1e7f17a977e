package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// WorkerOptions say what a machine brings. Nothing of it changes a byte.
type WorkerOptions struct {
	Link    Link
	Group   string // "": main
	Name    string
	Session string // "": a new one

	Workers, AtOnce int // goroutines that play, and games that each keeps under way; 0: all processors, 16
	CacheMiB        int
	Version, Commit string
	Loader          *engine.Loader
	Dir             string // where networks are kept

	Once bool         // end with the run; otherwise wait for the next one
	Log  *slog.Logger // nil: none

	spoil func(*samples.Record) // what a false worker makes of its games; nil in true ones
}

// Worker plays what a coordinator deals, for as long as it is let.
type Worker struct {
	o     WorkerOptions
	group group
	pack  *zstd.Encoder

	mu      sync.Mutex
	waiting map[int]func()  // ends requests that wait for an answer
	asked   int             // requests so far
	before  Counts          // of runs that are over, and all games
	counted selfplay.Served // in the run that is played
	tasks   map[int]*Task   // that are under way, without the games that the coordinator has
	under   int             // games that were dealt and have not been delivered
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

// Counts are what a worker has counted since it began.
type Counts struct {
	Games, Positions int // that the coordinator has taken
	Evals, Hits      uint64
	Nodes            int64
	UnderWay         int // games that were dealt and not delivered
}

// Counts returns what the worker has counted.
func (w *Worker) Counts() Counts {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.before
	c.Evals, c.Hits, c.Nodes = c.Evals+w.counted.Stats.Evals, c.Hits+w.counted.Stats.Hits, c.Nodes+w.counted.Nodes
	c.UnderWay = w.under
	return c
}

// errRefused is wrapped by the error of a worker that the coordinator will not have.
var errRefused = errors.New("refused")

// Run plays one configuration after the other until the context ends, the coordinator
// refuses this worker, or, with Once, the run is over. Whoever is not there yet or not
// any more is waited for.
func (w *Worker) Run(ctx context.Context) error {
	nc, err := w.o.Link.connect(w.o.Session, true, func(text string) { w.o.Log.Warn(text) })
	if err != nil {
		return fmt.Errorf("%s: %w", w.o.Link.URL, err)
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
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

var errOver = errors.New("the run is over")

// watch passes on which configuration is the current one, "" while none is, whenever that
// changes.
func (w *Worker) watch(ctx context.Context, nc *nats.Conn, current chan<- string) error {
	last := ""
	return w.retry(ctx, func() error {
		published, err := openStore(ctx, nc, w.group)
		if err != nil {
			return err
		}
		watcher, err := published.keys.Watch(ctx, currentKey)
		if err != nil {
			return err
		}
		defer func() { _ = watcher.Stop() }() // the connection may be closed
		for {
			var e jetstream.KeyValueEntry
			there := true
			select {
			case <-ctx.Done():
				return ctx.Err()
			case e, there = <-watcher.Updates():
			}
			if !there {
				return errors.New("the watch on the configuration has ended")
			}
			if e == nil || string(e.Value()) == last {
				continue
			}
			last = string(e.Value())
			select {
			case <-ctx.Done():
				return ctx.Err()
			case current <- last:
			}
		}
	})
}

// retry calls try until it succeeds, fails for good, or the context ends; in between it
// waits, longer each time.
func (w *Worker) retry(ctx context.Context, try func() error) error {
	said := ""
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := try()
		if err == nil || errors.Is(err, errRefused) || errors.Is(err, errOver) || ctx.Err() != nil {
			return err
		}
		if errors.Is(err, nats.ErrReconnectBufExceeded) {
			err = fmt.Errorf("%s: no connection", w.o.Link.URL)
		}
		if text := err.Error(); text != said {
			said = text
			w.o.Log.Warn("trying again", "error", err)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

const (
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// follow plays the current configuration until there is another one.
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
			return err // refused, or the context's
		case next := <-current:
			stop()
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			config, played = next, true
		}
	}
}

// run is one configuration that a worker plays.
type run struct {
	w      *Worker
	nc     *nats.Conn
	store  *store
	config *Config
	sum    string // digest of the configuration
	hello  hello
	opts   selfplay.Options
	stock  *selfplay.Stock
	book   *book // for the units alone
	beat   time.Duration
	room   chan struct{}             // somebody should ask for games
	out    chan []*samples.Record    // units that are to be sent
	parts  map[int][]*samples.Record // of units that are not whole, by the first game
}

// play plays a configuration until the context ends.
func (w *Worker) play(ctx context.Context, nc *nats.Conn, sum string) error {
	r := &run{w: w, nc: nc, sum: sum, room: make(chan struct{}, 1), out: make(chan []*samples.Record, w.o.Workers*w.o.AtOnce), parts: map[int][]*samples.Record{}}
	setup, done, err := r.prepare(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = done() }() // nothing of the run is lost with it
	if err := w.retry(ctx, func() error { return r.greet(ctx) }); err != nil {
		return err
	}
	w.o.Log.Info("playing", "config", sum[:12], "games", r.opts.Games)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.ask(ctx) })
	group.Go(func() error { return r.live(ctx) })
	for range senders {
		group.Go(func() error { return r.send(ctx) })
	}
	group.Go(func() error {
		host := selfplay.Host{Workers: w.o.Workers, AtOnce: w.o.AtOnce, Dir: w.o.Dir}
		return selfplay.Serve(ctx, setup, r.opts, host, r.stock, func(s selfplay.Served) error { return r.over(ctx, s) })
	})
	err = group.Wait()
	r.goodbye()
	return err
}

// senders is how many results are on their way at a time.
const senders = 4

// prepare reads the configuration and makes what plays it.
func (r *run) prepare(ctx context.Context) (setup selfplay.Setup, done func() error, err error) {
	w := r.w
	err = w.retry(ctx, func() (err error) {
		if r.store, err = openStore(ctx, r.nc, w.group); err != nil {
			return err
		}
		text, err := r.store.get(ctx, r.sum, maxConfig)
		if err != nil {
			return err
		}
		if r.config, err = ParseConfig(text); err != nil {
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		parts := Parts{Version: w.o.Version, Commit: w.o.Commit, Loader: w.o.Loader, AtOnce: w.o.AtOnce, CacheMiB: w.o.CacheMiB,
			Note: func(line string) { w.o.Log.Info(line) }}
		if sum := r.config.network(); sum != "" {
			if parts.Network, err = r.store.network(ctx, w.o.Dir, sum); err != nil {
				return err
			}
		}
		if setup, done, err = r.config.Setup(parts); err != nil {
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		return nil
	})
	if err != nil {
		return setup, done, err
	}
	r.opts = r.config.Options.Selfplay()
	r.stock = selfplay.NewStock(r.opts)
	r.book = &book{games: r.opts.Games, pairs: r.opts.ForkShare > 0}
	r.hello = hello{
		Protocol: Protocol, Name: w.o.Name, Version: w.o.Version, Commit: w.o.Commit,
		Planes: setup.Header.Planes.Version, Model: setup.Header.ModelSHA256, Config: r.sum, Run: r.config.Run,
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	b := &w.before
	b.Evals, b.Hits, b.Nodes = b.Evals+w.counted.Stats.Evals, b.Hits+w.counted.Stats.Hits, b.Nodes+w.counted.Nodes
	w.counted, w.under = selfplay.Served{}, 0
	clear(w.tasks)
	return setup, done, nil
}

// request asks the coordinator something and waits for the answer.
func (r *run) request(ctx context.Context, subject string, data []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	defer r.w.wait(cancel)()
	var a answer
	msg, err := r.nc.RequestWithContext(ctx, subject, data)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(msg.Data, &a); err != nil {
		return a, fmt.Errorf("the coordinator's answer: %w", err)
	}
	if a.Refused != "" {
		return a, fmt.Errorf("%w: %s", errRefused, a.Refused)
	}
	if a.Failed != "" {
		return a, errors.New(a.Failed)
	}
	return a, nil
}

// wait has the loss of the connection call end, since no answer comes any more then,
// until what it returns is called.
func (w *Worker) wait(end func()) (done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	number := w.asked
	w.waiting[number] = end
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting, number)
	}
}

// lost ends the requests that wait.
func (w *Worker) lost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, end := range w.waiting {
		end()
	}
}

// answerWithin is how long an answer is waited for.
const answerWithin = 20 * time.Second

// greet says hello.
func (r *run) greet(ctx context.Context) error {
	h := r.hello
	h.Counted = r.w.beat()
	r.w.mu.Lock()
	for _, t := range r.w.tasks {
		h.Holding = append(h.Holding, Task{ID: t.ID, Games: slices.Clone(t.Games)})
	}
	r.w.mu.Unlock()
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	a, err := r.request(ctx, r.w.group.hello(r.w.o.Session), data)
	if err == nil {
		r.beat = max(time.Duration(a.Beat*float64(time.Second)), firstPause)
	}
	return err
}

// told asks until there is an answer; a coordinator that has forgotten the session is
// greeted anew in between.
func (r *run) told(ctx context.Context, verb string, data []byte) (a answer, err error) {
	err = r.w.retry(ctx, func() (err error) {
		a, err = r.request(ctx, r.w.group.of(r.w.o.Session, verb), data)
		if err != nil && !errors.Is(err, errRefused) && ctx.Err() == nil {
			if again := r.greet(ctx); again != nil {
				return again
			}
		}
		return err
	})
	return a, err
}

// live gives signs of life.
func (r *run) live(ctx context.Context) error {
	for {
		timer := time.NewTimer(r.beat)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
		if _, err := r.told(ctx, verbBeat, r.counts()); err != nil {
			return err
		}
	}
}

// beat returns what the worker has counted, as a beat has it.
func (w *Worker) beat() beat {
	c := w.Counts()
	return beat{c.UnderWay, int64(c.Evals), int64(c.Hits), c.Nodes}
}

// counts returns a beat.
func (r *run) counts() []byte {
	data, _ := json.Marshal(r.w.beat()) // of numbers
	return data
}

// ask keeps the stock filled.
func (r *run) ask(ctx context.Context) error {
	w := r.w
	capacity := w.o.Workers*w.o.AtOnce + w.o.Workers
	for pause := firstPause; ; {
		w.mu.Lock()
		room := capacity - w.under
		w.mu.Unlock()
		if room*4 >= capacity || room > 0 && r.stock.Left() == 0 {
			data, _ := json.Marshal(ask{room}) // of a number
			a, err := r.told(ctx, verbDeal, data)
			if err != nil {
				return err
			}
			if len(a.Tasks) > 0 {
				if err := r.take(ctx, a.Tasks); err != nil {
					return err
				}
				pause = firstPause
				continue
			}
			pause = min(2*pause, longestPause)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		case <-r.room:
			timer.Stop()
		}
	}
}

// take puts tasks into the stock, with the networks that they need.
func (r *run) take(ctx context.Context, tasks []Task) error {
	w := r.w
	for _, t := range tasks {
		if sum := t.Network.SHA256; r.config.Follow && sum != "" {
			if err := w.retry(ctx, func() error { _, err := r.store.network(ctx, w.o.Dir, sum); return err }); err != nil {
				return err
			}
		}
		if slices.ContainsFunc(t.Games, func(id int) bool { return id < 0 || id >= r.opts.Games }) {
			return fmt.Errorf("the coordinator deals games %v of %d", t.Games, r.opts.Games)
		}
		w.mu.Lock()
		games := t.Games
		if known := w.tasks[t.ID]; known != nil {
			games = slices.DeleteFunc(slices.Clone(games), func(id int) bool { return slices.Contains(known.Games, id) })
			known.Games = append(known.Games, games...)
		} else {
			w.tasks[t.ID] = &Task{ID: t.ID, Games: slices.Clone(games)}
		}
		w.under += len(games)
		w.mu.Unlock()
		r.stock.Add(t.Network, games...)
	}
	return nil
}

// over takes in a game that is over, and sends the unit that it makes whole.
func (r *run) over(ctx context.Context, s selfplay.Served) error {
	r.w.mu.Lock()
	r.w.counted.Stats, r.w.counted.Nodes = s.Stats, s.Nodes
	r.w.mu.Unlock()
	if r.w.o.spoil != nil {
		r.w.o.spoil(s.Record)
	}
	unit := r.book.unit(int(s.Record.Game.ID))
	parts := append(r.parts[unit[0]], s.Record)
	if len(parts) < len(unit) {
		r.parts[unit[0]] = parts
		return nil
	}
	delete(r.parts, unit[0])
	slices.SortFunc(parts, func(a, b *samples.Record) int { return cmp.Compare(a.Game.ID, b.Game.ID) })
	select {
	case r.out <- parts:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send sends units until the coordinator has them on its disk.
func (r *run) send(ctx context.Context) error {
	for {
		var unit []*samples.Record
		select {
		case <-ctx.Done():
			return ctx.Err()
		case unit = <-r.out:
		}
		var parcel []byte
		for _, record := range unit {
			var err error
			if parcel, err = samples.AppendRecord(parcel, record); err != nil {
				return err
			}
		}
		packed := r.w.pack.EncodeAll(parcel, nil)
		if most := min(r.nc.MaxPayload(), maxResult); int64(len(packed)) > most {
			return fmt.Errorf("game %d takes %d bytes, the server's max_payload is %d: make that larger", unit[0].Game.ID, len(packed), most)
		}
		if _, err := r.told(ctx, verbResult, packed); err != nil {
			return err
		}
		r.delivered(unit)
	}
}

// delivered forgets games that the coordinator has.
func (r *run) delivered(unit []*samples.Record) {
	r.w.mu.Lock()
	for _, record := range unit {
		r.w.before.Games++
		r.w.before.Positions += record.Rows.Rows
		id := int(record.Game.ID)
		for key, t := range r.w.tasks {
			if at := slices.Index(t.Games, id); at >= 0 {
				t.Games = slices.Delete(t.Games, at, at+1)
				r.w.under--
			}
			if len(t.Games) == 0 {
				delete(r.w.tasks, key)
			}
		}
	}
	r.w.mu.Unlock()
	select {
	case r.room <- struct{}{}:
	default:
	}
}

// goodbye tells the coordinator that nothing more comes. It need not hear it.
func (r *run) goodbye() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = r.request(ctx, r.w.group.of(r.w.o.Session, verbBeat), r.counts())
	_, _ = r.request(ctx, r.w.group.of(r.w.o.Session, verbBye), nil)
}
