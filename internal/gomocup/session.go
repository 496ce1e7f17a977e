package gomocup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
)

// request is a command that a session carries out.
type request struct {
	command
	arrival time.Time
	rules   gomoku.Rules // of the game
	rows    [][]int      // numbers of the lines of a block
}

// job is work that takes time: run computes, changing nothing of the session, and
// returns what is to be done with the result; that is then done while no job is
// running. A context that ends makes run return soon, with what it has.
type job struct {
	run func(ctx context.Context) (apply func())
	end time.Time // when run has to be done; zero: never
}

// session is the state of one dialogue. A command that is refused changes neither the
// game nor the settings.
type session struct {
	opts     Options
	open     Open
	engine   engine.Engine // for the last settings; nil: none could be set up
	out      *output
	commands map[string]spec

	record   record
	settings settings
	yixin    bool   // the client is of the Yixin family
	block    *block // of stones, whose DONE has not come yet
	ignoring bool   // lines of an unknown Yixin command, up to DONE or another command
	stale    bool   // the engine has not seen the latest settings
	replied  bool   // the last command was answered with a move
}

func newSession(open Open, opts Options, out *output) *session {
	return &session{opts: opts, open: open, out: out, commands: commands(), settings: settings{timing: newTiming()}}
}

// handle carries out a line and returns the job that it leads to, nil for none.
func (s *session) handle(l line) *job {
	c := parseCommand(l.text)
	known, ok := s.commands[c.verb]
	if s.ignoring = s.ignoring && !ok && !c.yixin(); s.ignoring {
		s.ignoring = c.verb != "DONE"
		return nil
	}
	if c.verb == "" {
		return nil
	}
	j, err := s.carryOut(c, known, ok, l)
	if err != nil {
		s.out.error(err)
	}
	return j
}

// carryOut carries out a command, or takes the line of a block that it is.
func (s *session) carryOut(c command, known spec, ok bool, l line) (*job, error) {
	switch b := s.block; {
	case b != nil && c.verb == "DONE":
		return s.finish(l)
	case b != nil && !ok:
		b.add(l.text)
		return nil, nil
	case b != nil:
		if s.block = nil; !known.begins {
			s.out.printf("ERROR %s without DONE; it was given up at %s", b.verb, c.verb)
		}
	}
	s.yixin = s.yixin || c.yixin()
	s.replied = s.replied && (known.calm || !ok && c.yixin())
	switch {
	case c.verb == "DONE":
		return nil, errors.New("DONE without BOARD")
	case known.block != "":
		s.block = &block{command: c, form: known.block}
		for _, text := range strings.Fields(c.args) { // some clients send all of it on one line
			if strings.EqualFold(text, "DONE") {
				return s.finish(l)
			}
			s.block.add(text)
		}
		return nil, nil
	case ok:
		return s.run(known, &request{command: c, arrival: l.arrival})
	case c.yixin(): // boards have many, about databases and blocked points, some of several lines
		s.ignoring = !strings.HasSuffix(strings.ToUpper(c.args), "DONE")
		return nil, nil
	}
	s.out.printf("UNKNOWN command %s", excerpt(c.verb))
	return nil, nil
}

// run runs a command in a game, if it needs one.
func (s *session) run(known spec, r *request) (j *job, err error) {
	if known.game {
		if s.record.size == 0 {
			return nil, errors.New("no game was started; send START 15 first")
		}
		if r.rules, err = s.rules(); err != nil {
			return nil, err
		}
	}
	return known.run(s, r)
}

// block is a list of stones that a client is sending.
type block struct {
	command         // that opened it
	form    string  // of its lines
	rows    [][]int // numbers of the lines so far
	fault   error   // the first thing wrong with it
}

// mostRows is as many lines as a block can have.
const mostRows = gomoku.MaxSize * gomoku.MaxSize

// add takes a line of the block.
func (b *block) add(text string) {
	row, err := numbers(text, b.form)
	switch {
	case b.fault != nil:
	case err != nil:
		b.fault = fmt.Errorf("%s line %d: %w", b.verb, len(b.rows)+1, err)
	case len(b.rows) == mostRows:
		b.fault = fmt.Errorf("%s: more stones than a board can hold", b.verb)
	default:
		b.rows = append(b.rows, row)
	}
}

// finish runs the command of the block, which is complete.
func (s *session) finish(l line) (*job, error) {
	b := s.block
	if s.block = nil; b.fault != nil {
		return nil, b.fault
	}
	return s.run(s.commands[b.verb], &request{command: b.command, arrival: l.arrival, rows: b.rows})
}

// rules returns the rule set of the settings.
func (s *session) rules() (gomoku.Rules, error) {
	name, err := ruleName(s.settings.rule, s.yixin || s.settings.detail != 0)
	if err != nil {
		return gomoku.Rules{}, err
	}
	return gomoku.Lookup(name)
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
		_ = s.configure(rules.Name, s.record.size)
	}
	return true
}

// configure has the engine be one for the settings.
func (s *session) configure(rule string, size int) (err error) {
	s.engine, err = s.open(s.settings.wanted(rule, size, &s.opts))
	return err
}

// ask has the engine think and checks what it says. The clock of the limits is
// that of the arrival of a line; the engine gets what is left of it.
func (s *session) ask(ctx context.Context, board *gomoku.Board, limits engine.Limits,
	arrival time.Time) (*engine.Answer, error) {
	if err := s.configure(board.Rules().Name, board.Size()); err != nil {
		return nil, err
	}
	limits.Clock = limits.Clock.After(max(s.opts.Time.Now().Sub(arrival), 0))
	found, err := s.engine.Think(ctx, board, limits)
	if err == nil && (found == nil || found.Move == game.NoMove || !board.Legal(found.Move)) {
		err = errors.New("the engine found no legal move; this is a fault of the engine")
	}
	return found, err
}

// job returns the job of a request: find searches, and what it returns answers.
func (s *session) job(r *request, end time.Time, find func(ctx context.Context) (answer func(), err error)) *job {
	return &job{end: end, run: func(ctx context.Context) func() {
		answer, err := find(ctx)
		return func() {
			s.settings.spend(s.opts.Time.Now().Sub(r.arrival))
			if err != nil {
				s.out.error(err)
				return
			}
			answer()
		}
	}}
}

// judge returns the job that has the engine, which is to move in next, judge so many of
// its moves (0: one), has show report them (nil: nothing does) and answer say what it found.
func (s *session) judge(r *request, next record, lines int, show *reporter,
	answer func(*engine.Answer)) (*job, error) {
	board, err := next.open(r.rules, next.own)
	if err != nil {
		return nil, err
	}
	limits, end := s.settings.bounds(r.arrival, &s.opts)
	if !end.IsZero() { // an engine that keeps the clock ends before
		limits.Clock = s.settings.clock()
		limits.Clock.Moves = next.count(true)
		end = r.arrival.Add(latest(limits.Clock))
	}
	limits.Lines = lines
	if show != nil {
		limits.Report = show.report
	}
	return s.job(r, end, func(ctx context.Context) (func(), error) {
		found, err := s.ask(ctx, board, limits, r.arrival)
		return func() { answer(found) }, err
	}), nil
}

// think returns the job that finds a move for the engine in next, which takes
// the place of the game together with that move, and answers it. choices is how
// many moves are reported where reports are welcome.
func (s *session) think(r *request, next record, choices int) (*job, error) {
	var show *reporter
	if s.settings.detail != 0 {
		now := s.opts.Time.Now()
		show = &reporter{out: s.out, detail: s.settings.detail, size: next.size, choices: choices, time: s.opts.Time,
			began: now}
	}
	return s.judge(r, next, choices, show, func(found *engine.Answer) {
		s.record, s.replied = next.put(found.Move, true), true
		if show != nil {
			show.report(found)
			show.end()
		}
		s.out.printf("%s", FormatCell(next.size, found.Move))
	})
}

// pondered returns the position that the engine may think about during the
// opponent's turn, nil if there is none or the client wants none.
func (s *session) pondered() *gomoku.Board {
	if !s.replied || !s.settings.ponder || s.engine == nil {
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
