package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

func TestMain(m *testing.M) {
	if playRole() {
		return
	}
	goleak.VerifyTestMain(m,
		// The embedded server keeps these for the life of the process.
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.init.0.func1"),
		// The object store's Put leaves one behind if it ends before its goroutine begins
		// (nats.go 1.55.0); there is one Put for a configuration and for each network.
		goleak.IgnoreAnyFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"),
	)
}

// plan returns the configuration of a run of so many games that take little time, and
// what plays it.
func plan(t testing.TB, count int) (Config, selfplay.Setup) {
	t.Helper()
	c := Config{
		Version: "test", Commit: "none", Variant: games.VariantOptions{Rule: "freestyle", Size: 6},
		Options: selfplay.Options{
			Games: count, GamesPerShard: 8, Seed: 5, Playouts: 4, StopAtProof: true, MaxPlies: 12,
			Opening: selfplay.Opening{MaxPlies: 3}, Search: mcts.Options{Memory: 1 << 20},
		}.WithDefaults(),
		Model: networks.Uniform,
	}
	setup, _, err := c.Setup(local())
	if err != nil {
		t.Fatal(err)
	}
	return c, setup
}

func local() Local {
	return Local{Version: "test", Commit: "none", Loader: networks.NewLoader(networks.LoaderOptions{}), AtOnce: 4}
}

// alone plays the run in one process and returns its files.
func alone(t testing.TB, c Config, setup selfplay.Setup) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if _, err := selfplay.Run(t.Context(), setup, c.Options, selfplay.Host{Dir: dir, Workers: 2, Files: unsynced{}}); err != nil {
		t.Fatal(err)
	}
	return contents(t, dir)
}

// contents returns the files of a folder by name, but for the coordinator's own.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || e.Name() == "run.lock" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}

func sameFiles(t testing.TB, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("other bytes: %d files, want %d", len(got), len(want))
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s differs", name)
			}
		}
	}
}

// place is a cluster's server and run, which tests stop and start again.
type place struct {
	t      testing.TB
	dir    string
	addr   string // "": not known yet
	config Config
	setup  selfplay.Setup
	change func(o *CoordinatorOptions)
	serve  func(o *ServerOptions)
	seed   uint64
	at     *Coordinator // that was begun last

	mu   sync.Mutex
	over chan struct{} // see [place.complete]
	once sync.Once     // closes it
}

// complete returns what is closed when the run is complete.
func (p *place) complete() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over == nil {
		p.over = make(chan struct{})
	}
	return p.over
}

const testToken = "token"

// listen starts the server, on the address that it had before.
func (p *place) listen() *Server {
	p.t.Helper()
	addr := p.addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	o := ServerOptions{Dir: filepath.Join(clusterDir(p.dir), "jetstream"), Addr: addr, Token: testToken, Tokens: TokensFile(p.dir), Group: DefaultGroup, Workers: 200, unsynced: true}
	if p.serve != nil {
		p.serve(&o)
	}
	s, err := StartServer(o)
	if err != nil {
		p.t.Fatal(err)
	}
	p.addr = strings.TrimPrefix(s.URL(), "nats://")
	return s
}

// link returns how workers get there.
func (p *place) link() Link { return Link{URL: "nats://" + p.addr, Token: testToken} }

// coordinate runs a coordinator until the run is complete or the context ends.
func (p *place) coordinate(ctx context.Context, s *Server, m *Metrics) (sum selfplay.Summary, err error) {
	nc, err := s.Connect()
	if err != nil {
		return sum, err
	}
	defer nc.Close()
	p.seed++
	o := CoordinatorOptions{
		Dir: p.dir, Resume: true, Config: p.config, Setup: p.setup, Codec: generate.SampleCodec, Files: unsynced{},
		Audit: 0.1, Silent: 2 * time.Second, Rand: rand.New(rand.NewPCG(p.seed, 1)),
	}
	if p.change != nil {
		p.change(&o)
	}
	c := NewCoordinator(nc, s, m, o)
	p.at = c
	if sum, err = c.Run(ctx); err == nil {
		p.once.Do(func() { close(p.complete()) })
	}
	return sum, err
}

// worker starts a worker and returns what waits for its end. One that had games ends with the
// run; one that came too late for a short run would wait for the next, and is stopped.
func (p *place) worker(ctx context.Context, name string, change func(*WorkerOptions)) (wait func() error) {
	p.t.Helper()
	o := p.workerOptions(name)
	if change != nil {
		change(&o)
	}
	w, err := NewWorker(o)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	return func() (err error) {
		defer stop()
		select {
		case err = <-ended:
		case <-p.complete():
			if w.Counts().Games == 0 {
				stop()
			}
			err = <-ended
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("worker %s: %w", o.Name, err)
		}
		return nil
	}
}

// crew starts so many workers and returns what waits for their end.
func (p *place) crew(n int) (wait func() error) {
	p.t.Helper()
	var waits []func() error
	for i := range n {
		waits = append(waits, p.worker(p.t.Context(), fmt.Sprintf("worker-%d", i), nil))
	}
	return func() error {
		var errs []error
		for _, wait := range waits {
			errs = append(errs, wait())
		}
		return errors.Join(errs...)
	}
}

// workerOptions returns those of a worker that ends with the run.
func (p *place) workerOptions(name string) WorkerOptions {
	return WorkerOptions{
		Link: p.link(), Name: name, Workers: 1, AtOnce: 4, Version: "test", Commit: "none",
		Loader: networks.NewLoader(networks.LoaderOptions{}), Dir: filepath.Join(p.dir, "networks"), Once: true,
	}
}

// played plays the run and returns what makes a fresh copy of a game's record.
func played(t testing.TB, c Config, setup selfplay.Setup) func(id int) *samples.Record {
	t.Helper()
	run, err := selfplay.Plan(setup, c.Options)
	if err != nil {
		t.Fatal(err)
	}
	stock := selfplay.NewGameQueue(c.Options)
	for id := range run.Games {
		stock.Add(samples.PlayedBy{}, id)
	}
	stock.Close()
	parcels := make([][]byte, run.Games)
	err = selfplay.PlayQueue(t.Context(), setup, c.Options, selfplay.Host{}, stock, func(s selfplay.FinishedGame) (err error) {
		parcels[s.Record.Game.ID], err = samples.AppendRecord(nil, s.Record)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(id int) *samples.Record {
		list, err := samples.ReadParcel(parcels[id], run.Layout, 1)
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
}

// ofLedger returns how many games of a worker are in the run, and how many were played
// again by others.
func ofLedger(t testing.TB, dir, worker string) (taken, dropped int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(clusterDir(dir), ledgerName))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Worker != worker:
		case e.Event == "taken":
			taken += len(e.Games)
		case e.Event == "dropped":
			dropped += len(e.Games)
		}
	}
	return taken, dropped
}

// unsynced is a disk that is quick: tests kill processes and no machines.
type unsynced struct{ samples.Disk }

func (unsynced) SyncDir(string) error { return nil }

func (d unsynced) Create(name string) (samples.File, error) {
	f, err := d.Disk.Create(name)
	return unsyncedFile{f}, err
}

func (d unsynced) Append(name string) (samples.File, error) {
	f, err := d.Disk.Append(name)
	return unsyncedFile{f}, err
}

type unsyncedFile struct{ samples.File }

func (unsyncedFile) Sync() error { return nil }
