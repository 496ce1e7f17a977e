package cluster

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carozero/carozero/selfplay/samples"
)

var (
	falseGames = flag.Int("falsegames", 160, "games of the run in which a worker lies with an audit of a small share")
	falseAudit = flag.Float64("falseaudit", 0.05, "that share")
)

// lie changes what only the search knew: the rules have nothing against it.
func lie(r *samples.Record) {
	if r.Rows.Rows == 0 {
		return
	}
	if q := &r.Rows.RootQ[0]; *q > 0 {
		*q -= 0.25
	} else {
		*q += 0.25
	}
}

// TestFalseWorker lets one of three workers send legal games that are not those of their
// seeds. Not a byte of the run may change, whatever the share that is audited.
func TestFalseWorker(t *testing.T) {
	for _, c := range []struct {
		name  string
		audit float64
		games int
	}{{"all", 1, 40}, {"some", *falseAudit, *falseGames}} {
		t.Run(c.name, func(t *testing.T) {
			config, setup := plan(t, c.games)
			want := alone(t, config, setup)
			p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
			p.change = func(o *CoordinatorOptions) { o.Audit = c.audit }
			s := p.listen()
			defer s.Close()
			var sent atomic.Int64
			lying := make(chan struct{})
			ctx, stop := context.WithCancel(t.Context())
			liar := p.worker(ctx, "liar", func(o *WorkerOptions) {
				o.spoil = func(r *samples.Record) {
					if sent.Add(1) == 1 {
						close(lying)
					}
					lie(r)
				}
			})
			// The others come when the liar is at work, or they might leave it nothing.
			others := make(chan []func() error, 1)
			go func() {
				<-lying
				others <- []func() error{p.worker(t.Context(), "one", nil), p.worker(t.Context(), "two", nil)}
			}()
			m := NewMetrics()
			if _, err := p.coordinate(t.Context(), s, m); err != nil {
				t.Fatal(err)
			}
			page := httptest.NewRecorder()
			m.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
			if !strings.Contains(page.Body.String(), "quarantined_total 1\n") {
				t.Errorf("the metrics do not tell of one worker in quarantine:\n%s", page.Body)
			}
			// It hears why, unless the run is over before it asks again: nobody answers then.
			stop()
			if err := liar(); err != nil && (!strings.Contains(err.Error(), "quarantined") || !strings.Contains(err.Error(), "played again from its seed")) {
				t.Errorf("the liar: %v", err)
			}
			for _, wait := range <-others {
				if err := wait(); err != nil {
					t.Error(err)
				}
			}
			sameFiles(t, contents(t, p.dir), want)
			taken, dropped := ofLedger(t, p.dir, "liar")
			t.Logf("audit of %v: the liar played %d games until its quarantine, all %d that were taken in were played again", c.audit, sent.Load(), dropped)
			if taken != 0 || dropped == 0 {
				t.Errorf("%d games of the liar are in the run, %d were played again", taken, dropped)
			}
		})
	}
}

// TestQuarantineLasts wants a worker that was caught to be refused by the next
// coordinator of the run too.
func TestQuarantineLasts(t *testing.T) {
	config, setup := plan(t, 24)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.change = func(o *CoordinatorOptions) { o.Audit = 1 }
	s := p.listen()
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	liar := p.worker(t.Context(), "liar", func(o *WorkerOptions) { o.spoil = lie })
	ended := make(chan error, 1)
	go func() {
		_, err := p.coordinate(ctx, s, NewMetrics())
		ended <- err
	}()
	if err := liar(); err == nil {
		t.Error("the liar was not caught")
	}
	cancel()
	<-ended
	go func() {
		_, err := p.coordinate(t.Context(), s, NewMetrics())
		ended <- err
	}()
	if err := p.worker(t.Context(), "liar", nil)(); err == nil || !strings.Contains(err.Error(), "quarantined") {
		t.Errorf("the liar comes back: %v", err)
	}
	p.finish("other", ended)
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// TestSlowWorker lets a worker take games, give signs of life, and never send one.
func TestSlowWorker(t *testing.T) {
	for _, games := range []int{24, 1} {
		t.Run(fmt.Sprint(games), func(t *testing.T) { slowWorker(t, games) })
	}
}

func slowWorker(t *testing.T, games int) {
	config, setup := plan(t, games)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.change = func(o *CoordinatorOptions) { o.Slow = time.Second }
	s := p.listen()
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	played := make(chan struct{}, 24)
	slow := p.worker(ctx, "slow", func(o *WorkerOptions) {
		o.spoil = func(*samples.Record) {
			played <- struct{}{}
			<-ctx.Done()
		}
	})
	m := NewMetrics()
	ended := make(chan error, 1)
	go func() {
		_, err := p.coordinate(t.Context(), s, m)
		ended <- err
	}()
	<-played
	if err := p.worker(t.Context(), "quick", nil)(); err != nil {
		t.Error(err)
	}
	cancel()
	if err := slow(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// TestNear compares games of networks whose sums are not the same on all machines.
func TestNear(t *testing.T) {
	config, setup := plan(t, 2)
	records := played(t, config, setup)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name   string
		change func(r *samples.Record)
		far    bool
	}{
		{"nothing", func(*samples.Record) {}, false},
		{"rounding", func(r *samples.Record) {
			for i := range r.Rows.NetQ {
				r.Rows.NetQ[i] += float32(rng.Float64()-0.5) * 1e-4
				r.Rows.RootQ[i] += float32(rng.Float64()-0.5) * 1e-2
			}
		}, false},
		{"the network", func(r *samples.Record) { r.Rows.NetQ[0] += 0.02 }, true},
		{"the root", func(r *samples.Record) { r.Rows.RootQ[0] += 0.2 }, true},
		{"the policy", func(r *samples.Record) {
			row := r.Rows.Row(0)
			for i := range row.Target {
				row.Target[i] = 0
			}
			row.Target[len(row.Target)-1] = 1
		}, true},
		{"a full search", func(r *samples.Record) { r.Rows.FullSearch[0] ^= 1 }, true},
		{"a row that is left out", func(r *samples.Record) { leaveOut(r, 1) }, true},
		{"the last row", func(r *samples.Record) { leaveOut(r, r.Rows.Rows-1) }, true},
		{"all that follows a row that is left out", func(r *samples.Record) {
			leaveOut(r, 1)
			for i := 1; i < r.Rows.Rows; i++ {
				r.Rows.NetQ[i], r.Rows.RootQ[i] = 1, 1
			}
		}, true},
	} {
		got := records(0)
		c.change(got)
		why, _, err := same(false, []*samples.Record{got}, []*samples.Record{records(0)})
		if err != nil || (why != "") != c.far {
			t.Errorf("%s: %q, error %v", c.name, why, err)
		}
		why, _, err = same(true, []*samples.Record{got}, []*samples.Record{records(0)})
		if err != nil || (why != "") != (c.name != "nothing") {
			t.Errorf("%s, exact: %q, error %v", c.name, why, err)
		}
	}
}

// leaveOut takes a row out of a record.
func leaveOut(r *samples.Record, row int) {
	rows := samples.NewColumns(r.Rows.Layout)
	for i := range r.Rows.Rows {
		if i != row {
			kept := r.Rows.Row(i)
			rows.Append(&kept)
		}
	}
	r.Rows = rows
}
