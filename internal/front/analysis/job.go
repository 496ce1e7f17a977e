package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/carozero/carozero/internal/engine/games"
)

// job is an action that takes time. It stands in the queue as a query does, and is
// answered once: by its own fields with what was found.
type job struct {
	action Action
	echo   map[string]json.RawMessage

	// do finds out and returns the fields to add. When ctx ends it returns those
	// that are known by then, nil for none; they are told if the service ended it.
	do func(ctx context.Context, e *engines) (map[string]any, error)
}

// dropped returns the answer to a job of which nothing is known.
func (j *job) dropped() any { return j.with(nil, false) }

// with returns the echo with more fields, and says whether the service ended the job.
func (j *job) with(found map[string]any, shortened bool) any {
	said := maps.Clone(j.echo)
	if found == nil {
		said["noResults"] = encoded(true)
	}
	if shortened {
		said["shortened"] = encoded(true)
	}
	for name, value := range found {
		said[name] = encoded(value)
	}
	return said
}

// perform does a job and returns what to say; shortened is asked once that is done. A panic
// of an engine is an error, since other peers' tasks go on.
func (e *engines) perform(ctx context.Context, q *Query, shortened func() bool) (said any) {
	defer func() {
		if r := recover(); r != nil {
			e.drop()
			said = &Problem{Code: Internal, Error: fmt.Sprintf("internal error: %v", r), ID: &q.ID}
		}
	}()
	found, err := q.job.do(ctx, e)
	ended, cut := ctx.Err() != nil, shortened()
	if err != nil && !ended {
		return &Problem{Code: Failed, Error: err.Error(), ID: &q.ID}
	}
	if ended && !cut {
		found = nil // its client has terminated it
	}
	return q.job.with(found, cut)
}

// drop forgets engines in what state nobody knows.
func (e *engines) drop() {
	e.tree, e.classical, e.prover, e.proves, e.after = nil, nil, nil, games.Variant{}, nil
}

// enqueue puts a job about a game into the queue.
func (c *Client) enqueue(id string, a Action, f *fields, q *Query, size int, do func(context.Context, *engines) (map[string]any, error)) {
	priority := int64(0)
	if f.whole("priority", -mostPriority, mostPriority, &priority); f.wrong != nil {
		return
	}
	q.ID, q.bytes = id, size+queryBytes
	q.Turns, q.Priority = []int{len(q.Moves)}, []int64{priority}
	q.job = &job{action: a, echo: f.of, do: do}
	if err := c.service.accept(c, q); err != nil {
		f.wrong = &Problem{Code: Busy, Error: err.Error()}
	}
}
