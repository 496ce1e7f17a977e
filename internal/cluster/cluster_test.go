package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

func TestMain(m *testing.M) {
	if playRole() {
		return
	}
	goleak.VerifyTestMain(m,
		// The embedded server keeps these for the life of the process.
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.init.0.func1"))
}

// plan returns the configuration of a run of so many games that take little time, and
// what plays it.
func plan(t testing.TB, count int) (Config, selfplay.Setup) {
	t.Helper()
	c := Config{Model: networks.Uniform, Exact: true, Run: selfplay.Run{
		Version: "test", Commit: "none", Variant: games.VariantOptions{Rule: "freestyle", Size: 6},
		Options: selfplay.Options{
			Games: count, GamesPerShard: 8, Seed: 5, Playouts: 4, StopAtProof: true, MaxPlies: 12,
			Opening: selfplay.Opening{MaxPlies: 3}, Search: mcts.Options{Memory: 1 << 20},
		}.WithDefaults(),
	}}
	return c, setupOf(t, c)
}

func setupOf(t testing.TB, c Config) selfplay.Setup {
	t.Helper()
	p, err := c.Open("test", "none", selfplay.Machine{Loader: networks.NewLoader(networks.LoaderOptions{})})
	if err != nil {
		t.Fatal(err)
	}
	return p.Setup
}

// alone plays the run in one process and returns its files.
func alone(t testing.TB, c Config, setup selfplay.Setup) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if _, err := selfplay.Play(t.Context(), setup, c.Options, selfplay.Host{Dir: dir, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	return contents(t, dir)
}

// contents returns the files of a folder by name, without folders and the lock.
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
	if maps.Equal(got, want) {
		return
	}
	t.Errorf("other bytes: %d files, want %d", len(got), len(want))
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
}

const testToken = "0123456789abcdef"

// rig is a coordinator's server, run and log.
type rig struct {
	t      testing.TB
	dir    string
	server *Server
	config Config
	setup  selfplay.Setup
	log    lockedBuffer
	change func(*CoordinatorOptions)
}

func newRig(t testing.TB, games int) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	r.config, r.setup = plan(t, games)
	var err error
	if r.server, err = StartServer("127.0.0.1:0", testToken, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.server.Close)
	return r
}

// coordinate runs a coordinator until the run is complete.
func (r *rig) coordinate(ctx context.Context) (selfplay.Summary, error) {
	o := CoordinatorOptions{
		Dir: r.dir, Resume: true, Config: r.config, Setup: r.setup, Codec: selfplay.SampleCodec, Kind: "kind",
		Silent: 2 * time.Second, Log: slog.New(slog.NewTextHandler(&r.log, nil)),
	}
	if r.change != nil {
		r.change(&o)
	}
	return Play(ctx, r.server, o)
}

// worker runs a worker until the run is over or it is refused.
func (r *rig) worker(name string, change func(*WorkerOptions)) (wait func() error) {
	r.t.Helper()
	o := WorkerOptions{
		Link: Link{URL: r.server.URL(), Token: testToken}, Name: name, Kind: "kind", Workers: 1,
		Version: "test", Commit: "none",
		Loader: networks.NewLoader(networks.LoaderOptions{}), Dir: filepath.Join(r.dir, "networks"), Once: true,
		Log: slog.New(slog.NewTextHandler(&r.log, nil)),
	}
	if change != nil {
		change(&o)
	}
	w, err := NewWorker(o)
	if err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(r.t.Context())
	r.t.Cleanup(stop)
	go func() { ended <- w.Run(ctx) }()
	return func() error {
		select {
		case err := <-ended:
			return err
		case <-time.After(30 * time.Second): // it came too late for a short run
			stop()
			<-ended
			return errors.New("the worker did not end")
		}
	}
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// spoiled changes a game within the rules, as a machine with a faulty processor does.
func spoiled(r *samples.Record) {
	if r.Rows.Rows > 0 {
		r.Rows.RootQ[0] += 0.01
	}
}

// TestSameBytes wants the bytes of one machine from any number of workers, with and without a
// coordinator that plays.
func TestSameBytes(t *testing.T) {
	config, setup := plan(t, 40)
	want := alone(t, config, setup)
	for _, c := range []struct{ own, workers int }{{1, 0}, {0, 1}, {2, 1}, {0, 4}} {
		t.Run(fmt.Sprintf("%d own, %d others", c.own, c.workers), func(t *testing.T) {
			r := newRig(t, 40)
			r.change = func(o *CoordinatorOptions) { o.Workers = c.own }
			var waits []func() error
			for i := range c.workers {
				waits = append(waits, r.worker(fmt.Sprint(i), nil))
			}
			sum, err := r.coordinate(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if sum.Games != 40 || sum.OnDisk != 40 || sum.Stats.Evals == 0 {
				t.Errorf("%+v", sum)
			}
			for _, wait := range waits {
				if err := wait(); err != nil && c.own == 0 {
					t.Error(err)
				}
			}
			sameFiles(t, contents(t, r.dir), want)
		})
	}
}

// TestFaultyMachine wants a worker whose first game is another one on the coordinator to be
// refused before any game of it is stored.
func TestFaultyMachine(t *testing.T) {
	r := newRig(t, 40)
	r.config.Exact = false
	ready := make(chan struct{})
	r.change = func(o *CoordinatorOptions) { o.ready = func() { close(ready) } }
	ended := make(chan error, 1)
	go func() { _, err := r.coordinate(t.Context()); ended <- err }()
	<-ready
	err := r.worker("faulty", func(o *WorkerOptions) { o.spoil = spoiled })()
	if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), "faulty") {
		t.Errorf("error %v", err)
	}
	if err := r.worker("good", nil)(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	sameFiles(t, contents(t, r.dir), alone(t, r.config, r.setup))
}

// TestRefused wants workers that cannot play the run to end with one line that says why.
func TestRefused(t *testing.T) {
	r := newRig(t, 8)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := r.coordinate(ctx); ended <- err }()
	for _, c := range []struct {
		change func(*WorkerOptions)
		want   string
	}{
		{func(o *WorkerOptions) { o.Version = "other" }, "carozero other"},
		{func(o *WorkerOptions) { o.Commit = "other" }, "same build"},
		{func(o *WorkerOptions) { o.Link.Token = "another" }, "token"},
		{func(o *WorkerOptions) { o.Link.URL = "nats://127.0.0.1:%" }, "127.0.0.1:%"},
	} {
		if err := r.worker("worker", c.change)(); err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %s", err, c.want)
		}
	}
	if _, err := ParseConfig([]byte(`{"protocol": 2, "options": "what it was"}`)); err == nil ||
		!strings.Contains(err.Error(), "same release") {
		t.Errorf("protocol 2: %v", err)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestDeviceIsCompared wants a worker to be refused whose networks another device computes.
func TestDeviceIsCompared(t *testing.T) {
	c, _ := plan(t, 8)
	c.ModelSHA256, c.Batch = strings.Repeat("0", 64), 16
	open := func() (*selfplay.Playing, error) {
		return c.Open("test", "none", selfplay.Machine{
			Loader: networks.NewLoader(networks.LoaderOptions{}), Model: nn.SimulatedName,
		})
	}
	if _, err := open(); err == nil || !strings.Contains(err.Error(), "want the processor") {
		t.Errorf("a run on processors: %v", err)
	}
	c.Device = selfplay.Device{Kind: nn.DeviceKind{Provider: nn.SimulatedName}, Batch: 16, Probe: "0123456789abcdef"}
	_, err := open()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "want "+c.Device.String()) {
		t.Errorf("%s: error %v", c.Device, err)
	}
	_, probe, _ := strings.Cut(fmt.Sprint(err), "batches of 16, probe ")
	c.Device.Probe, _, _ = strings.Cut(probe, " ")
	if p, err := open(); err != nil || p.Setup.Device != c.Device {
		t.Errorf("the same device: %v", err)
	}
}

// TestTLS connects by TLS with the authority of a certificate, and without it.
func TestTLS(t *testing.T) {
	ts := httptest.NewUnstartedServer(nil)
	ts.StartTLS() // for its certificate
	defer ts.Close()
	r := newRig(t, 8)
	server, err := StartServer("127.0.0.1:0", testToken, &tls.Config{Certificates: ts.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	r.server = server
	authorities := x509.NewCertPool()
	authorities.AddCert(ts.Certificate())
	wait := r.worker("worker", func(o *WorkerOptions) { o.Link.TLS = &tls.Config{RootCAs: authorities} })
	if _, err := r.coordinate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
	plain := Link{URL: server.URL(), Token: testToken}
	if _, err := plain.dial(func(error) {}, func() {}, func(error) {}); err == nil {
		t.Error("a certificate of nobody is trusted")
	}
}

// TestSuccessiveRuns lets a worker that stays play one run after the other.
func TestSuccessiveRuns(t *testing.T) {
	r := newRig(t, 16)
	_ = r.worker("worker", func(o *WorkerOptions) { o.Once = false })
	for seed := range 3 {
		r.config.Options.Seed, r.dir = uint64(seed), t.TempDir()
		r.setup = setupOf(t, r.config)
		if _, err := r.coordinate(t.Context()); err != nil {
			t.Fatal(err)
		}
		sameFiles(t, contents(t, r.dir), alone(t, r.config, r.setup))
	}
}

// TestFollow plays a run whose network is taken from a file, by a worker that reads it from the
// coordinator.
func TestFollow(t *testing.T) {
	r := newRig(t, 16)
	r.config.Variant.Size, r.config.Exact = 7, false
	v, err := games.NewVariant(r.config.Variant)
	if err != nil {
		t.Fatal(err)
	}
	n, err := networks.NewLoader(networks.LoaderOptions{}).Open(v, "taught7-line16")
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	file, err := n.File()
	if err != nil {
		t.Fatal(err)
	}
	r.config.Follow, r.config.Model = true, filepath.Join(t.TempDir(), "net.line")
	if err := os.WriteFile(r.config.Model, file, 0o666); err != nil {
		t.Fatal(err)
	}
	r.setup = setupOf(t, r.config)
	want := alone(t, r.config, r.setup)
	wait := r.worker("worker", nil)
	if _, err := r.coordinate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
	sameFiles(t, contents(t, r.dir), want)
	if _, err := os.Stat(filepath.Join(r.dir, "networks", samples.NetworkName(n.SHA256))); err != nil {
		t.Error(err)
	}

	// One that breaks on the coordinator's machine is replaced by the one before, which is told
	// once, and the worker goes on with that.
	r.dir = t.TempDir()
	load, notes := r.setup.Follow.Open, []string{}
	r.setup.Follow.Note = func(line string) { notes = append(notes, line) }
	r.setup.Follow.Open = func(path string) (selfplay.Network, error) {
		n, err := load(path)
		n.Evaluator = func(int, *nn.Turn) (nn.Evaluator, error) { return breaking{nn.NewMock(1)}, nil }
		return n, err
	}
	r.change = func(o *CoordinatorOptions) { o.Workers = 1 }
	_ = r.worker("worker", func(o *WorkerOptions) { o.Once = false })
	if _, err := r.coordinate(t.Context()); err != nil {
		t.Fatal(err)
	}
	shards := strings.TrimSpace(contents(t, r.dir)[samples.NetworksName])
	if strings.Count(shards, "\n") != 1 || !strings.Contains(shards, fmt.Sprintf("%q:%q", "broken", n.SHA256)) ||
		len(notes) != 1 || !strings.Contains(notes[0], "played again from game ") {
		t.Errorf("%s: notes %q", shards, notes)
	}
	if seen, err := samples.Verify(t.Context(), selfplay.SampleCodec, 9, r.dir); err != nil || seen.Bad > 0 ||
		seen.Games != 16 {
		t.Errorf("%+v, %v", seen, err)
	}
}

// breaking is an evaluator whose network gives results that are not finite.
type breaking struct{ nn.Evaluator }

func (breaking) Wait(context.Context, int) error { return fmt.Errorf("value: %w", nn.ErrBroken) }
