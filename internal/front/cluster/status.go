package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/nats-io/nats.go"
)

// Status is what a coordinator reports about a run.
type Status struct {
	Group       string         `json:"group"`
	Dir         string         `json:"dir"`
	Config      string         `json:"config"` // digest
	Games       int            `json:"games"`
	Stored      int            `json:"stored"`
	Held        int            `json:"held"`  // on disk, waiting for an audit
	Taken       int            `json:"taken"` // stored in the run since the coordinator started
	Shards      int            `json:"shards"`
	Seconds     float64        `json:"seconds"` // since the coordinator started
	Positions   int            `json:"positions"`
	Evals       uint64         `json:"evals"`
	CacheHits   uint64         `json:"cache_hits"`
	TasksOut    int            `json:"tasks_out"`
	TasksWait   int            `json:"tasks_waiting"`
	Audits      int            `json:"audits_waiting"`
	Stopped     string         `json:"stopped,omitempty"` // why no games are dealt
	Workers     []WorkerStatus `json:"workers"`
	Quarantined []WorkerStatus `json:"quarantined,omitempty"`
	More        int            `json:"more,omitempty"` // workers that are not listed
}

// WorkerStatus is what a coordinator reports about a worker.
type WorkerStatus struct {
	Name     string  `json:"name"`
	Games    int     `json:"games"` // stored or waiting for an audit
	Audits   int     `json:"audits"`
	Held     int     `json:"held"`
	Tasks    int     `json:"tasks"`
	UnderWay int     `json:"under_way"`
	Silent   float64 `json:"silent_s"`
	Why      string  `json:"why,omitempty"` // why it is quarantined
}

// mostWorkers bounds the workers that a status lists.
const mostWorkers = 2000

// status returns the current status.
func (c *Coordinator) status() Status {
	s := Status{
		Group: string(c.group), Dir: c.o.Dir, Config: c.config, Games: c.table.games, Stored: c.table.count[stored], Held: c.table.count[held],
		Shards: c.out.Shards(), Seconds: c.o.Now().Sub(c.began).Seconds(), Taken: c.sum.Games, Positions: c.sum.Positions,
		TasksOut: len(c.leases), TasksWait: c.table.waiting(), Audits: len(c.auditor.jobs), Stopped: c.crowded, Workers: []WorkerStatus{},
	}
	s.Evals, s.CacheHits, _ = c.m.counted()
	for _, name := range c.names() {
		p := c.peers[name]
		w := WorkerStatus{Name: name, Games: p.games, Audits: p.good, Why: p.bad}
		for _, held := range p.windows {
			w.Held += held.games()
		}
		switch {
		case p.bad != "" && len(s.Quarantined) < mostWorkers:
			s.Quarantined = append(s.Quarantined, w)
		case p.session != nil && len(s.Workers) < mostWorkers:
			w.Tasks, w.UnderWay = len(p.session.tasks), p.session.last.UnderWay
			w.Silent = c.o.Now().Sub(p.session.heard).Seconds()
			s.Workers = append(s.Workers, w)
		}
	}
	return s
}

// onStatus answers a status request.
func (c *Coordinator) onStatus(msg *nats.Msg) {
	var s Status
	if c.do(func() error { s = c.status(); return nil }) == nil {
		c.reply(msg, s.cut())
	}
}

// cut drops workers until the status fits into a message.
func (s Status) cut() Status {
	for {
		data, err := json.Marshal(s)
		switch {
		case err != nil || len(data) <= maxMessage:
			return s
		case len(s.Quarantined) > len(s.Workers):
			n := len(s.Quarantined) / 2
			s.More, s.Quarantined = s.More+len(s.Quarantined)-n, s.Quarantined[:n]
		default:
			n := len(s.Workers) / 2
			s.More, s.Workers = s.More+len(s.Workers)-n, s.Workers[:n]
		}
	}
}

// Ask asks the coordinator of a group for its status.
func Ask(ctx context.Context, link Link, name string) (*Status, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	session := NewSession()
	nc, err := link.connect(session, func(text string) { fail(errors.New(text)) }, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", link.URL, err)
	}
	defer nc.Close()
	s, err := query(ctx, nc, session, group(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", link.URL, err)
	}
	slices.SortStableFunc(s.Workers, func(a, b WorkerStatus) int { return b.Games - a.Games })
	return s, nil
}

// query asks the coordinator of a group through the connection of a session.
func query(ctx context.Context, nc *nats.Conn, session string, g group) (*Status, error) {
	ctx, cancel := context.WithTimeout(ctx, shortly)
	defer cancel()
	msg, err := nc.RequestWithContext(ctx, g.status(session), nil)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, fmt.Errorf("no coordinator of the group %q answers there: %w", g, err)
	}
	s := &Status{}
	if err := json.Unmarshal(msg.Data, s); err != nil {
		return nil, fmt.Errorf("the status: %w", err)
	}
	return s, nil
}

// Text writes the status as text for people.
func (s *Status) Text(w io.Writer) {
	fmt.Fprintf(w, "%d of %d games in %s, %d shards; %d wait to be audited; %.0f games a minute since the coordinator began\n",
		s.Stored, s.Games, s.Dir, s.Shards, s.Held, 60*float64(s.Taken)/max(s.Seconds, 1))
	fmt.Fprintf(w, "tasks: %d with workers, %d wait; audits: %d wait\n", s.TasksOut, s.TasksWait, s.Audits)
	if s.Stopped != "" {
		fmt.Fprintf(w, "nothing is dealt: %s\n", s.Stopped)
	}
	for _, p := range s.Workers {
		fmt.Fprintf(w, "%-24s %8d games, %d audited, %d held, %d under way, heard %.0f s ago\n", p.Name, p.Games, p.Audits, p.Held, p.UnderWay, p.Silent)
	}
	for _, p := range s.Quarantined {
		why := "quarantined: " + p.Why
		if p.Why == revokedText {
			why = p.Why
		}
		fmt.Fprintf(w, "%-24s %s\n", p.Name, why)
	}
	if s.More > 0 {
		fmt.Fprintf(w, "and %d more\n", s.More)
	}
}
