package gomocup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
)

// line is a line of input with the time at which it was read.
type line struct {
	text    string
	number  int // of the line, from 1
	arrival time.Time
	broken  bool // longer than any command; text is its beginning
}

// job is work that takes time: run computes, touching nothing of the session,
// and returns what is to be done with the result; that is then done while no
// job is running. A context that ends makes run return soon, with what it has.
type job struct {
	run func(ctx context.Context) (apply func())
	end time.Time // when run has to be done; zero: never
}

// session is the state of one dialogue.
type session struct {
	opts   Options
	open   Open
	engine engine.Engine // for the last settings; nil: none could be set up
	out    *output

	record   record
	settings settings
	yixin    bool   // the client is of the Yixin family
	block    *block // of stones, whose DONE has not come yet
	ignored  *ignored
	stale    bool // the engine has not seen the latest settings
	replied  bool // the last command was answered with a move
}

func newSession(open Open, opts Options, out *output) *session {
	return &session{opts: opts, open: open, out: out, settings: settings{timing: newTiming()}}
}

// handle carries out a line and returns the job that it leads to, nil for none.
func (s *session) handle(l line) *job {
	if l.broken {
		s.out.errorf("a line of more than %d bytes", longestLine)
		return nil
	}
	c := parseCommand(l.text)
	if c.verb == "" {
		return nil
	}
	if s.ignored != nil && s.continueIgnored(c, l) {
		return nil
	}
	if s.block != nil {
		if done, lost := s.continueBlock(c, l); !lost {
			return done
		}
	}
	s.yixin = s.yixin || c.yixin()
	s.replied = s.replied && c.harmless()
	j, err := s.command(c, l)
	if err != nil {
		s.out.errorf("%v", err)
	}
	return j
}

// begins reports whether the command starts afresh.
func (c command) begins() bool {
	return c.verb == "START" || c.verb == "RECTSTART" || c.verb == "RESTART"
}

// rules returns the rule set of the settings.
func (s *session) rules() (gomoku.Rules, error) {
	name, err := ruleName(s.settings.mask, s.yixin || s.settings.detail != 0)
	if err != nil {
		return gomoku.Rules{}, err
	}
	return gomoku.Lookup(name)
}

// errNoGame refuses commands that need a board.
var errNoGame = errors.New("no game was started; send START 15 first")

// ready returns the rules of the current game.
func (s *session) ready() (gomoku.Rules, error) {
	if s.record.size == 0 {
		return gomoku.Rules{}, errNoGame
	}
	return s.rules()
}

// prepare tells the engine the settings if it does not know them, and reports
// whether there was anything to do. It is called when nothing else is to be
// done, so that it does not cost time of a move; the error is sent when a move
// is asked for.
func (s *session) prepare() bool {
	if !s.stale || s.record.size == 0 || s.block != nil {
		return false
	}
	s.stale = false
	if rules, err := s.rules(); err == nil {
		want := s.wanted(rules.Name, s.record.size)
		want.Hurry = true
		_ = s.configure(want)
	}
	return true
}

// configure has the engine be one for the settings.
func (s *session) configure(want Settings) (err error) {
	s.engine, err = s.open(want)
	return err
}

// think returns the job that finds a move for the engine in next, which takes
// the place of the game together with that move, and answers it. choices is how
// many moves are reported where reports are welcome.
func (s *session) think(rules gomoku.Rules, next record, l line, choices int) (*job, error) {
	board, err := next.open(rules, next.own)
	if err != nil {
		return nil, err
	}
	want := s.wanted(rules.Name, next.size)
	limits, end := s.bounds(next, l)
	limits.Lines = choices
	var show *reporter
	if s.settings.detail != 0 {
		show = &reporter{out: s.out, detail: s.settings.detail, size: next.size, choices: choices, time: s.opts.Time, began: s.opts.Time.Now()}
		limits.Report = show.report
	}
	return &job{end: end, run: func(ctx context.Context) func() {
		found, err := s.ask(ctx, want, board, limits, l.arrival)
		return func() {
			s.settings.spend(s.opts.Time.Now().Sub(l.arrival))
			if err == nil {
				next, err = next.with(found.Move, true)
			}
			if err != nil {
				s.out.errorf("%v", err)
				return
			}
			s.record, s.replied = next, true
			if show != nil {
				show.report(found)
				show.end()
			}
			s.out.printf("%s", FormatCell(next.size, found.Move))
		}
	}}, nil
}

// bounds returns the limits of a search in r, with the clock, and when it has to
// end: an engine that keeps the clock ends before.
func (s *session) bounds(r record, l line) (engine.Limits, time.Time) {
	limits, end := s.settings.bounds(l.arrival, &s.opts)
	if !end.IsZero() {
		limits.Clock = s.settings.clock()
		limits.Clock.Moves = r.count(true)
		end = l.arrival.Add(latest(limits.Clock))
	}
	return limits, end
}

// pondered returns the position that the engine may think about during the
// opponent's turn, nil if there is none or the client wants none.
func (s *session) pondered() *gomoku.Board {
	if !s.replied || !s.settings.ponder {
		return nil
	}
	rules, err := s.rules()
	if err != nil {
		return nil
	}
	board, err := s.record.open(rules, s.record.own.Other())
	if err != nil {
		return nil
	}
	return board
}

// ask has the engine think and checks what it says. The clock of the limits is
// that of the arrival of a line; the engine gets what is left of it.
func (s *session) ask(ctx context.Context, want Settings, board *gomoku.Board, limits engine.Limits, arrival time.Time) (*engine.Answer, error) {
	want.Hurry = limits.Clock.Limited()
	if err := s.configure(want); err != nil {
		return nil, err
	}
	limits.Clock = limits.Clock.After(max(s.opts.Time.Now().Sub(arrival), 0))
	found, err := s.engine.Think(ctx, board, limits)
	switch {
	case err != nil:
		return nil, err
	case found == nil || found.Move == game.NoMove || !board.Legal(found.Move):
		return nil, fmt.Errorf("the engine found no legal move; this is a fault of the engine")
	}
	return found, nil
}
