package gomocup

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// stone is a stone on the board.
type stone struct {
	cell game.Move
	own  bool
}

// record is a game as the client told it: a value that is copied, changed and
// put in the place of the old one once a command has turned out to be good.
type record struct {
	size   int       // 0: no game was started
	own    game.Side // the engine's; First as long as nothing says otherwise
	stones []stone
}

// errOver wraps the reason why there is no move to find.
var errOver = errors.New("the game is over")

// with returns a copy that holds one more stone.
func (r record) with(cell game.Move, own bool) (record, error) {
	if slices.ContainsFunc(r.stones, func(s stone) bool { return s.cell == cell }) {
		return r, fmt.Errorf("%s is taken; choose an empty point", FormatCell(r.size, cell))
	}
	r.stones = append(slices.Clip(r.stones), stone{cell, own})
	return r, nil
}

// without returns a copy without the stone on a cell.
func (r record) without(cell game.Move) (record, error) {
	i := slices.IndexFunc(r.stones, func(s stone) bool { return s.cell == cell })
	if i < 0 {
		return r, fmt.Errorf("there is no stone on %s", FormatCell(r.size, cell))
	}
	r.stones = slices.Delete(slices.Clone(r.stones), i, i+1)
	if len(r.stones) == 0 {
		r.own = game.First
	}
	return r, nil
}

// count returns the number of the engine's stones, or of the opponent's.
func (r *record) count(own bool) int {
	n := 0
	for _, s := range r.stones {
		if s.own == own {
			n++
		}
	}
	return n
}

// settle decides the engine's side by the count of stones, the engine being to
// move.
func (r *record) settle() {
	r.own = game.First
	if r.count(true) < r.count(false) {
		r.own = game.Second
	}
}

// board returns the position with side to move.
func (r *record) board(rules gomoku.Rules, side game.Side) (*gomoku.Board, error) {
	setup := gomoku.Setup{Stones: make([]gomoku.Stone, r.size*r.size), ToMove: side}
	for _, s := range r.stones {
		owner := r.own
		if !s.own {
			owner = owner.Other()
		}
		setup.Stones[s.cell] = gomoku.StoneOf(owner)
	}
	return gomoku.NewSetup(rules, r.size, setup)
}

// open returns the position with side to move, and errOver if nothing is to be
// played there.
func (r *record) open(rules gomoku.Rules, side game.Side) (*gomoku.Board, error) {
	b, err := r.board(rules, side)
	if err != nil {
		return nil, err
	}
	switch b.Outcome() {
	case game.Undecided:
		return b, nil
	case game.Draw:
		return nil, fmt.Errorf("%w: a draw (%s)", errOver, b.Reason())
	case game.WinFor(r.own):
		return nil, fmt.Errorf("%w: this engine has won (%s)", errOver, b.Reason())
	}
	return nil, fmt.Errorf("%w: the opponent has won (%s)", errOver, b.Reason())
}

// play returns the record after a move that must be legal.
func (r record) play(rules gomoku.Rules, cell game.Move, own bool) (record, error) {
	next, err := r.with(cell, own)
	if err != nil {
		return r, err
	}
	side := r.own
	if !own {
		side = side.Other()
	}
	b, err := r.open(rules, side)
	if err != nil {
		return r, err
	}
	if !b.Legal(cell) {
		return r, fmt.Errorf("%s is forbidden to %s under %s", FormatCell(r.size, cell), colour(side), rules.Name)
	}
	return next, nil
}

func colour(s game.Side) string {
	if s == game.First {
		return "black"
	}
	return "white"
}

// block is a list of stones that a client is sending.
type block struct {
	command command // that opened it
	rows    [][]int // numbers of the lines so far
	fault   error   // the first thing wrong with it
}

// mostRows is as many lines as a block can have.
const mostRows = gomoku.MaxSize * gomoku.MaxSize

// add takes a line of the block.
func (b *block) add(text string) {
	form := "x,y,field"
	if b.command.verb == "SWAP2BOARD" || b.command.soosorv() {
		form = "x,y"
	}
	row, err := numbers(text, form)
	switch {
	case b.fault != nil:
	case err != nil:
		b.fault = fmt.Errorf("%s line %d: %w", b.command.verb, len(b.rows)+1, err)
	case len(b.rows) == mostRows:
		b.fault = fmt.Errorf("%s: more stones than a board can hold", b.command.verb)
	default:
		b.rows = append(b.rows, row)
	}
}

// openBlock begins a block. Some clients send all of it on one line.
func (s *session) openBlock(c command, l line) (*job, error) {
	s.block = &block{command: c}
	if c.soosorv() {
		return nil, nil // a number may follow, but no stones
	}
	for _, text := range strings.Fields(c.args) {
		if strings.EqualFold(text, "DONE") {
			b := s.block
			s.block = nil
			return s.finishBlock(b, l)
		}
		s.block.add(text)
	}
	return nil, nil
}

// continueBlock takes a line while a block is open. It returns lost if the line
// is a command that cannot stand there: the block is given up, and the command
// is still to be carried out. That is a mistake, but none to tell a client that
// starts afresh and waits for OK.
func (s *session) continueBlock(c command, l line) (j *job, lost bool) {
	switch {
	case c.verb == "DONE":
		b := s.block
		s.block = nil
		j, err := s.finishBlock(b, l)
		if err != nil {
			s.out.errorf("%v", err)
		}
		return j, false
	case c.known():
		if !c.begins() {
			s.out.errorf("%s without DONE; it was given up at %s", s.block.command.verb, c.verb)
		}
		s.block = nil
		return nil, true
	}
	s.block.add(l.text)
	return nil, false
}

func (s *session) finishBlock(b *block, l line) (*job, error) {
	if b.fault != nil {
		return nil, b.fault
	}
	rules, err := s.ready()
	if err != nil {
		return nil, err
	}
	switch {
	case b.command.verb == "SWAP2BOARD":
		return s.swap2(rules, b.rows, l)
	case b.command.soosorv():
		return s.soosorvStep(b.command, rules, b.rows, l)
	}
	next := record{size: s.record.size}
	for i, row := range b.rows {
		if next, err = next.withRow(row); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", b.command.verb, i+1, err)
		}
	}
	next.settle()
	if b.command.verb == "YXBOARD" {
		s.record = next
		return nil, nil
	}
	return s.think(rules, next, l, 1)
}

// Fields of a line of BOARD.
const (
	fieldOwn      = 1
	fieldOpponent = 2
	fieldMark     = 3 // of a winning line or a forbidden point; no stone
)

// withRow returns the record with the stone of a line of BOARD.
func (r record) withRow(row []int) (record, error) {
	cell, err := Cell(r.size, row[0], row[1])
	if err != nil {
		return r, err
	}
	switch row[2] {
	case fieldOwn, fieldOpponent:
		return r.with(cell, row[2] == fieldOwn)
	case fieldMark:
		return r, nil
	}
	return r, fmt.Errorf("field %d: want 1 (own), 2 (opponent) or 3 (a mark)", row[2])
}
