package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

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
		_, _ = r.w.request(ctx, r.nc, &nats.Msg{Subject: subjectLeave, Data: []byte(r.w.session)})
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
	if t.Game < 0 || t.Game >= r.config.Options.Games {
		return fmt.Errorf("the coordinator deals game %d of %d", t.Game, r.config.Options.Games)
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
