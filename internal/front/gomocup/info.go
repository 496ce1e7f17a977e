package gomocup

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

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
