package arena

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/carozero/carozero/game"
)

// job is a game to play.
type job struct {
	fixture
	opening []game.Move
}

// ended is a finished game, or the error that ended a worker.
type ended struct {
	result *Result
	known  bool // from the journal
	err    error
}

// play starts the workers and returns the channel of what they finish, in no
// particular order. The channel is closed when all goroutines have ended; the
// caller must receive until then.
func (m *Match) play(ctx context.Context, finished map[int]*Result) <-chan ended {
	jobs := make(chan job)
	out := make(chan ended)
	var running sync.WaitGroup
	running.Go(func() {
		defer close(jobs)
		if err := m.feed(ctx, finished, jobs, out); err != nil {
			out <- ended{err: err}
		}
	})
	for range m.opts.Workers {
		running.Go(func() {
			if err := m.work(ctx, jobs, out); err != nil {
				out <- ended{err: err}
			}
		})
	}
	go func() {
		running.Wait()
		close(out)
	}()
	return out
}

// feed hands out all games in order, those that are finished as results and
// the rest as jobs.
func (m *Match) feed(ctx context.Context, finished map[int]*Result, jobs chan<- job, out chan<- ended) error {
	var opening []game.Move
	round := -1
	for number := range m.schedule.total() {
		f := m.schedule.at(number)
		if f.round != round && m.opts.Openings != nil {
			var err error
			if opening, err = m.opts.Openings.Opening(ctx, f.round); err != nil {
				return err
			}
			start, err := m.startOf(f.round)
			if err != nil {
				return err
			}
			if _, err = follow(start, opening); err != nil {
				return fmt.Errorf("opening of pair %d: %w", f.round+1, err)
			}
		}
		round = f.round
		if r, ok := finished[number]; ok {
			if !slices.Equal(r.Moves[:r.Opening], opening) {
				return fmt.Errorf("the journal's game %d has the opening %q, this match's %q: use the same openings, or another journal",
					number+1, m.opts.Notation.FormatMoves(r.Moves[:r.Opening]), m.opts.Notation.FormatMoves(opening))
			}
			out <- ended{result: r, known: true}
			continue
		}
		select {
		case jobs <- job{f, opening}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// work plays jobs with players of its own and closes them in the end.
func (m *Match) work(ctx context.Context, jobs <-chan job, out chan<- ended) (err error) {
	players := make([]Player, len(m.opts.Entrants))
	defer func() {
		for i, p := range players {
			if p == nil {
				continue
			}
			if closing := p.Close(); closing != nil && err == nil {
				err = fmt.Errorf("closing player %s: %w", m.opts.Entrants[i].Name, closing)
			}
		}
	}()
	for j := range jobs {
		var seats [2]Player
		for side, entrant := range j.players {
			if players[entrant] == nil {
				if players[entrant], err = m.opts.Entrants[entrant].New(ctx); err != nil {
					players[entrant] = nil
					return cause(ctx, fmt.Errorf("player %s: %w", m.opts.Entrants[entrant].Name, err))
				}
			}
			seats[side] = players[entrant]
		}
		result, err := m.referee.play(ctx, j.fixture, j.opening, seats)
		if err != nil {
			return err
		}
		if result.Forfeit != nil {
			// It may be in any state, so errors on closing do not matter.
			faulty := j.players[result.Forfeit.Side]
			players[faulty].Close()
			players[faulty] = nil
		}
		out <- ended{result: &result}
	}
	return nil
}

// cause returns ctx's error if it has ended, which explains err, and otherwise
// err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
