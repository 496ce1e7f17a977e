//go:build unix

package cluster

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

var (
	simulated   = flag.Int("simulated", 30, "workers of a simulation")
	simGames    = flag.Int("simgames", 60, "games that they have")
	simSize     = flag.Int("simsize", 6, "side length of their boards")
	simPlayouts = flag.Int("simplayouts", 12, "playouts of their searches, unless the boards are the smallest")
	simSync     = flag.Bool("simsync", false, "the coordinator syncs its files")
)

// TestManyWorkers lets many workers send games that were played before, as fast as a
// coordinator in a process of its own takes them, and tells what it takes for that: one
// processor checks and writes.
func TestManyWorkers(t *testing.T) {
	r := role{Kind: "coordinator", Dir: t.TempDir(), Addr: freeAddr(t), Own: true, Games: *simGames, Size: *simSize, Silent: 30, Sync: *simSync, Playouts: *simPlayouts}
	config, setup := r.plan(t)
	var rows atomic.Int64
	want := r.played(t, config, setup, &rows)
	c := r.start(t, true)
	for c.lines.Scan() && c.lines.Text() != "ready" {
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	var workers sync.WaitGroup
	for i := range *simulated {
		workers.Go(func() { r.simulate(ctx, t, config, setup, i, want) })
	}
	for c.lines.Scan() && c.lines.Text() != "done" {
	}
	took := time.Since(began)
	cancel()
	workers.Wait()
	c.end(syscall.SIGTERM)
	usage := c.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
	t.Logf("%d workers, %d games of %dx%d, %d positions, %.1f KiB each on the way: %.0f games a minute, %.1f ms of processor each, %d MiB at most",
		*simulated, *simGames, *simSize, *simSize, rows.Load()/int64(*simGames), float64(r.bytes(want))/float64(*simGames)/1024,
		float64(*simGames)/took.Minutes(), float64(cpu.Milliseconds())/float64(*simGames), usage.Maxrss>>10)
	if !r.complete(t, config, setup) {
		t.Error("the run is not complete")
	}
}

// played plays the run and returns its units as results have them, by their first game.
func (r role) played(t *testing.T, config Config, setup selfplay.Setup, rows *atomic.Int64) map[int][]byte {
	opts := config.Options
	stock := selfplay.NewGameQueue(opts)
	for id := range opts.Games {
		stock.Add(samples.PlayedBy{}, id)
	}
	stock.Close()
	units := map[int][]byte{}
	host := selfplay.Host{Workers: runtime.GOMAXPROCS(0)}
	err := selfplay.PlayQueue(t.Context(), setup, opts, host, stock, func(s selfplay.FinishedGame) error {
		id := int(s.Record.Game.ID)
		rows.Add(int64(s.Record.Rows.Rows))
		units[id] = pack(t, s.Record)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return units
}

func (r role) bytes(units map[int][]byte) (n int) {
	for _, u := range units {
		n += len(u)
	}
	return n
}

// simulate is a worker that has every game already.
func (r role) simulate(ctx context.Context, t *testing.T, config Config, setup selfplay.Setup, i int, units map[int][]byte) {
	session := NewSession()
	nc, err := (Link{URL: "nats://" + r.Addr, Token: testToken}).await(ctx, session, func(string) {}, nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer nc.Close()
	if err := config.complete(setup); err != nil {
		t.Error(err)
		return
	}
	_, sum, err := config.text()
	if err != nil {
		t.Error(err)
		return
	}
	g := group(DefaultGroup)
	ask := func(subject string, data []byte) (a answer, err error) {
		within, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		msg, err := nc.RequestWithContext(within, subject, data)
		if err == nil {
			err = json.Unmarshal(msg.Data, &a)
		}
		return a, err
	}
	h, err := json.Marshal(hello{Protocol: Protocol, Name: fmt.Sprintf("simulated-%d", i), Version: "test", Commit: "none",
		Planes: setup.Header.Planes.Version, Config: sum, Run: config.Run})
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = nc.Publish(g.of(session, verbBye), nil); _ = nc.Flush() }()
	for welcome := false; ctx.Err() == nil; {
		if !welcome {
			a, err := ask(g.hello(session), h)
			if a.Refused != "" {
				t.Error(a.Refused)
				return
			}
			welcome = err == nil && a.Failed == ""
			continue
		}
		a, err := ask(g.of(session, verbDeal), []byte(`{"room":4}`))
		if err != nil || a.Failed != "" || len(a.Tasks) == 0 {
			if a.Wait != "" {
				return // the others have the rest
			}
			welcome = a.Failed == ""
			continue
		}
		for _, task := range a.Tasks {
			for _, id := range task.Games {
				if u, first := units[id]; first {
					if a, err := ask(g.of(session, verbResult), u); err == nil && a.Failed+a.Refused != "" {
						t.Error(a.Failed, a.Refused)
					}
				}
			}
		}
	}
}

// complete reports whether the run is, and verifies it.
func (r role) complete(t *testing.T, config Config, setup selfplay.Setup) bool {
	return len(contents(t, r.Dir)) == 2+(r.Games-1)/config.Options.GamesPerShard+1
}
