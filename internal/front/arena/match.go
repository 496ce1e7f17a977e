package arena

import (
	"context"
	"errors"
	"fmt"
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

	Journal  string                // path of the journal; "": none, and nothing to resume from
	OnResult func(*Result, Report) // called in game order, in Run's goroutine, with the report up to this game; nil: not called

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
