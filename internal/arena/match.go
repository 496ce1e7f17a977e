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

// Options describe a match.
type Options struct {
	Entrants []Entrant     // two or more, with different names; each meets each other one
	Games    int           // of each pairing, 1 or more; an odd last game has no pair
	Start    game.Position // the undecided position from which every game starts
	Notation game.Notation // of Start's game

	// Starts returns the undecided position from which the games of a pair start, a
	// function of the pair's number alone that may be called concurrently; nil: Start.
	Starts func(pair int) (game.Position, error)

	Setting  string   // game, rules and size in words; a match is resumed only under the same
	Program  string   // version and commit of this program; a match is resumed only by the same
	Openings Openings // nil: games start from Start itself
	Seed     uint64
	Workers  int   // games at once; 0 means 1
	SPRT     *SPRT // nil: all games are played; it needs exactly two entrants

	MaxPlies  int           // moves, those of the opening included, after which a game is drawn; 0: no limit
	HangLimit time.Duration // for NewGame, and for a Move without a clock; 0: no limit
	Margin    time.Duration // by which a clock may be overstepped; 0 means 500 ms
	Time      engine.Time   // nil means engine.SystemTime

	Journal string // path of the journal; "": none, and nothing to resume from
	// called in game order, in Run's goroutine, with the report up to this game; nil: not called
	OnResult func(*Result, Report)

	// Record stores a finished game of players so named, each once, in the order in
	// which games end, in Run's goroutine; nil: games are not recorded. A game of the
	// journal is among them unless Recorded, which may be nil, says that it is there.
	Record   func(result *Result, names [2]string) error
	Recorded func(number int) bool
}

// defaultMargin is the Margin that zero means: how late a busy machine may
// wake a player.
const defaultMargin = 500 * time.Millisecond

// Match is a match or, with more than two entrants, a round robin.
type Match struct {
	opts     Options
	schedule schedule
	referee  referee
}

// New checks the options and returns a match. It keeps Start.
func New(opts Options) (*Match, error) {
	if err := opts.check(); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	m := &Match{opts: opts, schedule: schedule{entrants: len(opts.Entrants), games: opts.Games}}
	m.opts.Workers = max(opts.Workers, 1)
	m.referee = referee{
		start:    m.startOf,
		notation: opts.Notation,
		seed:     opts.Seed,
		maxPlies: opts.MaxPlies,
		hang:     opts.HangLimit,
		margin:   opts.Margin,
		time:     opts.Time,
	}
	if opts.Margin == 0 {
		m.referee.margin = defaultMargin
	}
	if opts.Time == nil {
		m.referee.time = engine.SystemTime{}
	}
	for _, e := range opts.Entrants {
		m.referee.controls = append(m.referee.controls, e.Control)
	}
	return m, nil
}

// startOf returns the position from which the games of a pair start.
func (m *Match) startOf(pair int) (game.Position, error) {
	if m.opts.Starts == nil {
		return m.opts.Start, nil
	}
	return m.opts.Starts(pair)
}

func (o *Options) check() error {
	names := map[string]bool{}
	for i, e := range o.Entrants {
		if e.Name == "" || e.New == nil {
			return fmt.Errorf("player %d: want a name and a way to make the player", i+1)
		}
		if names[e.Name] {
			return fmt.Errorf("two players are named %q: want different names", e.Name)
		}
		names[e.Name] = true
	}
	switch {
	case len(o.Entrants) < 2:
		return fmt.Errorf("%d players: want two or more", len(o.Entrants))
	case o.Games < 1:
		return fmt.Errorf("%d games: want 1 or more", o.Games)
	case o.Start == nil || o.Notation == nil:
		return errors.New("want a start position and its notation")
	case o.Start.Outcome() != game.Undecided:
		return errors.New("the start position is decided already")
	case o.MaxPlies < 0 || o.HangLimit < 0 || o.Margin < 0:
		return errors.New("limits must not be negative")
	}
	if o.SPRT != nil {
		if len(o.Entrants) != 2 {
			return fmt.Errorf("sprt with %d players: want two", len(o.Entrants))
		}
		return o.SPRT.Validate()
	}
	return nil
}

// Run plays the match and returns its report when all games are counted or the
// SPRT has decided. It ends every goroutine and player that it started before
// it returns. On an error, including that of ctx, the report covers the games
// before the first missing one, and the journal has every finished game. A
// match may be run again; it resumes from its journal.
func (m *Match) Run(ctx context.Context) (Report, error) {
	log, finished, err := m.openJournal()
	if err != nil {
		return m.newReport(), err
	}
	defer log.Close()
	playing, stop := context.WithCancel(ctx)
	defer stop()
	c := &collector{
		match:   m,
		log:     log,
		stop:    stop,
		waiting: map[int]*Result{},
		report:  m.newReport(),
	}
	for g := range m.play(playing, finished) {
		c.take(g)
	}
	if c.failure == nil && !c.complete() {
		c.failure = ctx.Err()
	}
	return c.report, c.failure
}

// collector puts the results of a run in order.
type collector struct {
	match   *Match
	log     *disk.Journal
	stop    context.CancelFunc // ends the games in progress
	waiting map[int]*Result    // finished games by number, waiting for an earlier one
	next    int                // the number of the next game to count
	report  Report
	failure error // the first one
}

// complete reports whether the match has ended.
func (c *collector) complete() bool {
	return c.report.decided() || c.next == c.match.schedule.total()
}

func (c *collector) fail(err error) {
	if c.failure == nil {
		c.failure = err
	}
	c.stop()
}

// take stores a finished game and counts all that are next in order.
func (c *collector) take(g ended) {
	if g.err != nil {
		if !(c.report.decided() && errors.Is(g.err, context.Canceled)) {
			c.fail(g.err)
		}
		return
	}
	if c.report.decided() {
		return
	}
	if err := c.keep(g.result, g.known); err != nil {
		c.fail(err)
		return
	}
	c.waiting[g.result.Game] = g.result
	for !c.complete() {
		result, ok := c.waiting[c.next]
		if !ok {
			return
		}
		delete(c.waiting, c.next)
		c.next++
		c.report.add(result)
		if c.match.opts.OnResult != nil {
			c.match.opts.OnResult(result, c.report.clone())
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
		if err := o.Record(result, c.match.names(result)); err != nil {
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

func (m *Match) names(result *Result) [2]string {
	return [2]string{m.opts.Entrants[result.Players[0]].Name, m.opts.Entrants[result.Players[1]].Name}
}

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
				return fmt.Errorf("the journal's game %d has the opening %q, this match's %q: use the same openings, or "+
					"another journal",
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

// schedule numbers the games of a match in which each of the entrants meets
// each other one. Game numbers run through rounds; a round plays one opening
// in every pairing, each time as a pair of games with colours swapped. With
// an odd number of games the last round has only the first game of each pair.
type schedule struct {
	entrants int
	games    int // of each pairing
}

// fixture is one game of a schedule.
type fixture struct {
	game    int
	round   int // the opening's number
	pairing int
	second  bool   // the pair's second game
	players [2]int // the entrants by side
}

// pairings returns the number of pairings.
func (s schedule) pairings() int { return s.entrants * (s.entrants - 1) / 2 }

// total returns the number of games.
func (s schedule) total() int { return s.games * s.pairings() }

// pairing returns the entrants a < b of a pairing, in the order 0-1, 0-2, ...,
// 1-2, ...
func (s schedule) pairing(index int) (a, b int) {
	for index >= s.entrants-1-a {
		index -= s.entrants - 1 - a
		a++
	}
	return a, a + 1 + index
}

// at returns the game with the given number, in 0..total-1.
func (s schedule) at(number int) fixture {
	f := fixture{game: number}
	inRound := 2 * s.pairings()
	f.round = number / inRound
	rest := number % inRound
	if 2*f.round+1 < s.games {
		f.pairing, f.second = rest/2, rest%2 == 1
	} else {
		f.pairing = rest
	}
	a, b := s.pairing(f.pairing)
	f.players = [2]int{a, b}
	if f.second {
		f.players = [2]int{b, a}
	}
	return f
}

// gameSeed returns the seed of the player that has side in a game.
func gameSeed(seed uint64, game int, side int) uint64 {
	return rand.NewPCG(seed, uint64(game)*2+uint64(side)).Uint64()
}
