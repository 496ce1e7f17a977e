package nn

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carozero/carozero/game"
)

// queued returns an evaluator of a queue.
func queued(t testing.TB, q *Queue, turn *Turn, capacity int) Evaluator {
	t.Helper()
	e, err := q.Evaluator(&mnkEncoder{}, turn, BatcherOptions{Capacity: capacity})
	if err != nil {
		t.Error(err)
	}
	return e
}

func newQueue(net BatchNetwork, size int, turns *Turns) *Queue {
	return NewQueue(net, (&mnkEncoder{}).Shape(), size, turns)
}

// slowNet takes a random time for a batch.
func slowNet(id uint64) *fakeNet {
	rng, mu := rand.New(rand.NewPCG(id, 5)), sync.Mutex{}
	return &fakeNet{id: id, before: func(context.Context) {
		mu.Lock()
		d := time.Duration(rng.IntN(50)) * time.Microsecond
		mu.Unlock()
		time.Sleep(d)
	}}
}

// TestQueuesOfRandomClients drives clients that alternate between two queues, cancel, block
// elsewhere, and leave with positions that wait. Were one left lying, all would sleep for
// ever, which synctest finds.
func TestQueuesOfRandomClients(t *testing.T) {
	positions := newPositions(9, 60)
	var want [2][]answer
	for i := range want {
		want[i] = evaluate(t, newBatcher(t, &fakeNet{id: uint64(i + 1)}, BatcherOptions{}), positions)
	}
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			turns := NewTurns(1 + rng.IntN(4))
			queues := [2]*Queue{newQueue(slowNet(1), 1+rng.IntN(9), turns), newQueue(slowNet(2), 1+rng.IntN(9), turns)}
			var all sync.WaitGroup
			for number := range 1 + rng.IntN(20) {
				user := rng.IntN(4) == 0
				all.Go(func() {
					rng := rand.New(rand.NewPCG(seed, uint64(number+2)))
					var turn *Turn
					if !user {
						turn = turns.Start()
						defer turn.Rest()
					}
					randomClient(t, rng, turn, queues, positions, want)
				})
			}
			all.Wait()
			for i, q := range queues {
				q.Close()
				if s := q.Stats(); s.Computed != s.Batches*q.Size() || s.Rows > s.Computed || q.sent > 0 || len(q.asleep) > 0 {
					t.Errorf("queue %d: %+v, %d under way", i, s, q.sent)
				}
			}
			if turns.running != 0 || len(turns.line) != 0 {
				t.Errorf("%d running, %d waiting for a turn", turns.running, len(turns.line))
			}
		})
	}
}

// randomClient asks for positions at random, and checks the answers that it waits for.
func randomClient(t *testing.T, rng *rand.Rand, turn *Turn, queues [2]*Queue, positions []game.Position,
	want [2][]answer) {
	type open struct {
		position int
		out      *Result
	}
	var evals [2]Evaluator
	var waiting [2][]open
	for i, q := range queues {
		evals[i] = queued(t, q, turn, 1+rng.IntN(30))
	}
	for range rng.IntN(80) {
		i := rng.IntN(2)
		switch k := rng.IntN(20); {
		case k < 12 && len(waiting[i]) < evals[i].Capacity():
			p := rng.IntN(len(positions))
			waiting[i] = append(waiting[i], open{p, ask(evals[i], positions[p])})
		case k < 18:
			n := 1 + rng.IntN(4)
			if err := evals[i].Wait(t.Context(), n); err != nil {
				t.Error(err)
			}
			n = min(n, len(waiting[i]))
			for _, o := range waiting[i][:n] {
				if !sameBits(*o.out, want[i][o.position].result) {
					t.Errorf("position %d has another answer", o.position)
				}
			}
			waiting[i] = waiting[i][n:]
		case k == 18:
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(40))*time.Microsecond)
			if err := evals[i].Wait(ctx, All); err != nil {
				waiting[i] = nil
			} else {
				waiting[i] = waiting[i][:0]
			}
			cancel()
		default:
			turn.Rest()
			time.Sleep(time.Duration(rng.IntN(100)) * time.Microsecond)
			turn.Resume()
		}
	}
}

// TestQueueFails lets a device fail in the middle: all clients get the error, and later
// calls fail without asking it.
func TestQueueFails(t *testing.T) {
	broken := errors.New("out of memory")
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		turns := NewTurns(2)
		q := newQueue(failingNet{slowNet(1), func() error {
			if runs.Add(1) > 5 {
				return broken
			}
			return nil
		}}, 4, turns)
		var all sync.WaitGroup
		for range 9 {
			all.Go(func() {
				turn := turns.Start()
				defer turn.Rest()
				e := queued(t, q, turn, 3)
				var err error
				for i := 0; err == nil; i++ {
					for _, pos := range newPositions(uint64(i), 3) {
						ask(e, pos)
					}
					err = e.Wait(t.Context(), All)
				}
				if !errors.Is(err, broken) {
					t.Errorf("error %v", err)
				}
				for range 2 {
					ask(e, newPositions(1, 1)[0])
				}
				if err := e.Wait(t.Context(), 1); !errors.Is(err, broken) {
					t.Errorf("afterwards: %v", err)
				}
			})
		}
		all.Wait()
		if q.Close(); runs.Load() > 5+underWay {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

// failingNet asks before each Forward whether it fails.
type failingNet struct {
	*fakeNet
	fails func() error
}

func (f failingNet) Forward(ctx context.Context, b *Batch) error {
	if err := f.fakeNet.Forward(ctx, b); err != nil {
		return err
	}
	return f.fails()
}

// TestQueueCloses closes a queue while it computes.
func TestQueueCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Bool
		net := &fakeNet{before: func(context.Context) {
			running.Store(true)
			time.Sleep(time.Second)
			running.Store(false)
		}}
		q := newQueue(net, 4, NewTurns(1))
		e := queued(t, q, nil, 9)
		for _, pos := range newPositions(1, 9) {
			ask(e, pos)
		}
		waited := make(chan error)
		go func() { waited <- e.Wait(t.Context(), All) }()
		synctest.Wait()
		if q.Close(); running.Load() {
			t.Error("closed while it computes")
		}
		if err := <-waited; !errors.Is(err, ErrClosed) {
			t.Errorf("error %v", err)
		}
	})
}

// TestQueueFillsBatches lets many games ask for two positions at a time.
func TestQueueFillsBatches(t *testing.T) {
	const size, games, rounds = 64, 3 * 64 / 2, 200
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(2)
		net, err := NewSimulated(turns, SimulatedOptions{})
		if err != nil {
			t.Fatal(err)
		}
		q := newQueue(net, size, turns)
		var all sync.WaitGroup
		for g := range games {
			all.Go(func() {
				turn, positions := turns.Start(), newPositions(uint64(g), 2)
				defer turn.Rest()
				e := queued(t, q, turn, 2)
				for i := range rounds {
					for _, pos := range positions[:1+min(1, (i+g)%13)] {
						ask(e, pos)
					}
					if err := e.Wait(t.Context(), All); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if s := q.Stats(); s.Rows*100 < s.Computed*97 {
			t.Errorf("%d rows of %d computed", s.Rows, s.Computed)
		}
	})
}

// TestQueueIsShared: a client with many positions leaves half of a batch to another one,
// and takes all of it when it is alone.
func TestQueueIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(slowNet(1), 8, NewTurns(1))
		many, few := queued(t, q, nil, 40), queued(t, q, nil, 1)
		for _, pos := range newPositions(1, 8) {
			ask(many, pos)
		}
		if s := q.Stats(); s.Full != 1 {
			t.Errorf("alone: %+v", s)
		}
		ask(few, newPositions(2, 1)[0])
		for _, pos := range newPositions(1, 12) {
			ask(many, pos)
		}
		for i, want := range []int{5, 4, 4} {
			if got := q.filling[i].rows; got != want {
				t.Errorf("batch %d has %d rows, want %d", i, got, want)
			}
		}
		for _, e := range []Evaluator{few, many} {
			if err := e.Wait(t.Context(), All); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestProbe finds a network whose answers depend on the place in the batch.
func TestProbe(t *testing.T) {
	turns := NewTurns(1)
	good := &fakeNet{id: 3}
	digest, err := NewDevice(DeviceKind{}, turns, 8, 4, good, good).Probe(t.Context(), mnkVariant{}, 8)
	if err != nil || len(digest) != 64 {
		t.Errorf("%q, %v", digest, err)
	}
	bad := &fakeNet{id: 3, poison: func(b *Batch) { b.Policy(7)[0]++ }}
	_, err = NewDevice(DeviceKind{}, turns, 8, 4, good, bad).Probe(t.Context(), mnkVariant{}, 8)
	if !errors.Is(err, ErrUnequal) {
		t.Error("no difference is found")
	}
}

// mnkVariant is the game of mnkEncoder.
type mnkVariant struct{}

func (mnkVariant) Start() (game.Position, error)   { return newPositions(1, 1)[0], nil }
func (mnkVariant) Encoder(string) (Encoder, error) { return &mnkEncoder{}, nil }
func (mnkVariant) String() string                  { return "mnk" }
