package selfplay

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

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
	out, err := samples.Create(samples.Disk{}, dir, run, func() time.Time { return time.Time{} })
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
		parcel, err := samples.AppendRecord(nil, s.Record)
		if err != nil {
			return err
		}
		records, err := samples.ReadParcel(parcel, run.Layout, 1)
		if err != nil {
			return err
		}
		return out.AddAll(records)
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

// TestDealer lets workers play games of random lengths at equal speed and wants
// every game dealt once, and all workers done within the length of a game.
func TestDealer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers, atOnce := rapid.IntRange(1, 4).Draw(t, "workers"), rapid.IntRange(1, 8).Draw(t, "at once")
		lengths := rapid.SliceOfN(rapid.IntRange(5, 10), 1, 100).Draw(t, "lengths")
		d := &dealer{workers: workers, networks: newOpenNetworks(&Setup{}, "")}
		d.by = func(int) (samples.PlayedBy, error) { return samples.PlayedBy{}, nil }
		for id := range lengths {
			d.games = append(d.games, id)
		}
		seen := map[int]bool{}
		left := make([][]int, workers) // of the games under way, by worker
		ended := make([]int, workers)
		for now, busy := 0, true; busy; now++ {
			busy = false
			for w := range left {
				for len(left[w]) < atOnce {
					id, _, ok, err := d.next(len(left[w]))
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						break
					}
					if seen[id] {
						t.Fatalf("game %d is dealt twice", id)
					}
					seen[id] = true
					left[w] = append(left[w], lengths[id])
				}
				if len(left[w]) == 0 {
					continue
				}
				// One step of one game, in turns.
				busy, ended[w] = true, now+1
				at := now % len(left[w])
				if left[w][at]--; left[w][at] == 0 {
					left[w] = append(left[w][:at], left[w][at+1:]...)
				}
			}
		}
		if len(seen) != len(lengths) {
			t.Fatalf("%d of %d games were dealt", len(seen), len(lengths))
		}
		first, last := ended[0], ended[0]
		for _, e := range ended {
			first, last = min(first, e), max(last, e)
		}
		if len(lengths) >= 2*workers*atOnce && last-first > 3*10 {
			t.Fatalf("the first worker was done at %d, the last at %d", first, last)
		}
	})
}
