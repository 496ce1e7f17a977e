package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Clients take turns, whatever priorities and numbers of queries they have: while
// all of them have something waiting, no two differ by more than one task.
func TestClientsTakeTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newService(t, small())
		clients := rapid.IntRange(2, 5).Draw(t, "clients")
		var all []*Client
		left := map[*Client]int{}
		for i := range clients {
			c := s.Connect(func(any, bool) {})
			all = append(all, c)
			left[c] = rapid.IntRange(1, 9).Draw(t, "tasks")
			for range left[c] {
				c.Handle(fmt.Appendf(nil, `{"id":"q","priority":%d}`, rapid.IntRange(-9, 9).Draw(t, "priority")+100*i))
			}
		}
		taken := map[*Client]int{}
		var under []*task
		for !s.queue.empty() {
			next := s.taken()
			under = append(under, next)
			for _, c := range all {
				if waits := taken[c] < left[c]; waits && taken[c] < taken[next.client] {
					t.Fatalf("client with %d tasks goes before one with %d", taken[next.client], taken[c])
				}
			}
			taken[next.client]++
		}
		for _, task := range under {
			s.finish(context.Background(), task, false)
		}
		for _, c := range all {
			if taken[c] != left[c] || c.busy != 0 || c.Unanswered() != 0 {
				t.Fatalf("%d of %d tasks were taken, %d are under way", taken[c], left[c], c.busy)
			}
		}
	})
}

// endless is a query that no bound of its own ends.
const endless = `{"id":"endless","moves":["h8","i9","i8"],"maxVisits":1000000000,"reportDuringSearchEvery":0.001}`

// A search that goes on for ever is ended when another client waits, and answers
// with what it knows; alone it goes on.
func TestShare(t *testing.T) {
	o := small()
	o.Workers, o.Limits = 1, Limits{Share: time.Millisecond}
	s := newService(t, o)
	rude := meet(t, s, Finish)
	rude.say(endless)
	rude.hears(func(m message) bool { return m.IsDuringSearch })
	answered := make(chan message, 1)
	polite := s.Connect(func(m any, passing bool) {
		if !passing {
			answered <- parsed(t, string(Line(m)))
		}
	})
	polite.Handle([]byte(`{"id":"polite","maxVisits":2}`))
	if m := <-answered; m.ID != "polite" || m.NoResults || m.Shortened {
		t.Errorf("%s", m.text)
	}
	final := rude.hears(func(m message) bool { return !m.IsDuringSearch && m.Warning == "" })
	if !final.Shortened || final.NoResults || final.Opinion == nil {
		t.Errorf("%.300s", final.text)
	}
	if _, err := rude.end(); err != nil {
		t.Error(err)
	}
}

// A search is ended after as much time as the service gives to one, a job too.
func TestSearchTime(t *testing.T) {
	o := small()
	o.Limits = Limits{Search: time.Millisecond}
	if m := one(t, o, strings.Replace(endless, `,"reportDuringSearchEvery":0.001`, "", 1)); !m.Shortened || m.Opinion == nil {
		t.Errorf("%.300s", m.text)
	}
	said := finals(t, o, `{"id":"s","action":"query_swap2","maxNodes":1000000000}`, `{"id":"o","action":"query_opening","count":64,"plies":[4,16],"tolerance":0}`,
		`{"id":"c","action":"query_certificate","moves":["h8","i9","i8","h9"],"maxNodes":1000000000}`)
	if string(said["s"]["noResults"]) != "true" || string(said["c"]["noResults"]) != "true" || (string(said["o"]["noResults"]) == "true") == (said["o"]["openings"] != nil) {
		t.Errorf("%s", said)
	}
	for id, of := range said {
		if string(of["shortened"]) != "true" {
			t.Errorf("%s: %s", id, of)
		}
	}
}

// A job that its client terminates is answered without results, whatever it has found by
// then.
func TestTerminatedJob(t *testing.T) {
	for _, own := range []bool{true, false} {
		s := newService(t, small())
		c, said := collected(s)
		f := &fields{of: map[string]json.RawMessage{"id": encoded("o"), "action": encoded(QueryOpening)}}
		q := mustParse(t, &s.opts, `{"id":"o"}`)
		c.enqueue("o", QueryOpening, f, q, 0, func(ctx context.Context, _ *engines) (map[string]any, error) {
			if own {
				c.Handle([]byte(`{"id":"t","action":"terminate","terminateId":"o"}`))
			}
			return map[string]any{"openings": []Opening{}}, nil
		})
		task, searching := s.take(t.Context())
		if !s.do(t.Context(), searching, &engines{}, task) {
			t.Fatal("the service is over")
		}
		want := `{"action":"query_opening","id":"o","openings":[]}`
		if own {
			want = `{"action":"query_opening","id":"o","noResults":true}`
		}
		last := string(Line((*said)[len(*said)-1]))
		if parsed(t, last); last != want+"\n" {
			t.Errorf("%s, want %s", last, want)
		}
	}
}

// What waits or is under way is ended on request, jobs too, and answered once.
func TestTerminateJobs(t *testing.T) {
	s := newService(t, small())
	c, said := collected(s)
	c.Handle([]byte(`{"id":"s","action":"query_swap2"}`))
	c.Handle([]byte(`{"id":"o","action":"query_opening","priority":3}`))
	if c.Unanswered() != 2 || len(*said) != 0 {
		t.Fatalf("%v", *said)
	}
	c.Handle([]byte(`{"id":"t","action":"terminate","terminateId":"s"}`))
	c.Leave()
	if len(*said) != 3 || c.Unanswered() != 0 || s.held != 0 {
		t.Fatalf("%v", *said)
	}
	for i, want := range []string{`{"action":"query_swap2","id":"s","noResults":true}`, `{"action":"terminate","id":"t","terminateId":"s"}`, `{"action":"query_opening","id":"o","noResults":true,"priority":3}`} {
		line := string(Line((*said)[i]))
		if parsed(t, line); line != want+"\n" {
			t.Errorf("%s, want %s", line, want)
		}
	}
}

// A client has no more than its part of the queue, and what asks for too many
// answers on the way gets fewer.
func TestClientBounds(t *testing.T) {
	o := small()
	o.Limits = Limits{Client: 2, Every: time.Second}
	s := newService(t, o)
	first, firstSaid := collected(s)
	second, secondSaid := collected(s)
	for range 3 {
		first.Handle([]byte(`{"id":"a","reportDuringSearchEvery":0.001}`))
	}
	second.Handle([]byte(`{"id":"b"}`))
	if len(*firstSaid) != 1 || len(*secondSaid) != 0 || s.open != 3 {
		t.Errorf("%v, %v, %d open", *firstSaid, *secondSaid, s.open)
	}
	for task := range first.tasks {
		if task.query.Every != time.Second {
			t.Errorf("an answer every %v", task.query.Every)
		}
	}
	for task := range second.tasks {
		if task.query.Every != 0 {
			t.Errorf("answers on the way that nobody asked for")
		}
	}
	first.Leave()
	second.Leave()
}

// Every task whose answer was given is told of once, with what it took.
func TestDone(t *testing.T) {
	done := make(chan Done, 9)
	s := newService(t, small())
	s.Tell(func(d Done) { done <- d })
	p := meet(t, s, Finish)
	p.say(`{"id":"m","maxVisits":5}`)
	p.say(`{"id":"a","engine":"alphabeta","maxNodes":50}`)
	p.say(`{"id":"s","action":"query_swap2","maxNodes":60}`)
	got := map[string]Done{}
	for range 3 {
		d := <-done
		got[d.What] = d
	}
	if _, err := p.end(); err != nil {
		t.Error(err)
	}
	if got["mcts"].Evals == 0 || got["mcts"].Nodes == 0 || got["alphabeta"].Nodes != 50 || got["query_swap2"].Took <= 0 || len(done) > 0 {
		t.Errorf("%+v", got)
	}
}
