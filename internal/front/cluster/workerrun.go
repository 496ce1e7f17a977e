package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// run is one configuration being played by a worker.
type run struct {
	w      *Worker
	nc     *nats.Conn
	config *Config
	sum    string // digest of the configuration
	hello  hello
	opts   selfplay.Options
	stock  *selfplay.GameQueue
	beat   atomic.Int64           // a time.Duration, of which any goroutine may be told
	room   chan struct{}          // signals that games should be requested
	out    chan []*samples.Record // units to be sent
	large  chan struct{}          // held while a result is sent in parts
}

// play plays a configuration until the context ends.
func (w *Worker) play(ctx context.Context, nc *nats.Conn, sum string) error {
	r := &run{w: w, nc: nc, sum: sum, room: make(chan struct{}, 1), out: make(chan []*samples.Record, w.o.Workers*w.o.AtOnce), large: make(chan struct{}, 1)}
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
		return selfplay.PlayQueue(ctx, setup, r.opts, host, r.stock, func(s selfplay.FinishedGame) error { return r.over(ctx, s) })
	})
	err = group.Wait()
	r.goodbye()
	return err
}

// senders is how many results are sent at once.
const senders = 4

// prepare reads the configuration and sets up its player.
func (r *run) prepare(ctx context.Context) (setup selfplay.Setup, done func() error, err error) {
	w := r.w
	err = w.retry(ctx, func() (err error) {
		text, err := w.fetch(ctx, r.nc, r.sum, maxConfig)
		if err != nil {
			return err
		}
		if r.config, err = ParseConfig(text); err != nil {
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		local := Local{Version: w.o.Version, Commit: w.o.Commit, Loader: w.o.Loader, AtOnce: w.o.AtOnce, CacheMiB: w.o.CacheMiB,
			Note: func(line string) { w.o.Log.Info(line) }}
		if sum := r.config.network(); sum != "" {
			if local.Network, err = w.network(ctx, r.nc, sum); err != nil {
				return err
			}
		}
		if setup, done, err = r.config.Setup(local); err != nil {
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		return nil
	})
	if err != nil {
		return setup, done, err
	}
	r.opts = r.config.Options
	r.stock = selfplay.NewGameQueue(r.opts)
	r.hello = hello{
		Protocol: Protocol, Name: w.o.Name, Version: w.o.Version, Commit: w.o.Commit,
		Planes: setup.Header.Planes.Version, Model: setup.Header.ModelSHA256, Config: r.sum, Run: r.config.Run,
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	b := &w.before
	b.Evals, b.Hits, b.Nodes = b.Evals+w.counted.Stats.Evals, b.Hits+w.counted.Stats.Hits, b.Nodes+w.counted.Nodes
	w.counted, w.under = selfplay.FinishedGame{}, 0
	clear(w.tasks)
	return setup, done, nil
}

// ask requests games whenever there is room.
func (r *run) ask(ctx context.Context) error {
	w := r.w
	capacity := min(w.o.Workers*w.o.AtOnce+w.o.Workers, maxHolding)
	for wait := firstPause; ; {
		w.mu.Lock()
		room := capacity - w.under
		w.mu.Unlock()
		if room*4 >= capacity || room > 0 && r.stock.Left() == 0 {
			data, _ := json.Marshal(ask{room}) // a number always encodes
			a, err := r.askUntilAnswered(ctx, verbDeal, data)
			if err != nil {
				return err
			}
			if len(a.Tasks) > 0 {
				if err := r.take(ctx, a.Tasks); err != nil {
					return err
				}
				wait = firstPause
				continue
			}
			wait = min(2*wait, longestPause)
		}
		timer := time.NewTimer(wait)
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

// take adds tasks to the stock and fetches the networks that they need.
func (r *run) take(ctx context.Context, tasks []Task) error {
	w := r.w
	for _, t := range tasks {
		if sum := t.Network.SHA256; r.config.Follow && sum != "" {
			if err := w.retry(ctx, func() error { _, err := w.network(ctx, r.nc, sum); return err }); err != nil {
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

// over takes in a finished game and sends it.
func (r *run) over(ctx context.Context, s selfplay.FinishedGame) error {
	r.w.mu.Lock()
	r.w.counted.Stats, r.w.counted.Nodes = s.Stats, s.Nodes
	r.w.mu.Unlock()
	if r.w.o.spoil != nil {
		r.w.o.spoil(s.Record)
	}
	select {
	case r.out <- []*samples.Record{s.Record}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send sends units until the coordinator has stored them.
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
		if len(packed) > maxResult || len(parcel) > maxParcel {
			return fmt.Errorf("game %d takes %d bytes and %d when unfolded: want at most %d and %d", unit[0].Game.ID, len(packed), len(parcel), maxResult, maxParcel)
		}
		if err := r.deliver(ctx, int(unit[0].Game.ID), packed); err != nil {
			return err
		}
		r.delivered(unit)
	}
}

// deliver sends a result, in parts if it is too large for one message, until the
// coordinator has stored it.
func (r *run) deliver(ctx context.Context, game int, packed []byte) error {
	if len(packed) <= maxPart {
		_, err := r.askUntilAnswered(ctx, verbResult, packed)
		return err
	}
	select {
	case r.large <- struct{}{}:
		defer func() { <-r.large }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for from := 0; ; {
		a, err := r.askUntilAnswered(ctx, verbPart, appendPart(nil, game, packed, from))
		if err != nil || a.Taken {
			return err
		}
		if a.From < 0 || a.From >= len(packed) {
			return fmt.Errorf("the coordinator has %d bytes of a result of %d", a.From, len(packed))
		}
		from = a.From
	}
}

// delivered removes games that the coordinator has.
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

// goodbye tells the coordinator that this session ends. There is no answer.
func (r *run) goodbye() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = r.w.request(ctx, r.nc, r.w.group.of(r.w.o.Session, verbBeat), r.counts())
	_, _ = r.w.request(ctx, r.nc, r.w.group.of(r.w.o.Session, verbBye), nil)
}
