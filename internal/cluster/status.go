package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Status is what a coordinator reports about a run.
type Status struct {
	Dir       string         `json:"dir"`
	Games     int            `json:"games"`
	Stored    int            `json:"stored"`
	Taken     int            `json:"taken"` // stored since the coordinator began
	Shards    int            `json:"shards"`
	Seconds   float64        `json:"seconds"` // since the coordinator began
	Positions int            `json:"positions"`
	Evals     uint64         `json:"evals"`
	CacheHits uint64         `json:"cache_hits"`
	Nodes     int64          `json:"nodes"`
	UnderWay  int            `json:"under_way"`
	Refused   int            `json:"refused"` // workers
	Workers   []WorkerStatus `json:"workers"`
}

// WorkerStatus is what a coordinator reports about a worker.
type WorkerStatus struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind,omitempty"`
	Games    int     `json:"games"` // stored
	UnderWay int     `json:"under_way"`
	Checked  bool    `json:"checked"` // games of it were played again, or there is nothing that could
	Silent   float64 `json:"silent_s"`
}

// Status returns the current status.
func (c *Coordinator) Status() *Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &Status{
		Dir: c.o.Dir, Games: c.plan.Games, Stored: c.summary.OnDisk, Taken: c.summary.Games, Shards: c.summary.Shards,
		Seconds: c.o.Now().Sub(c.began).Seconds(), Positions: c.summary.Positions, Evals: c.summary.Stats.Evals,
		CacheHits: c.summary.Stats.Hits, Nodes: c.summary.Nodes, UnderWay: len(c.dealt), Refused: len(c.refused),
		Workers: []WorkerStatus{},
	}
	for _, w := range c.sessions {
		s.Workers = append(s.Workers,
			WorkerStatus{w.Name, w.Kind, w.stored, len(w.games), w.checked, c.o.Now().Sub(w.heard).Seconds()})
	}
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// Ask asks a coordinator for its status.
func Ask(ctx context.Context, link Link) (*Status, error) {
	ctx, cancel := context.WithTimeout(ctx, shortly)
	defer cancel()
	nothing := func(string) {}
	nc, err := link.dial(nothing, func() {}, func(error) { cancel() })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", link.URL, err)
	}
	defer nc.Close()
	msg, err := nc.RequestWithContext(ctx, subjectStatus, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: no coordinator answers there", link.URL), context.Cause(ctx))
	}
	s := &Status{}
	if err := json.Unmarshal(msg.Data, s); err != nil {
		return nil, fmt.Errorf("%s: the status: %w", link.URL, err)
	}
	return s, nil
}

// Text writes the status as text for people.
func (s *Status) Text(w io.Writer) {
	fmt.Fprintf(w, "%d of %d games in %s, %d shards, %d games under way; %.0f games a minute since the coordinator "+
		"began\n",
		s.Stored, s.Games, s.Dir, s.Shards, s.UnderWay, 60*float64(s.Taken)/max(s.Seconds, 1))
	for _, p := range s.Workers {
		state := ""
		if !p.Checked {
			state = ", its first game is not checked yet"
		}
		fmt.Fprintf(w, "%-24s %8d games, %d under way, heard %.0f s ago%s\n",
			p.Name, p.Games, p.UnderWay, p.Silent, state)
	}
	if s.Refused > 0 {
		fmt.Fprintf(w, "%d workers were refused\n", s.Refused)
	}
}
