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
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/selfplay"
)

var kills = flag.Int("kills", 6, "kills and stops of processes of a cluster")

// role is what a process of the test plays, in its environment.
type role struct {
	Kind  string // coordinator, worker
	Dir   string
	Addr  string
	Name  string
	Games int
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
	play := r.work
	if r.Kind == "coordinator" {
		play = r.coordinate
	}
	if err := play(ctx); err != nil && !errors.Is(err, context.Canceled) {
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
	config, setup := plan(plain{}, r.Games)
	server, err := StartServer(r.Addr, testToken, nil)
	if err != nil {
		return err
	}
	defer server.Close()
	_, err = Play(ctx, server, CoordinatorOptions{
		Dir: r.Dir, Resume: true, Config: config, Setup: setup, Codec: selfplay.SampleCodec,
		Silent: time.Second, Slow: 2 * time.Second,
		Progress: func(s selfplay.Summary) { fmt.Println(s.OnDisk) },
		ready:    func() { fmt.Println("ready") },
	})
	if err == nil {
		fmt.Println("done")
	}
	return err
}

func (r role) work(ctx context.Context) error {
	w, err := NewWorker(WorkerOptions{
		Link: Link{URL: "nats://" + r.Addr, Token: testToken},
		Name: r.Name, Workers: 1, Version: "test", Commit: "none",
		Loader: networks.NewLoader(networks.LoaderOptions{}), Dir: filepath.Join(r.Dir, "networks"), Once: true,
	})
	if err != nil {
		return err
	}
	return w.Run(ctx)
}

// process is one that plays a role.
type process struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	hold  io.Closer
}

// start starts a process.
func (r role) start(t *testing.T) *process {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+string(text), "GOMAXPROCS=1")
	p.cmd.Stderr = os.Stderr
	if p.hold, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
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

// TestKills kills and stops the processes of a cluster at random while it plays a run: four
// workers and the coordinator. The run has the bytes of one process.
func TestKills(t *testing.T) {
	count := 60 + 14**kills
	config, setup := plan(t, count)
	server, err := StartServer("127.0.0.1:0", testToken, nil) // for a free port
	if err != nil {
		t.Fatal(err)
	}
	r := role{Dir: t.TempDir(), Addr: strings.TrimPrefix(server.URL(), "nats://"), Games: count}
	server.Close()
	as := func(kind, name string) *process {
		r := r
		r.Kind, r.Name = kind, name
		return r.start(t)
	}
	coordinator := as("coordinator", "")
	workers := make([]*process, 4)
	for i := range workers {
		workers[i] = as("worker", fmt.Sprint(i))
	}
	rng := rand.New(rand.NewPCG(3, uint64(*kills)))
	order, did, stopped := []int{}, 0, -1
	for next := 3; ; {
		if !coordinator.lines.Scan() {
			t.Fatal("the coordinator has ended by itself")
		}
		if coordinator.lines.Text() == "done" {
			break
		}
		if next--; next > 0 || did >= *kills {
			continue
		}
		next = 1 + rng.IntN(2)
		did++
		if stopped >= 0 {
			_ = workers[stopped].cmd.Process.Signal(syscall.SIGCONT)
			stopped = -1
		}
		i := rng.IntN(len(workers))
		if len(order) == 0 {
			order = rng.Perm(5)
		}
		kind := order[0]
		order = order[1:]
		switch kind {
		case 0, 1:
			workers[i].end(os.Kill)
			workers[i] = as("worker", fmt.Sprint(i))
		case 2:
			stopped = i
			_ = workers[i].cmd.Process.Signal(syscall.SIGSTOP)
		default:
			coordinator.end([]os.Signal{os.Kill, syscall.SIGTERM}[kind-3])
			coordinator = as("coordinator", "")
		}
	}
	if did < *kills {
		t.Errorf("%d kills only, want %d", did, *kills)
	}
	sameFiles(t, contents(t, r.Dir), alone(t, config, setup))
}
