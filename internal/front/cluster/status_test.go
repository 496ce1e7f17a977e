package cluster

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/selfplay"
)

// TestStatus asks a coordinator with a good and a quarantined worker how things stand,
// before and after games of a whole task have come: it is not dealt again.
func TestStatus(t *testing.T) {
	config, setup := plan(t, 16)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.change = func(o *CoordinatorOptions) { o.Audit = never }
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	bad, good := p.intrude(config, "bad"), p.intrude(config, "good")
	defer bad.nc.Close()
	defer good.nc.Close()
	bad.greet(nil)
	bad.result([]byte("garbage"))
	good.greet(nil)
	record := played(t, config, setup)
	tasks := good.dealt(8) // three of the run's four, of four games each
	for _, id := range tasks[0].Games {
		if id%2 == 0 {
			if a := good.result(pack(t, record(id), record(id+1))); a.Failed+a.Refused != "" {
				t.Errorf("game %d: %+v", id, a)
			}
		}
	}
	got, err := Ask(t.Context(), p.link(), DefaultGroup)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Workers {
		got.Workers[i].Silent = 0
	}
	got.Seconds = 60
	why := "a result that is none: it does not say that it unfolds to at most 33554432 bytes"
	want := &Status{
		Group: DefaultGroup, Dir: p.dir, Config: good.hello.Config, Games: 16, Held: 4, Seconds: 60, TasksOut: 2, TasksWait: 1,
		Workers:     []WorkerStatus{{Name: "good", Games: 4, Held: 4, Tasks: 2}},
		Quarantined: []WorkerStatus{{Name: "bad", Why: why}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	var text strings.Builder
	got.Text(&text)
	if want := "0 of 16 games in " + p.dir + ", 0 shards; 4 wait to be audited; 0 games a minute since the coordinator began\n" +
		"tasks: 2 with workers, 1 wait; audits: 0 wait\n" +
		"good                            4 games, 0 audited, 4 held, 0 under way, heard 0 s ago\n" +
		"bad                      quarantined: " + why + "\n"; text.String() != want {
		t.Errorf("%s\nwant\n%s", text.String(), want)
	}
	good.ask(good.group.of(good.session, verbBye), nil)
	p.finish("other", ended)
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// TestWindowEnds wants a window to end with the unit that makes it full, no sooner and no
// later.
func TestWindowEnds(t *testing.T) {
	config, setup := plan(t, 16)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	into := make(chan int, 16)
	p.change = func(o *CoordinatorOptions) {
		o.Audit, o.WindowUnits = never, 3
		o.Progress = func(s selfplay.Summary) { into <- s.OnDisk }
	}
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	in := p.intrude(config, "one")
	defer in.nc.Close()
	in.greet(nil)
	record := played(t, config, setup)
	in.dealt(16)
	in.units(record, 4)
	if n := <-into; n != 3 {
		t.Errorf("%d games went into the run with the first window, want 3", n)
	}
	in.ask(in.group.of(in.session, verbBye), nil)
	p.finish("two", ended)
}

// TestCrowdedWindowsEnd has a worker send more games than may wait for audits, and wants its window
// to end at once: nothing is dealt before.
func TestCrowdedWindowsEnd(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	into := make(chan int, 8)
	p.change = func(o *CoordinatorOptions) {
		o.Audit, o.MostHeld, o.Silent = never, 3, time.Hour
		o.Progress = func(s selfplay.Summary) { into <- s.OnDisk }
	}
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	in := p.intrude(config, "one")
	defer in.nc.Close()
	in.greet(nil)
	record := played(t, config, setup)
	in.dealt(8)
	in.units(record, 4)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	select {
	case n := <-into:
		if n != 4 {
			t.Errorf("%d games went into the run, want the 4 of the window", n)
		}
	case <-ctx.Done():
		t.Fatal("the games wait for an audit that is not due, and no more are dealt")
	}
	in.ask(in.group.of(in.session, verbBye), nil)
	p.finish("two", ended)
}

// TestStatusOfAnotherGroup asks for a group whose subjects the server does not let it use.
func TestStatusOfAnotherGroup(t *testing.T) {
	p := &place{t: t, dir: t.TempDir()}
	s := p.listen()
	defer s.Close()
	_, err := Ask(t.Context(), p.link(), "other")
	if want := `no coordinator of the group "other" answers there: nats: permissions violation`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLongStatus lists more workers than a message has room for.
func TestLongStatus(t *testing.T) {
	var s Status
	for i := range 5000 {
		w := WorkerStatus{Name: fmt.Sprintf("worker-%d", i), Why: strings.Repeat("x", 100)}
		if s.Workers = append(s.Workers, w); i%2 == 0 {
			s.Quarantined = append(s.Quarantined, w)
		}
	}
	cut := s.cut()
	if n := len(cut.Workers) + len(cut.Quarantined); n+cut.More != 7500 || len(cut.Workers) == 0 || len(cut.Quarantined) == 0 {
		t.Errorf("%d workers are listed, %d are not", n, cut.More)
	}
	var text strings.Builder
	cut.Text(&text)
	if !strings.HasSuffix(text.String(), fmt.Sprintf("and %d more\n", cut.More)) {
		t.Error("the text does not say that some are missing")
	}
}
