package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// request asks the coordinator something and waits for the answer.
func (r *run) request(ctx context.Context, subject string, data []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	defer r.w.wait(cancel)()
	var a answer
	msg, err := r.nc.RequestWithContext(ctx, subject, data)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(msg.Data, &a); err != nil {
		return a, fmt.Errorf("the coordinator's answer: %w", err)
	}
	if a.Refused != "" {
		return a, fmt.Errorf("%w: %s", errRefused, a.Refused)
	}
	if a.Failed != "" {
		return a, errors.New(a.Failed)
	}
	return a, nil
}

// wait has the loss of the connection call end, since no answer comes any more then,
// until what it returns is called.
func (w *Worker) wait(end func()) (done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	number := w.asked
	w.waiting[number] = end
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting, number)
	}
}

// lost ends the requests that wait.
func (w *Worker) lost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, end := range w.waiting {
		end()
	}
}

// answerWithin is how long an answer is waited for.
const answerWithin = 20 * time.Second

// greet says hello.
func (r *run) greet(ctx context.Context) error {
	h := r.hello
	h.Counted = r.w.beat()
	r.w.mu.Lock()
	for _, t := range r.w.tasks {
		h.Holding = append(h.Holding, Task{ID: t.ID, Games: slices.Clone(t.Games)})
	}
	r.w.mu.Unlock()
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	a, err := r.request(ctx, r.w.group.hello(r.w.o.Session), data)
	if err == nil {
		r.beat = max(time.Duration(a.Beat*float64(time.Second)), firstPause)
	}
	return err
}

// told asks until there is an answer; a coordinator that has forgotten the session is
// greeted anew in between.
func (r *run) told(ctx context.Context, verb string, data []byte) (a answer, err error) {
	err = r.w.retry(ctx, func() (err error) {
		a, err = r.request(ctx, r.w.group.of(r.w.o.Session, verb), data)
		if err != nil && !errors.Is(err, errRefused) && ctx.Err() == nil {
			if again := r.greet(ctx); again != nil {
				return again
			}
		}
		return err
	})
	return a, err
}

// live gives signs of life.
func (r *run) live(ctx context.Context) error {
	for {
		timer := time.NewTimer(r.beat)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
		if _, err := r.told(ctx, verbBeat, r.counts()); err != nil {
			return err
		}
	}
}

// beat returns what the worker has counted, as a beat has it.
func (w *Worker) beat() beat {
	c := w.Counts()
	return beat{c.UnderWay, int64(c.Evals), int64(c.Hits), c.Nodes}
}

// counts returns a beat.
func (r *run) counts() []byte {
	data, _ := json.Marshal(r.w.beat()) // of numbers
	return data
}
