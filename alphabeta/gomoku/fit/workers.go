package fit

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// ahead is how many finished games of one worker may wait to be taken.
const ahead = 16

// Play plays the games and hands them to take in the order of their numbers,
// all on the caller's goroutine. It has ended all of its goroutines when it
// returns, with the first error of take or of ctx.
func (s *Selfplay) Play(ctx context.Context, take func(id int, g Game) error) error {
	if err := s.Check(); err != nil {
		return err
	}
	n := min(max(s.Workers, 1), s.Games)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	lanes := make([]chan Game, n)
	for i := range lanes {
		lanes[i] = make(chan Game, ahead)
		group.Go(func() error { return s.playEvery(ctx, i, n, lanes[i]) })
	}
	failure := s.collect(ctx, lanes, take)
	stop()
	if err := group.Wait(); err != nil && errors.Is(failure, context.Canceled) {
		return err // what made the others stop
	}
	return failure
}

// playEvery plays every n-th game, beginning with the i-th.
func (s *Selfplay) playEvery(ctx context.Context, i, n int, out chan<- Game) error {
	w, err := newWorker(s)
	if err != nil {
		return err
	}
	for k := i; k < s.Games; k += n {
		g, err := w.play(ctx, s.First+k)
		if err != nil {
			return err
		}
		select {
		case out <- g:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// collect takes the games in order.
func (s *Selfplay) collect(ctx context.Context, lanes []chan Game, take func(int, Game) error) error {
	for k := range s.Games {
		select {
		case g := <-lanes[k%len(lanes)]:
			if err := take(s.First+k, g); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// teach has the learners make the lessons of some of the games, lesson k of game list[k].
// All of its goroutines have ended when it returns, with the first error.
func teach(ctx context.Context, learners []*learner, games []Game, list []int, lessons []lesson) error {
	group, ctx := errgroup.WithContext(ctx)
	var taken atomic.Int64
	for _, w := range learners {
		group.Go(func() error {
			for {
				k := int(taken.Add(1)) - 1
				if k >= len(list) {
					return nil
				}
				var err error
				if lessons[k], err = w.lesson(ctx, &games[list[k]]); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}
