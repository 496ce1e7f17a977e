package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/selfplay/samples"
)

// request sends a request to the coordinator and waits for the answer.
func (w *Worker) request(ctx context.Context, nc *nats.Conn, subject string, data []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	defer w.wait(cancel)()
	var a answer
	msg, err := nc.RequestWithContext(ctx, subject, data)
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

// read asks for the current configuration, or for a piece of an object.
func (w *Worker) read(ctx context.Context, nc *nats.Conn, what read) (answer, error) {
	data, err := json.Marshal(what)
	if err != nil {
		return answer{}, err
	}
	return w.request(ctx, nc, w.group.read(w.o.Session), data)
}

// fetch returns the object with a digest, and verifies it.
func (w *Worker) fetch(ctx context.Context, nc *nats.Conn, sum string, most int64) (data []byte, err error) {
	for {
		var a answer
		err := w.retry(ctx, func() (err error) { a, err = w.read(ctx, nc, read{sum, int64(len(data))}); return err })
		if err != nil {
			return nil, err
		}
		data = append(data, a.Data...)
		size := int64(len(data))
		switch {
		case a.Size > most || size > a.Size || len(a.Data) == 0 && size < a.Size:
			return nil, fmt.Errorf("the object %.12s… has %d bytes, of which %d came: want at most %d", sum, a.Size, size, most)
		case size == a.Size && digest(data) != sum:
			return nil, fmt.Errorf("the object %.12s… has the sha256 %.12s…: it was changed on the way", sum, digest(data))
		case size == a.Size:
			return data, nil
		}
	}
}

// network stores the network with a digest in the worker's folder, unless it is there, and
// returns its path.
func (w *Worker) network(ctx context.Context, nc *nats.Conn, sum string) (string, error) {
	path := filepath.Join(w.o.Dir, samples.NetworkName(sum))
	if data, err := os.ReadFile(path); err == nil && digest(data) == sum {
		return path, nil
	}
	data, err := w.fetch(ctx, nc, sum, maxNetwork)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(w.o.Dir, 0o777); err != nil {
		return "", err
	}
	temp, err := os.CreateTemp(w.o.Dir, ".tmp-network-*")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temp.Name()))
	}
	return path, os.Rename(temp.Name(), path)
}

// wait registers end to be called when the connection is lost, since no answer comes then.
// done unregisters it.
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

// lost cancels the waiting requests.
func (w *Worker) lost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, end := range w.waiting {
		end()
	}
}

// answerWithin is the timeout of a request.
const answerWithin = 20 * time.Second

// greet says hello.
func (r *run) greet(ctx context.Context) error {
	h := r.hello
	h.Counted = r.w.beat()
	r.w.mu.Lock()
	for _, t := range r.w.tasks {
		h.Holding = append(h.Holding, holding{t.ID, slices.Clone(t.Games)})
	}
	r.w.mu.Unlock()
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	a, err := r.w.request(ctx, r.nc, r.w.group.hello(r.w.o.Session), data)
	if err == nil {
		r.beat.Store(int64(max(time.Duration(a.Beat*float64(time.Second)), firstPause)))
	}
	return err
}

// askUntilAnswered asks until there is an answer. If the coordinator has forgotten the session it says
// hello again first.
func (r *run) askUntilAnswered(ctx context.Context, verb string, data []byte) (a answer, err error) {
	err = r.w.retry(ctx, func() (err error) {
		a, err = r.w.request(ctx, r.nc, r.w.group.of(r.w.o.Session, verb), data)
		if err != nil && !errors.Is(err, errRefused) && ctx.Err() == nil {
			if again := r.greet(ctx); again != nil {
				return again
			}
		}
		return err
	})
	return a, err
}

// live sends beats.
func (r *run) live(ctx context.Context) error {
	for {
		if err := pause(ctx, time.Duration(r.beat.Load())); err != nil {
			return err
		}
		if _, err := r.askUntilAnswered(ctx, verbBeat, r.counts()); err != nil {
			return err
		}
	}
}

// beat returns the worker's totals as a beat.
func (w *Worker) beat() beat {
	c := w.Counts()
	return beat{c.UnderWay, int64(c.Evals), int64(c.Hits), c.Nodes}
}

// counts returns an encoded beat.
func (r *run) counts() []byte {
	data, _ := json.Marshal(r.w.beat()) // numbers always encode
	return data
}
