// Package arena plays matches of two players under the rules of a [game.Position]. Every
// opening is played twice with swapped colours, and the two games are one sample, a pair:
// see [Report]. A [Player] that fails, plays an illegal move or oversteps its time forfeits
// the game. An [SPRT] can end the match early. Begin with [New] and [Match.Run].
package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine"
)

// Options describe a match. Randomness is a function of Seed and the game's number.
type Options struct {
	Entrants [2]Entrant    // with different names
	Games    int           // 1 or more; an odd last game has no pair
	Start    game.Position // the undecided position from which every game starts
	Notation game.Notation // of Start's game

	// Starts returns the undecided position from which the games of a pair start, a
	// function of the pair's number alone; nil: Start.
	Starts func(pair int) (game.Position, error)

	Setting  string   // game, rules and size in words; a match is resumed only under the same
	Program  string   // version and commit of this program; a match is resumed only by the same
	Openings Openings // nil: games start from Start itself
	Seed     uint64
	Workers  int   // games at once; 0 means 1
	SPRT     *SPRT // nil: all games are played

	MaxPlies  int           // moves, those of the opening included, after which a game is drawn; 0: no limit
	HangLimit time.Duration // for NewGame, and for a Move without a clock; 0: no limit
	Time      engine.Time   // nil means engine.SystemTime

	// Journal is the path of the journal, "" for none. Each finished game is synced to it
	// before it is reported, and a match resumes from it.
	Journal string
	// called in game order, in Run's goroutine, with the report up to this game; nil: not called
	OnResult func(*Result, Report)

	// Record stores a finished game of players so named, each once, in the order in
	// which games end, in Run's goroutine; nil: games are not recorded. A game of the
	// journal is among them unless Recorded, which may be nil, says that it is there.
	Record   func(result *Result, names [2]string) error
	Recorded func(number int) bool
}

// Match is a match.
type Match struct{ opts Options }

// New checks the options and returns a match. It keeps Start.
func New(opts Options) (*Match, error) {
	if a, b := opts.Entrants[0].Name, opts.Entrants[1].Name; a == b {
		return nil, fmt.Errorf("match: two players are named %q: want different names", a)
	}
	if opts.Start.Outcome() != game.Undecided {
		return nil, errors.New("match: the start position is decided already")
	}
	if opts.SPRT != nil {
		if err := opts.SPRT.Validate(); err != nil {
			return nil, fmt.Errorf("match: %w", err)
		}
	}
	opts.Workers = max(opts.Workers, 1)
	if opts.Time == nil {
		opts.Time = engine.SystemTime{}
	}
	return &Match{opts}, nil
}

// Run plays the match and returns its report when all games are counted or the
// SPRT has decided. It ends every goroutine and player that it started before
// it returns. On an error, including that of ctx, the report covers the games
// before the first missing one, and the journal has every finished game. A
// match may be run again; it resumes from its journal.
func (m *Match) Run(ctx context.Context) (Report, error) {
	report := m.newReport()
	log, finished, err := m.openJournal()
	if err != nil {
		return report, err
	}
	defer log.Close()
	playing, stop := context.WithCancel(ctx)
	defer stop()
	c := &collector{match: m, log: log, stop: stop, waiting: map[int]*Result{}, report: report}
	for g := range m.play(playing, finished) {
		c.take(g)
	}
	if c.failure == nil && !c.complete() {
		c.failure = ctx.Err()
	}
	return c.report, c.failure
}

// collector counts the results of a run in the order of their numbers, whatever order they
// end in, so that a test of deterministic players stops after the same pair with any number
// of workers.
type collector struct {
	match   *Match
	log     *disk.Journal
	stop    context.CancelFunc // ends the games in progress
	waiting map[int]*Result    // finished games by number, waiting for an earlier one
	report  Report
	failure error // the first one
}

// complete reports whether the match has ended.
func (c *collector) complete() bool {
	return c.report.decided() || c.report.Games == c.match.opts.Games
}

// take stores a finished game and counts all that are next in order.
func (c *collector) take(g ended) {
	if c.report.decided() && (g.err == nil || errors.Is(g.err, context.Canceled)) {
		return
	}
	if g.err == nil {
		g.err = c.keep(g.result, g.known)
	}
	if g.err != nil {
		if c.failure == nil {
			c.failure = g.err
		}
		c.stop()
		return
	}
	c.waiting[g.result.Game] = g.result
	for !c.complete() {
		result, ok := c.waiting[c.report.Games]
		if !ok {
			return
		}
		delete(c.waiting, result.Game)
		c.report.add(result)
		if c.match.opts.OnResult != nil {
			c.match.opts.OnResult(result, c.report)
		}
	}
	c.stop()
}

// keep records a game and then writes it to the journal, so that every game
// there is recorded. A game that is known from there is recorded if it was not
// before.
func (c *collector) keep(result *Result, known bool) error {
	o := &c.match.opts
	if o.Record != nil && !(known && o.Recorded != nil && o.Recorded(result.Game)) {
		names := [2]string{o.Entrants[result.Players[0]].Name, o.Entrants[result.Players[1]].Name}
		if err := o.Record(result, names); err != nil {
			return fmt.Errorf("recording game %d: %w", result.Game+1, err)
		}
	}
	if known {
		return nil
	}
	if err := c.log.Append(newRow(result, o.Notation)); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// job is a game to play: a position after an opening.
type job struct {
	game    int
	opening []game.Move
	pos     game.Position // shared by the games of a pair
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
	start := func(work func() error) {
		running.Go(func() {
			if err := work(); err != nil {
				out <- ended{err: err}
			}
		})
	}
	start(func() error {
		defer close(jobs)
		return m.feed(ctx, finished, jobs, out)
	})
	for range m.opts.Workers {
		start(func() error { return m.work(ctx, jobs, out) })
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
	var next job
	for number := range m.opts.Games {
		if number%2 == 0 {
			var err error
			if next, err = m.pair(ctx, number/2); err != nil {
				return err
			}
		}
		next.game = number
		if r, ok := finished[number]; ok {
			if !slices.Equal(r.Moves[:r.Opening], next.opening) {
				return fmt.Errorf("the journal's game %d has the opening %q, this match's %q: use the same openings, or "+
					"another journal", number+1, m.opts.Notation.FormatMoves(r.Moves[:r.Opening]),
					m.opts.Notation.FormatMoves(next.opening))
			}
			out <- ended{result: r, known: true}
			continue
		}
		select {
		case jobs <- next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// pair returns the job of a pair, without the game's number.
func (m *Match) pair(ctx context.Context, number int) (j job, err error) {
	if j.pos, err = m.start(number); err != nil || m.opts.Openings == nil {
		return j, err
	}
	if j.opening, err = m.opts.Openings.Opening(ctx, number); err != nil {
		return j, err
	}
	if j.pos, err = follow(j.pos, j.opening); err != nil {
		return j, fmt.Errorf("opening of pair %d: %w", number+1, err)
	}
	return j, nil
}

// start returns the position from which the games of a pair start.
func (m *Match) start(pair int) (game.Position, error) {
	if m.opts.Starts == nil {
		return m.opts.Start, nil
	}
	return m.opts.Starts(pair)
}

// work plays jobs with players of its own and closes them in the end.
func (m *Match) work(ctx context.Context, jobs <-chan job, out chan<- ended) (err error) {
	var players [2]Player // by entrant
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
		for i, e := range m.opts.Entrants {
			if players[i] != nil {
				continue
			}
			p, err := e.New()
			if err != nil {
				return fmt.Errorf("player %s: %w", e.Name, err)
			}
			players[i] = p
		}
		result, err := m.referee(ctx, j, players)
		if err != nil {
			return err
		}
		if result.Forfeit != nil {
			// It may be in any state, so errors on closing do not matter.
			faulty := result.Players[result.Forfeit.Side]
			players[faulty].Close()
			players[faulty] = nil
		}
		out <- ended{result: result}
	}
	return nil
}

// seats returns the entrants by side in a game: the second game of a pair swaps them.
func seats(number int) [2]int { return [2]int{number % 2, 1 - number%2} }

// gameSeed returns the seed of the player that has side in a game.
func gameSeed(seed uint64, game int, side int) uint64 {
	return rand.NewPCG(seed, uint64(game)*2+uint64(side)).Uint64()
}
