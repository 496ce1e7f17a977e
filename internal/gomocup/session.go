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

// line is a line of input with the time at which it was read.
type line struct {
	text    string
	number  int // of the line, from 1
	read    int // number of the read of the input that it came in
	arrival time.Time
	broken  bool // longer than any command; text is its beginning
}

// request is a command that a session carries out.
type request struct {
	command
	line
	rules gomoku.Rules // of the game
	rows  [][]int      // numbers of the lines of a block
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
	ignored  string // the command whose lines are ignored, up to DONE or another command
	stale    bool   // the engine has not seen the latest settings
	replied  bool   // the last command was answered with a move
}

func newSession(open Open, opts Options, out *output) *session {
	return &session{opts: opts, open: open, out: out, commands: commands(), settings: settings{timing: newTiming()}}
}

// handle carries out a line and returns the job that it leads to, nil for none.
func (s *session) handle(l line) *job {
	c := parseCommand(l.text)
	switch {
	case l.broken:
		s.out.errorf("a line of more than %d bytes", longestLine)
		return nil
	case c.verb == "" || s.ignore(c):
		return nil
	}
	j, err := s.carryOut(c, l)
	if err != nil {
		s.out.errorf("%v", err)
	}
	return j
}

// carryOut carries out a command, or takes the line of a block that it is.
func (s *session) carryOut(c command, l line) (*job, error) {
	known, ok := s.commands[c.verb]
	switch b := s.block; {
	case b != nil && c.verb == "DONE":
		s.block = nil
		return s.finish(b, l)
	case b != nil && !ok:
		b.add(l.text)
		return nil, nil
	case b != nil:
		if s.block = nil; !known.begins {
			s.out.errorf("%s without DONE; it was given up at %s", b.verb, c.verb)
		}
	}
	s.yixin = s.yixin || c.yixin()
	s.replied = s.replied && (known.calm || !ok && idle(c))
	switch {
	case c.verb == "DONE":
		return nil, errors.New("DONE without BOARD")
	case known.block != "":
		return s.openBlock(&block{command: c, form: known.block}, l)
	case ok:
		return s.run(known, &request{command: c, line: l})
	}
	s.unknown(c)
	return nil, nil
}

// run runs a command in a game, if it needs one.
func (s *session) run(known spec, r *request) (j *job, err error) {
	if known.game {
		if r.rules, err = s.ready(); err != nil {
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

// openBlock begins a block. Some clients send all of it on one line.
func (s *session) openBlock(b *block, l line) (*job, error) {
	s.block = b
	for _, text := range strings.Fields(b.args) {
		if strings.EqualFold(text, "DONE") {
			s.block = nil
			return s.finish(b, l)
		}
		b.add(text)
	}
	return nil, nil
}

func (s *session) finish(b *block, l line) (*job, error) {
	if b.fault != nil {
		return nil, b.fault
	}
	return s.run(s.commands[b.verb], &request{command: b.command, line: l, rows: b.rows})
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
		_ = s.configure(rules.Name, s.record.size, true)
	}
	return true
}

// configure has the engine be one for the settings.
func (s *session) configure(rule string, size int, hurry bool) (err error) {
	want := s.wanted(rule, size)
	want.Hurry = hurry
	s.engine, err = s.open(want)
	return err
}

// ask has the engine think and checks what it says. The clock of the limits is
// that of the arrival of a line; the engine gets what is left of it.
func (s *session) ask(ctx context.Context, board *gomoku.Board, limits engine.Limits,
	arrival time.Time) (*engine.Answer, error) {
	if err := s.configure(board.Rules().Name, board.Size(), limits.Clock.Limited()); err != nil {
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

// job returns the job of a request: find searches, and what it returns answers.
func (s *session) job(r *request, end time.Time, find func(ctx context.Context) (answer func(), err error)) *job {
	return &job{end: end, run: func(ctx context.Context) func() {
		answer, err := find(ctx)
		return func() {
			s.settings.spend(s.opts.Time.Now().Sub(r.arrival))
			if err != nil {
				s.out.errorf("%v", err)
				return
			}
			answer()
		}
	}}
}

// judge returns the job that has the engine, which is to move in next, judge so many of
// its moves (0: one), has show report them (nil: nothing does) and answer say what it found.
func (s *session) judge(r *request, next record, lines int, show *reporter,
	answer func(*gomoku.Board, *engine.Answer)) (*job, error) {
	board, err := next.open(r.rules, next.own)
	if err != nil {
		return nil, err
	}
	limits, end := s.bounds(next, r.arrival)
	limits.Lines = lines
	if show != nil {
		limits.Report = show.report
	}
	return s.job(r, end, func(ctx context.Context) (func(), error) {
		found, err := s.ask(ctx, board, limits, r.arrival)
		return func() { answer(board, found) }, err
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
	return s.judge(r, next, choices, show, func(_ *gomoku.Board, found *engine.Answer) {
		s.record, s.replied = next.mustWith(found.Move, true), true
		if show != nil {
			show.report(found)
			show.end()
		}
		s.out.printf("%s", FormatCell(next.size, found.Move))
	})
}

// bounds returns the limits of a search in r, with the clock, and when it has to
// end: an engine that keeps the clock ends before.
func (s *session) bounds(r record, arrival time.Time) (engine.Limits, time.Time) {
	limits, end := s.settings.bounds(arrival, &s.opts)
	if !end.IsZero() {
		limits.Clock = s.settings.clock()
		limits.Clock.Moves = r.count(true)
		end = arrival.Add(latest(limits.Clock))
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
