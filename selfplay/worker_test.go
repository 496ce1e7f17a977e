package selfplay

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/carozero/carozero/selfplay/samples"
)

// TestQueuedGamesAreThoseOfRun plays the games of a run from a queue, the last ones
// first, and adds two when two are over.
func TestQueuedGamesAreThoseOfRun(t *testing.T) {
	setup, o := gomokuSetup(t, "freestyle", 6), small()
	o.Games, o.GamesPerShard = 10, 4
	whole := t.TempDir()
	mustRun(t, setup, o, Host{Dir: whole})

	dir := t.TempDir()
	run, err := Plan(setup, o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := samples.Open(samples.Disk{}, dir, run, false, func() time.Time { return time.Time{} })
	if err != nil {
		t.Fatal(err)
	}
	queue, next, over := NewGameQueue(), o.Games, 0
	more := func() {
		if next -= 2; next < 0 {
			queue.Close()
		} else {
			queue.Add(samples.PlayedBy{}, next, next+1)
		}
	}
	more()
	evals := 0
	err = PlayQueue(t.Context(), setup, o, Host{Workers: 2, AtOnce: 3}, queue, func(s FinishedGame) error {
		if over++; over%2 == 0 {
			more()
		}
		evals = int(s.Stats.Evals)
		data, err := samples.EncodeRecord(s.Record)
		if err != nil {
			return err
		}
		record, err := samples.DecodeRecord(data, run.Layout)
		if err != nil {
			return err
		}
		return out.Add(record)
	})
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	if evals == 0 {
		t.Error("no evaluations are counted")
	}
	sameFiles(t, "served", contents(t, dir), contents(t, whole))
}

// Workers without games wait, and end with the context or with the error of take.
func TestPlayQueueEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	queue := NewGameQueue()
	queue.Add(samples.PlayedBy{}, 0)
	err := PlayQueue(ctx, mnkSetup(), small(), Host{Workers: 3}, queue,
		func(FinishedGame) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	broken := errors.New("broken")
	queue = NewGameQueue()
	queue.Add(samples.PlayedBy{}, 0, 1, 2)
	if err := PlayQueue(t.Context(), mnkSetup(), small(), Host{Workers: 2}, queue,
		func(FinishedGame) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("broken: %v", err)
	}
}
