package cluster

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

var (
	steady   = flag.Int("steady", 400, "games over which a cluster's memory must not grow")
	finished = flag.Int("finished", 4000, "finished games of a run that is resumed")
)

// TestFlatMemory plays a run and compares the memory in use after a quarter of it to that
// at its end, coordinator, server and worker together.
func TestFlatMemory(t *testing.T) {
	config, setup := plan(t, *steady)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	var early, late uint64
	p.change = func(o *CoordinatorOptions) {
		o.Audit = 0.02
		o.Progress = func(s selfplay.Summary) {
			switch {
			case early == 0 && s.OnDisk >= *steady/4:
				early = inUse()
			case s.OnDisk == *steady:
				late = inUse()
			}
		}
	}
	s := p.listen()
	defer s.Close()
	wait := p.worker(t.Context(), "one", nil)
	if _, err := p.coordinate(t.Context(), s, NewMetrics()); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%d games: %.1f MiB after a quarter, %.1f MiB at the end", *steady, float64(early)/(1<<20), float64(late)/(1<<20))
	if early == 0 || late > early+8<<20 {
		t.Errorf("memory grows from %d to %d bytes", early, late)
	}
}

// inUse returns the bytes of the heap that are reachable.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestResumeLarge resumes a run with many finished games: of the shards a coordinator
// computes no more than the digests before it deals.
func TestResumeLarge(t *testing.T) {
	config, setup := plan(t, *finished+8)
	config.Options.GamesPerShard = 64
	run, err := selfplay.Plan(setup, config.Options)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, err := samples.Create(unsynced{}, dir, run, func() time.Time { return time.Time{} })
	if err != nil {
		t.Fatal(err)
	}
	pair := onePair(t)
	for from := 0; from < *finished; from += 64 {
		var list []*samples.Record
		for id := from; id < min(from+64, *finished); id++ {
			r := *pair[id%2]
			r.Game.ID, r.Game.Seed = uint64(id), samples.GameSeed(run.Header.Seed, uint64(id))
			list = append(list, &r)
		}
		if err := out.AddAll(list); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: dir, config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	began := time.Now()
	var ready time.Duration
	ctx, cancel := context.WithCancel(t.Context())
	p.change = func(o *CoordinatorOptions) { o.ready = func() { ready = time.Since(began); cancel() } }
	sum, _ := p.coordinate(ctx, s, NewMetrics())
	t.Logf("a run of %d finished games is resumed within %v", sum.OnDisk, ready.Round(time.Millisecond))
	if sum.OnDisk != *finished {
		t.Errorf("%d games on disk, want %d", sum.OnDisk, *finished)
	}
}

// onePair returns the games 0 and 1 of a run.
func onePair(t *testing.T) [2]*samples.Record {
	config, _ := plan(t, 2)
	setup, _, err := config.Setup(local())
	if err != nil {
		t.Fatal(err)
	}
	record := played(t, config, setup)
	return [2]*samples.Record{record(0), record(1)}
}

// TestFullDisk lets the disk be nearly full until some time has gone by: nothing is dealt
// before, and the run ends as if nothing had been.
func TestFullDisk(t *testing.T) {
	config, setup := plan(t, 16)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	var asked atomic.Int64
	p.change = func(o *CoordinatorOptions) {
		o.MinFree = 100
		o.Free = func(string) (int64, error) {
			if asked.Add(1) > 1 {
				return 100, nil
			}
			return 99, nil
		}
	}
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	in := p.intrude(config, "asks")
	defer in.nc.Close()
	if a := in.greet(nil); a.Refused+a.Failed != "" {
		t.Fatalf("%+v", a)
	}
	a := in.deal(8)
	in.ask(in.group.of(in.session, verbBye), nil)
	if len(a.Tasks) > 0 || !strings.Contains(a.Wait, "disk") {
		t.Errorf("with a full disk: %+v", a)
	}
	p.finish("one", ended)
	if asked.Load() < 2 {
		t.Error("the disk was not looked at again")
	}
}

// streams returns a hand on what a server's JetStream keeps, for as long as the test runs.
func streams(t *testing.T, s *Server) jetstream.JetStream {
	t.Helper()
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// TestStoreIsLost takes everything that JetStream keeps from under the coordinator's feet:
// once with the files themselves, once so that the server does not know it is lost, the
// last time when the run is just complete. It is made anew from what the run lacks, the
// worker goes on, and the run ends well.
func TestStoreIsLost(t *testing.T) {
	config, setup := plan(t, 120)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	js := streams(t, s)
	lost := 0
	p.change = func(o *CoordinatorOptions) {
		o.Audit = 0
		o.Progress = func(sum selfplay.Summary) {
			if sum.OnDisk/30 <= lost {
				return
			}
			if lost++; lost == 2 {
				// What the server writes meanwhile may stay: half a store is lost as well.
				_ = os.RemoveAll(filepath.Join(clusterDir(p.dir), "jetstream"))
			}
			names := js.StreamNames(t.Context())
			for name := range names.Name() {
				if lost == 3 {
					if stream, err := js.Stream(t.Context(), name); err != nil || stream.Purge(t.Context()) != nil {
						t.Error(name, err)
					}
					continue
				}
				if err := js.DeleteStream(t.Context(), name); err != nil && lost != 2 {
					t.Error(name, err)
				}
			}
		}
	}
	m := NewMetrics()
	ended := p.begun(s, m)
	played := p.worker(t.Context(), "one", nil)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := played(); err != nil {
		t.Error(err)
	}
	if lost < 4 {
		t.Errorf("the store was lost %d times only", lost)
	}
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// TestQueueCannotBeMade deletes the queue and has another stream hold its subject, so that no
// new one can be made: who asks for games is told so, as often as it asks, until it can.
func TestQueueCannotBeMade(t *testing.T) {
	config, setup := plan(t, 16)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	js := streams(t, s)
	g := group(DefaultGroup)
	if err := js.DeleteStream(t.Context(), g.stream()); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "other", Subjects: []string{g.tasks()}, Storage: jetstream.MemoryStorage}); err != nil {
		t.Fatal(err)
	}
	in := p.intrude(config, "one")
	defer in.nc.Close()
	in.greet(nil)
	for range 3 {
		if a := in.deal(8); !strings.Contains(a.Failed, "queue") || len(a.Tasks) > 0 {
			t.Errorf("without a queue: %+v", a)
		}
	}
	in.ask(in.group.of(in.session, verbBye), nil)
	if err := js.DeleteStream(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	p.finish("two", ended)
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// TestHeldGamesWithoutAudits stops a coordinator with games that wait for an audit, and has one
// that draws no audits go on: those games are audited all the same, and the run ends.
func TestHeldGamesWithoutAudits(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.change = func(o *CoordinatorOptions) { o.Audit = never }
	s := p.listen()
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := p.begunUntil(ctx, s, NewMetrics())
	in := p.intrude(config, "one")
	defer in.nc.Close()
	in.greet(nil)
	record := played(t, config, setup)
	in.dealt(4)
	if a := in.result(pack(t, record(0), record(1))); a.Failed+a.Refused != "" {
		t.Errorf("a true result: %+v", a)
	}
	cancel()
	<-ended
	p.change = func(o *CoordinatorOptions) { o.Audit = 0 }
	ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended = p.begunUntil(ctx, s, NewMetrics())
	if err := p.worker(ctx, "two", nil)(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// TestHeldGamesOutlast ends a coordinator while games wait for audits, and wants the next
// one to take them up instead of having them played again.
func TestHeldGamesOutlast(t *testing.T) {
	config, setup := plan(t, 16)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.change = func(o *CoordinatorOptions) { o.Audit = 1e-9 }
	s := p.listen()
	defer s.Close()
	record := played(t, config, setup)
	ctx, cancel := context.WithCancel(t.Context())
	ended := p.begunUntil(ctx, s, NewMetrics())
	in := p.intrude(config, "one")
	defer in.nc.Close()
	in.greet(nil)
	in.dealt(16)
	for id := 0; id < 8; id += 2 {
		if a := in.result(pack(t, record(id), record(id+1))); a.Failed+a.Refused != "" {
			t.Errorf("game %d: %+v", id, a)
		}
	}
	cancel()
	<-ended
	files, err := os.ReadDir(filepath.Join(clusterDir(p.dir), heldFolder))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files of games that wait, error %v", len(files), err)
	}
	p.change = nil
	next := p.begun(s, NewMetrics())
	var played atomic.Int64
	if err := p.worker(t.Context(), "two", func(o *WorkerOptions) { o.spoil = func(*samples.Record) { played.Add(1) } })(); err != nil {
		t.Error(err)
	}
	if err := <-next; err != nil {
		t.Error(err)
	}
	if played.Load() != 8 {
		t.Errorf("%d games were played after the restart, want the 8 that were not there", played.Load())
	}
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// TestLogFile writes more than a log holds.
func TestLogFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for begun := range 2 {
		l, err := OpenLog(path, 100, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			if _, err := fmt.Fprintf(l, "line %02d of %d\n", i, begun); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	all := ""
	for _, name := range []string{".2", ".1", ""} {
		text, err := os.ReadFile(path + name)
		if err != nil || len(text) > 100 {
			t.Fatalf("log%s has %d bytes, error %v", name, len(text), err)
		}
		all += string(text)
	}
	if !strings.HasSuffix(all, "line 48 of 1\nline 49 of 1\n") || strings.Count(all, "\n") != strings.Count(all, "line") {
		t.Errorf("the log holds %q", all)
	}
	if _, err := os.Stat(path + ".3"); err == nil {
		t.Error("a third old file is kept")
	}
}
