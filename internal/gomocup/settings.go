package gomocup

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// settings are what a client's INFO lines said.
type settings struct {
	timing
	nodes   int  // exact budget of a move; 0: none
	endless bool // no limit, as boards of the Yixin family say
	depth   int  // plies; 0: no bound
	mask    int  // rule
	memory  int64
	table   int64
	threads int
	detail  detail
	ponder  bool // thinking during the opponent's turn is welcome
}

// maxNodes bounds a budget.
const maxNodes = 1 << 30

// mostDepth bounds max_depth.
const mostDepth = 1000

// mostThreads bounds thread_num.
const mostThreads = 1024

// endlessLeft is the time_left, in milliseconds, of a game without a limit.
const endlessLeft = math.MaxInt32

// set takes one INFO line's key and value. Keys that say nothing to this engine
// are accepted with any value. On an error nothing has changed.
func (s *settings) set(key, value string) error {
	key = strings.ToLower(key)
	if !numeric(key) {
		return nil
	}
	n, err := number(value)
	if err != nil {
		return fmt.Errorf("INFO %s %q: want a whole number", key, excerpt(value))
	}
	if n < 0 && key == "rule" {
		return fmt.Errorf("INFO %s %d: want 0 or more", key, n)
	}
	switch key {
	case "timeout_turn":
		s.turn = milliseconds(n)
		if n < 0 {
			s.turn = unlimited
		}
		s.open = n < 0
	case "timeout_match":
		s.setMatch(n)
	case "time_left":
		s.left = milliseconds(n)
		if n >= endlessLeft {
			s.left = unlimited
		}
	case "time_increment":
		s.increment = milliseconds(max(n, 0))
	case "max_node":
		s.nodes = int(min(max(n, 0), maxNodes))
		s.endless = n < 0
	case "max_depth":
		s.depth = int(min(max(n, 0), mostDepth))
	case "rule":
		s.mask = int(min(n, math.MaxInt32))
	case "max_memory":
		s.memory = max(n, 0)
	case "hash_size":
		s.table = max(min(n, math.MaxInt64>>10), 0) << 10
	case "thread_num":
		s.threads = int(min(max(n, 0), mostThreads))
	case "show_detail":
		s.detail = 0
		if 0 <= n && n <= int64(realtime|fields) {
			s.detail = detail(n)
		}
	case "pondering":
		s.ponder = n > 0
	}
	return nil
}

// numeric reports whether set reads the value of a key.
func numeric(key string) bool {
	switch key {
	case "timeout_turn", "timeout_match", "time_left", "time_increment", "max_node", "max_depth", "rule", "max_memory",
		"hash_size", "thread_num", "show_detail", "pondering":
		return true
	}
	return false
}

func (s *settings) setMatch(n int64) {
	s.free = n <= 0
	s.match = milliseconds(n)
	if s.free {
		s.match = unlimited
	}
	s.left = s.match
}

// number reads a whole number; one that is too large or small for its type
// becomes the largest or smallest there is.
func number(text string) (int64, error) {
	first, _ := cutWord(text)
	n, err := strconv.ParseInt(first, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return n, nil
	}
	return n, err
}

// longest duration that a client can name, far from overflow.
const longest = 1 << 50

func milliseconds(n int64) time.Duration {
	const most = int64(longest / time.Millisecond)
	return time.Duration(max(min(n, most), -most)) * time.Millisecond
}

// bounds returns the limits of a move that arrived at a time, without the
// client's clock, and when its search has to end, the zero time for never. Nodes
// or time are bounded unless the client wants the search to go on until YXSTOP.
func (s *settings) bounds(arrival time.Time, o *Options) (l engine.Limits, end time.Time) {
	l = engine.Limits{Nodes: int64(s.nodes), Depth: s.depth, Seed: o.Seed}
	if l.Depth == 0 {
		l.Depth = o.Depth
	}
	if s.turn == 0 && s.nodes == 0 {
		l.Nodes = int64(o.Quick)
		return l, time.Time{}
	}
	c := s.clock()
	budget := c.Anytime().Hard
	switch {
	case c.Limited() && budget < shortest:
		l.Nodes = 1
	case c.Limited():
		return l, arrival.Add(budget)
	case s.nodes == 0 && !s.untilStop():
		l.Nodes = int64(o.Nodes)
	}
	return l, time.Time{}
}

// untilStop reports whether a search for which nothing is bounded goes on until
// YXSTOP, because the client has said so: by numbers without end for both times,
// with as many nodes as there are, or by times below zero.
func (s *settings) untilStop() bool {
	return s.timing.beyond() && s.endless || s.open && s.free
}

// Bits of "INFO rule".
const (
	ruleExact      = 1
	ruleContinuous = 2
	ruleRenju      = 4
	ruleCaro       = 8
)

// RuleMask returns the number by which the protocol names a rule set, and false
// if it has none.
func RuleMask(name string) (int, bool) {
	switch name {
	case "freestyle":
		return 0, true
	case "standard":
		return ruleExact, true
	case "renju":
		return ruleRenju, true
	case "caro-overline":
		return ruleCaro, true
	case "caro":
		return ruleCaro | ruleExact, true
	}
	return 0, false
}

// Rules returns the names of the rule sets that the protocol has.
func Rules() []string { return []string{"freestyle", "standard", "renju", "caro", "caro-overline"} }

// ruleName returns the rule set that a mask stands for. To boards of the Yixin
// family 2 is renju.
func ruleName(mask int, yixin bool) (string, error) {
	switch mask {
	case 0:
		return "freestyle", nil
	case ruleExact:
		return "standard", nil
	case ruleRenju:
		return "renju", nil
	case ruleCaro:
		return "caro-overline", nil
	case ruleCaro | ruleExact:
		return "caro", nil
	}
	switch {
	case mask == ruleContinuous && yixin:
		return "renju", nil
	case mask&ruleContinuous != 0:
		return "", fmt.Errorf("rule %d: continuous games are not supported; use rule 0 (freestyle), 1 (standard), 4 (renju), 8 (caro with overlines) or 9 (caro)", mask)
	}
	return "", fmt.Errorf("rule %d is not supported; use rule 0 (freestyle), 1 (standard), 4 (renju), 8 (caro with overlines) or 9 (caro)", mask)
}

// Cell returns the cell of column x from the left and row y from the top, both
// counted from zero.
func Cell(size, x, y int) (game.Move, error) {
	if x < 0 || y < 0 || x >= size || y >= size {
		return game.NoMove, fmt.Errorf("%d,%d is off the board; coordinates are 0,0 to %d,%d", x, y, size-1, size-1)
	}
	return game.Move((size-1-y)*size + x), nil
}

// Point returns the column from the left and the row from the top of a cell.
func Point(size int, m game.Move) (x, y int) {
	return int(m) % size, size - 1 - int(m)/size
}

// FormatCell returns a cell as "x,y".
func FormatCell(size int, m game.Move) string {
	x, y := Point(size, m)
	return fmt.Sprintf("%d,%d", x, y)
}

// ParseCell reads "x,y".
func ParseCell(size int, text string) (game.Move, error) {
	n, err := numbers(text, "x,y")
	if err != nil {
		return game.NoMove, err
	}
	return Cell(size, n[0], n[1])
}

// numbers reads whole numbers that commas separate, as many as want names.
func numbers(text, want string) ([]int, error) {
	fields := strings.Split(text, ",")
	if len(fields) != strings.Count(want, ",")+1 {
		return nil, fmt.Errorf("%q: want %s", excerpt(text), want)
	}
	list := make([]int, len(fields))
	for i, f := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil {
			return nil, fmt.Errorf("%q: want %s", excerpt(text), want)
		}
		list[i] = n
	}
	return list, nil
}

// Settings are what a client may ask of an engine beyond a move.
type Settings struct {
	Rule    string // name of the rule set
	Size    int    // side length of the board
	Memory  int64  // bytes that the program may use; 0: no limit was named
	Table   int64  // bytes for what is remembered of searches; 0: no number was named
	Threads int    // 0: no number was named

	// Hurry says that a clock runs or may run soon: what can wait, such as the memory
	// of a larger table, is left to the engine's Settle, if it is a Settler.
	Hurry bool
}

// Settler is an engine that postpones a part of what new settings ask for until no client
// waits.
type Settler interface {
	// Settle goes on with that. It returns soon when ctx ends.
	Settle(ctx context.Context)
}

// Open returns an engine for games under the settings. It may take a while if
// they changed, and otherwise returns the engine of before, which is no longer
// used after any other call. An error, such as that of a network that is
// missing, is sent to the client in one line, and there are no searches until
// a later call succeeds. What a first Think would have to set up belongs here:
// it may take as long as a client waits for the answer to START.
type Open func(Settings) (engine.Engine, error)

// Boards ask for more memory than there is: the largest number that one offers is
// 64 GiB. What is more than the machine has becomes what it has.

// assumedMemory is what a machine that tells nothing is taken to have.
const assumedMemory = 2 << 30

// tableShare is the part of the memory that what is remembered of searches may
// take; the rest is for the network, the runtime, and other programs.
const tableShare = 2

// mostTable bounds what is remembered of searches, in bytes, on any machine: it is
// cleared for every game, which takes time.
const mostTable = 2 << 30

// mostMemory returns the bytes that the program may use: what the client named,
// at most what the machine has.
func (s *session) mostMemory() int64 {
	if s.settings.memory > 0 {
		return min(s.settings.memory, s.opts.Memory)
	}
	return s.opts.Memory
}

// wanted returns the settings of the engine for a game under rules on a board.
func (s *session) wanted(rules string, size int) Settings {
	return Settings{
		Rule:    rules,
		Size:    size,
		Memory:  min(s.settings.memory, s.opts.Memory),
		Table:   min(s.settings.table, s.mostTable()),
		Threads: min(s.settings.threads, s.opts.Threads),
	}
}

// mostTable returns the bytes that what is remembered of searches may take.
func (s *session) mostTable() int64 { return min(s.mostMemory()/tableShare, mostTable) }

// mostHash returns the largest table that a board should offer, in its terms: the
// logarithm to base 2 of a number of KiB.
func (s *session) mostHash() int {
	return bits.Len64(uint64(min(s.opts.Memory/tableShare, mostTable))>>10) - 1
}

// unlimited is a duration that sets no limit.
const unlimited = time.Duration(math.MaxInt64)

// From these limits on, both together, a Yixin board means no limit.
const (
	yixinTurn  = 2_000_000 * time.Millisecond
	yixinMatch = 100_000_000 * time.Millisecond
)

const (
	// lag is kept back of any limit by all means: the last evaluation, the way of
	// the answer to the client, and a busy machine.
	lag = 30 * time.Millisecond

	// shortest is the least budget; with less, no time is left.
	shortest = 2 * time.Millisecond
)

// timing is what a client said about time. Durations are not negative unless
// noted, and unlimited where there is no limit.
type timing struct {
	turn      time.Duration // for a move; 0: as fast as possible
	match     time.Duration // for the game
	free      bool          // the client said that the game has no limit
	open      bool          // the client said that a move has none
	left      time.Duration // of the game's time; may be negative
	increment time.Duration // added to it after each move

	// slack is taken off the limit of a move: by so much the last moves came
	// too late, on a machine that lets this program wait.
	slack time.Duration
}

// newTiming returns the timing of a client that said nothing.
func newTiming() timing { return timing{turn: unlimited, match: unlimited, left: unlimited} }

// restart begins a new game's clock.
func (t *timing) restart() { t.left = t.match }

// spend takes the time of a move off the clock; a client that sends time_left
// corrects it. It notes how late the move was.
func (t *timing) spend(d time.Duration) {
	if t.slack -= t.slack / 4; t.slack < time.Millisecond {
		t.slack = 0
	}
	if turn, _ := t.limits(); turn != unlimited && turn > 0 {
		t.slack = min(max(t.slack, d-t.turn+lag/2), t.turn/2)
	}
	if t.left != unlimited {
		t.left += t.increment - d
	}
}

// limits returns the limits on the move and on the rest of the game, unlimited
// for none. A turn of 0 means as fast as possible.
func (t *timing) limits() (turn, left time.Duration) {
	turn, left = t.turn, t.left
	if t.free {
		left = unlimited
	}
	if t.beyond() {
		return unlimited, unlimited
	}
	if turn != unlimited {
		turn = max(turn-t.slack, turn/2)
	}
	return turn, left
}

// beyond reports whether the limits are those by which boards mean none.
func (t *timing) beyond() bool {
	return t.turn >= yixinTurn && t.match >= yixinMatch && t.turn != unlimited && t.match != unlimited
}

// clock returns the client's clock as an engine reads it, when a move begins. A turn of 0
// means no limit.
func (t *timing) clock() engine.Clock {
	turn, left := t.limits()
	c := engine.Clock{Timekeeper: engine.Manager}
	if turn != unlimited {
		c.Turn = turn
	}
	if left != unlimited {
		c.Left, c.Increment = max(left, 1), t.increment
	}
	return c
}

// latest returns when an engine has to be stopped that keeps a clock, from when
// the move began.
func latest(c engine.Clock) time.Duration {
	most := unlimited
	for _, limit := range []time.Duration{c.Turn, c.Left} {
		if limit > 0 {
			most = min(most, limit-min(lag, limit/2))
		}
	}
	return most
}
