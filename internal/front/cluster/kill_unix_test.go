//go:build unix

package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/selfplay"
)

var kills = flag.Int("kills", 6, "kills and stops of processes of a cluster")

// role is what a process of the test plays, in its environment.
type role struct {
	Kind  string // coordinator, worker, server
	Dir   string
	Addr  string // of the server
	Own   bool   // the coordinator has a server of its own
	Name  string
	Games int
	Debug bool

	Size   int  // of the boards; 0: as plan has it
	Silent int  // seconds; 0: 1
	Sync   bool // files are synced

	Playouts int // with Size
}

// plan returns the configuration that the role plays.
func (r role) plan(t testing.TB) (Config, selfplay.Setup) {
	config, setup := plan(t, r.Games)
	if r.Size == 0 || r.Size == config.Variant.Size {
		return config, setup
	}
	o := config.Options
	o.Playouts, o.MaxPlies, o.GamesPerShard, o.Opening.MaxPlies, o.StopAtProof = max(r.Playouts, 2), 120, 64, 6, false
	config.Variant.Size, config.Options = r.Size, o.WithDefaults()
	setup, _, err := config.Setup(local())
	if err != nil {
		t.Fatal(err)
	}
	return config, setup
}

const roleVariable = "CAROZERO_CLUSTER_TEST_ROLE"

// playRole plays the role that the environment gives this process, and reports whether
// there is one.
func playRole() bool {
	text, there := os.LookupEnv(roleVariable)
	if !there {
		return false
	}
	var r role
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() { // with its parent it ends too
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	var err error
	switch r.Kind {
	case "coordinator":
		err = r.coordinate(ctx)
	case "worker":
		err = r.work(ctx)
	case "server":
		err = r.serve(ctx)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, r.Kind, r.Name, err)
		os.Exit(1)
	}
	return true
}

// plain is a testing.TB for what needs one outside of a test.
type plain struct{ testing.TB }

func (plain) Helper()           {}
func (plain) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func (r role) coordinate(ctx context.Context) error {
	config, setup := r.plan(plain{})
	o := CoordinatorOptions{
		Dir: r.Dir, Resume: true, Config: config, Setup: setup, Codec: generate.SampleCodec, Files: unsynced{}, Audit: 0.05, NewAudit: 0.2, NewUnits: 5,
		Silent: time.Second, Slow: 2 * time.Second, Rand: rand.New(rand.NewPCG(uint64(os.Getpid()), 1)),
		Progress: func(s selfplay.Summary) { fmt.Println(s.OnDisk) },
		ready:    func() { fmt.Println("ready") },
	}
	if r.Debug {
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	if r.Sync {
		o.Files = nil
	}
	if r.Silent > 0 {
		o.Silent, o.Slow, o.Workers = time.Duration(r.Silent)*time.Second, time.Hour, 5000
	}
	var (
		nc     *nats.Conn
		server *Server
		err    error
	)
	if r.Own {
		server, err = StartServer(ServerOptions{Dir: filepath.Join(clusterDir(r.Dir), "jetstream"), Addr: r.Addr, Token: testToken, Group: DefaultGroup, Workers: 5000, unsynced: !r.Sync})
		if err != nil {
			return err
		}
		defer server.Close()
		nc, err = server.Connect()
	} else {
		nc, err = Link{URL: "nats://" + r.Addr}.connect(NewSession(), func(string) {}, nil)
	}
	if err != nil {
		return err
	}
	defer nc.Close()
	_, err = NewCoordinator(nc, server, NewMetrics(), o).Run(ctx)
	if err == nil {
		fmt.Println("done")
	}
	return err
}

func (r role) work(ctx context.Context) error {
	link := Link{URL: "nats://" + r.Addr}
	if r.Own {
		link.Token = testToken
	}
	o := WorkerOptions{
		Link: link, Name: r.Name, Workers: 1, AtOnce: 4, Version: "test", Commit: "none",
		Loader: networks.NewLoader(networks.LoaderOptions{}), Dir: filepath.Join(r.Dir, "networks"), Once: true,
	}
	if r.Debug {
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil)).With("name", r.Name)
	}
	w, err := NewWorker(o)
	if err != nil {
		return err
	}
	return w.Run(ctx)
}

// serve is a NATS server as it comes: JetStream writes when the system likes.
func (r role) serve(ctx context.Context) error {
	host, port, _ := strings.Cut(r.Addr, ":")
	var number int
	if _, err := fmt.Sscan(port, &number); err != nil {
		return err
	}
	s, err := natsserver.NewServer(&natsserver.Options{Host: host, Port: number, NoLog: true, NoSigs: true, JetStream: true,
		StoreDir: filepath.Join(clusterDir(r.Dir), "existing")})
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(serverReady) {
		return errors.New("the server cannot listen")
	}
	fmt.Println("ready")
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// process is one that plays a role.
type process struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	hold  io.Closer
}

// start starts a process, and waits for its first line where it says one.
func (r role) start(t *testing.T, speaks bool) *process {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+string(text), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	p := &process{cmd: cmd}
	if p.hold, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if speaks {
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		p.lines = bufio.NewScanner(out)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.end(os.Kill) })
	return p
}

// end ends a process by a signal and waits until it has gone.
func (p *process) end(s os.Signal) {
	_ = p.cmd.Process.Signal(s)
	if s != os.Kill {
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
	}
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Wait()
	}
}

// freeAddr returns an unused address.
func freeAddr(t *testing.T) string {
	t.Helper()
	p := &place{t: t, dir: t.TempDir()}
	p.listen().Close()
	return p.addr
}

// TestKills kills and stops the processes of a cluster at random while it plays a run:
// five workers, the coordinator, and in the second cluster a server of its own. No game
// may be lost, doubled or false: the run has the bytes of one process.
func TestKills(t *testing.T) {
	games := 60 + 14**kills
	config, setup := plan(t, games)
	want := alone(t, config, setup)
	for _, own := range []bool{true, false} {
		t.Run(map[bool]string{true: "embedded", false: "existing"}[own], func(t *testing.T) {
			r := role{Dir: t.TempDir(), Addr: freeAddr(t), Own: own, Games: games}
			rig := &rig{t: t, role: r, rng: rand.New(rand.NewPCG(3, uint64(*kills)))}
			rig.play()
			sameFiles(t, contents(t, r.Dir), want)
			t.Logf("%d games, %s", games, rig.did)
		})
	}
}

// rig is a cluster of processes that are killed.
type rig struct {
	t           *testing.T
	role        role
	rng         *rand.Rand
	coordinator *process
	server      *process // nil: inside the coordinator
	workers     []*process
	stopped     int   // a worker that is stopped, -1 for none
	order       []int // of the next kinds of kills
	did         killed
}

// killed counts.
type killed struct{ Workers, Stops, Coordinators, Servers, Wiped int }

func (k killed) String() string {
	return fmt.Sprintf("%d kills and %d stops of workers, %d kills of the coordinator, %d of the server, %d times without its files",
		k.Workers, k.Stops, k.Coordinators, k.Servers, k.Wiped)
}

func (k killed) all() int { return k.Workers + k.Stops + k.Coordinators + k.Servers }

// play plays the run, with a kill after every few games.
func (g *rig) play() {
	g.stopped = -1
	if !g.role.Own {
		g.serve()
	}
	g.coordinate()
	for i := range 5 {
		g.workers = append(g.workers, g.worker(i))
	}
	for next := 3; ; {
		if !g.coordinator.lines.Scan() {
			g.coordinator.end(os.Kill) // it has failed by itself: the server was away
			g.coordinate()
			continue
		}
		line := g.coordinator.lines.Text()
		if line == "done" {
			break
		}
		if next--; next > 0 || g.did.all() >= *kills {
			continue
		}
		next = 1 + g.rng.IntN(2)
		g.kill()
	}
	if g.did.all() < *kills {
		g.t.Errorf("%d kills only, want %d", g.did.all(), *kills)
	}
	g.coordinator.end(syscall.SIGTERM)
}

func (g *rig) serve() {
	r := g.role
	r.Kind = "server"
	g.server = r.start(g.t, true)
	g.server.lines.Scan()
}

func (g *rig) coordinate() {
	r := g.role
	r.Kind = "coordinator"
	g.coordinator = r.start(g.t, true)
}

func (g *rig) worker(i int) *process {
	r := g.role
	r.Kind, r.Name = "worker", fmt.Sprintf("worker-%d", i)
	return r.start(g.t, false)
}

// kill kills or stops one process, and starts another in its place.
func (g *rig) kill() {
	if g.stopped >= 0 {
		_ = g.workers[g.stopped].cmd.Process.Signal(syscall.SIGCONT)
		g.stopped = -1
	}
	i := g.rng.IntN(len(g.workers))
	if len(g.order) == 0 {
		g.order = g.rng.Perm(6)
	}
	kind := g.order[0]
	g.order = g.order[1:]
	switch kind {
	case 0, 1:
		g.did.Workers++
		g.workers[i].end(os.Kill)
		g.workers[i] = g.worker(i)
	case 2, 3:
		g.did.Stops++
		g.stopped = i
		_ = g.workers[i].cmd.Process.Signal(syscall.SIGSTOP)
	case 4:
		g.did.Coordinators++
		g.coordinator.end([]os.Signal{os.Kill, syscall.SIGTERM}[g.rng.IntN(2)])
		g.coordinate()
	case 5:
		if g.server == nil {
			g.did.Coordinators++
			g.coordinator.end(os.Kill)
			g.coordinate()
			return
		}
		g.did.Servers++
		g.server.end(os.Kill)
		if g.rng.IntN(2) == 0 {
			g.did.Wiped++
			if err := os.RemoveAll(filepath.Join(clusterDir(g.role.Dir), "existing")); err != nil {
				g.t.Fatal(err)
			}
		}
		g.serve()
	}
}
