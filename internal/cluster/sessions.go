package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// work is what a worker says of itself every few seconds. The first one begins its session, or
// resumes one that the coordinator does not know, since it has begun after the worker.
type work struct {
	Session string `json:"session"` // random
	Name    string `json:"name"`
	Kind    string `json:"kind"`            // of its machine
	Local   bool   `json:"local,omitempty"` // it is inside the coordinator
	Config  string `json:"config"`          // digest of what it plays
	Games   []int  `json:"games"`           // that were dealt to it and are not stored
	Room    int    `json:"room"`            // for more games
	Counted counts `json:"counted"`
}

// counts are a worker's totals in a run.
type counts struct {
	Evals uint64 `json:"evals"`
	Hits  uint64 `json:"cache_hits"`
	Nodes int64  `json:"nodes"`
}

// answer is the answer to work and results.
type answer struct {
	Refused string        `json:"refused,omitempty"` // why; the worker ends
	Again   string        `json:"again,omitempty"`   // why; the worker sends it again later
	Over    bool          `json:"over,omitempty"`    // the run has ended
	Changed bool          `json:"changed,omitempty"` // what is played has; the worker asks for it
	Beat    time.Duration `json:"beat,omitempty"`    // after which the worker is to be heard again
	Tasks   []Task        `json:"tasks,omitempty"`
}

// good reports whether a result was stored.
func (a *answer) good() bool { return a.Refused == "" && a.Again == "" }

// Task is a game to be played, by the network that plays its shard.
type Task struct {
	Game    int              `json:"game"`
	Network samples.PlayedBy `json:"network,omitzero"`
}

// session is a connected worker.
type session struct {
	work
	heard  time.Time
	games  map[int]time.Time // dealt to it, and when
	stored int

	checked bool
	first   []byte // its first game, until it was played again and compared
	firstID int
	checker *session // what plays that, nil if nothing does yet
}

// onWork answers a worker that says what it is playing, and deals games to it.
func (c *Coordinator) onWork(w work) answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[w.Session]
	if s != nil {
		c.summary.Stats.Evals += w.Counted.Evals - s.Counted.Evals
		c.summary.Stats.Hits += w.Counted.Hits - s.Counted.Hits
		c.summary.Nodes += w.Counted.Nodes - s.Counted.Nodes
	}
	switch why := c.refused[w.Session]; {
	case why != "":
		return answer{Refused: why}
	case c.closed:
		return answer{Again: errEnded}
	case c.over || w.Config != c.sum:
		c.drop(s)
		return answer{Over: c.over, Changed: !c.over}
	case s == nil:
		s = &session{games: map[int]time.Time{}, checked: w.Local}
		c.sessions[w.Session] = s
		c.o.Log.Info("a worker has come", "worker", w.Name, "kind", w.Kind)
	}
	s.work, s.heard = w, c.o.Now()
	c.match(s)
	tasks, err := c.deal(s)
	if err != nil {
		c.fail(err)
		return answer{Again: err.Error()}
	}
	return answer{Beat: c.o.Silent / 4, Tasks: tasks}
}

// match takes over from a worker which games it has: an answer that dealt some may be lost,
// and the coordinator may have begun after they were dealt.
func (c *Coordinator) match(s *session) {
	has := map[int]bool{}
	for _, id := range s.Games {
		if has[id] = true; id >= 0 && id < c.plan.Games && !c.out.Done(id) {
			c.give(s, id)
		}
	}
	for id := range s.games {
		if !has[id] {
			c.release(s, id)
		}
	}
}

// give notes that a session has a game.
func (c *Coordinator) give(s *session, id int) {
	if _, there := s.games[id]; !there {
		s.games[id] = c.o.Now()
		c.dealt[id]++
	}
}

// release notes that a session does not have a game any more.
func (c *Coordinator) release(s *session, id int) {
	if _, there := s.games[id]; !there {
		return
	}
	delete(s.games, id)
	if c.dealt[id]--; c.dealt[id] == 0 {
		delete(c.dealt, id)
		if !c.out.Done(id) {
			c.next = min(c.next, id)
		}
	}
	for _, t := range c.sessions {
		if t.checker == s && t.firstID == id {
			t.checker = nil
		}
	}
}

// deal gives a session games: first games of others of its kind to be checked, then as many
// as it has room for, and if none are left one that another has had for long.
func (c *Coordinator) deal(s *session) (tasks []Task, err error) {
	add := func(id int) error {
		by, err := c.assign.Of(id)
		if err == nil {
			tasks = append(tasks, Task{id, by})
			c.give(s, id)
		}
		return err
	}
	checks := s.checked || !c.any(s, func(t *session) bool { return t.checked })
	for _, t := range c.sessions {
		_, has := s.games[t.firstID]
		if checks && !has && t != s && t.Kind == s.Kind && t.first != nil && t.checker == nil {
			t.checker = s
			if err := add(t.firstID); err != nil {
				return nil, err
			}
		}
	}
	for ; c.next < c.plan.Games && s.Room > 0; c.next++ {
		if c.dealt[c.next] == 0 && !c.out.Done(c.next) {
			s.Room--
			if err := add(c.next); err != nil {
				return nil, err
			}
		}
	}
	if id := c.slowest(s); s.Room > 0 && id >= 0 {
		err = add(id)
	}
	return tasks, err
}

// slowest returns the game that another session alone has had for the longest time, at least
// Slow; -1 if there is none.
func (c *Coordinator) slowest(s *session) int {
	slowest, oldest := -1, c.o.Now().Add(-c.o.Slow)
	for _, t := range c.sessions {
		for id, since := range t.games {
			if t != s && c.dealt[id] == 1 && !since.After(oldest) && !c.out.Done(id) {
				slowest, oldest = id, since
			}
		}
	}
	return slowest
}

// broken is what a worker says of a network that gave results that are not finite.
type broken struct {
	Config string `json:"config"` // digest of what it plays
	SHA256 string `json:"sha256"`
	Why    string `json:"why"`
}

// onBroken ends what was dealt before, so that the network's shards are played again.
func (c *Coordinator) onBroken(b broken) answer {
	if b.Config == c.sum {
		c.fail(selfplay.NewBrokenNetwork(b.SHA256, b.Why))
	}
	return answer{}
}

// fail ends the run with an error, unless another one does.
func (c *Coordinator) fail(err error) {
	select {
	case c.failed <- err:
	default:
	}
}

// onLeave ends a session.
func (c *Coordinator) onLeave(session string) answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(c.sessions[session])
	return answer{}
}

// dropSilent ends the sessions that were not heard for long.
func (c *Coordinator) dropSilent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		if c.o.Now().Sub(s.heard) >= c.o.Silent {
			c.drop(s)
		}
	}
}

// drop ends a session, whose games are dealt again.
func (c *Coordinator) drop(s *session) {
	if s == nil {
		return
	}
	for id := range s.games {
		c.release(s, id)
	}
	delete(c.sessions, s.Session)
	c.o.Log.Info("a worker has gone", "worker", s.Name, "stored", s.stored)
}

// refuse ends a session for good.
func (c *Coordinator) refuse(s *session, why string) answer {
	c.refused[s.Session] = why
	c.o.Log.Warn("a worker is refused", "worker", s.Name, "why", why)
	c.drop(s)
	return answer{Refused: why}
}

// errEnded tells a worker to wait for the next coordinator.
const errEnded = "the coordinator has ended"

// The headers of a message with a result: its session, and the digest of what that plays.
const (
	sessionHeader = "session"
	configHeader  = "config"
)

// onResult replays a game through the rules and has it stored.
func (c *Coordinator) onResult(msg *nats.Msg, codec samples.Codec) answer {
	a := arrival{session: msg.Header.Get(sessionHeader), answer: make(chan answer, 1)}
	if msg.Header.Get(configHeader) != c.sum {
		return answer{Changed: true}
	}
	err := c.replay(&a, msg.Data, codec)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if s := c.sessions[a.session]; s != nil {
			return c.refuse(s, "its result is wrong: "+err.Error())
		}
		return answer{Again: "the session is not known"}
	}
	select {
	case c.arrivals <- a:
	case <-c.ended:
		return answer{Again: errEnded}
	}
	select {
	case done := <-a.answer:
		return done
	case <-c.ended:
		return answer{Again: errEnded}
	}
}

// replay reads a result and checks that it is a game of the run that follows the rules.
func (c *Coordinator) replay(a *arrival, packed []byte, codec samples.Codec) (err error) {
	if a.bytes, err = c.unpack.DecodeAll(packed, nil); err != nil {
		return err
	}
	if a.record, err = samples.DecodeRecord(a.bytes, c.plan.Layout); err != nil {
		return err
	}
	if a.record.Game.ID >= uint64(c.plan.Games) {
		return errors.New("it is no game of the run")
	}
	var by samples.PlayedBy
	c.mu.Lock()
	if n := c.out.Networks(); n != nil {
		by, _ = n.Of(int(a.record.Game.ID))
	}
	c.mu.Unlock()
	if found := samples.CheckRecord(&c.plan, by, codec, a.record); len(found) > 0 {
		return fmt.Errorf("game %d: %s", a.record.Game.ID, found[0])
	}
	return nil
}

// accept returns a good answer if the game of a session is to be stored. The games of one
// that was not checked yet have to wait.
func (c *Coordinator) accept(a *arrival, s *session) answer {
	if why := c.refused[a.session]; why != "" {
		return answer{Refused: why}
	}
	if s == nil {
		return answer{Again: "the session is not known"}
	}
	c.compare(a, s)
	switch why := c.refused[a.session]; {
	case why != "":
		return answer{Refused: why}
	case s.checked:
		return answer{}
	}
	if s.Kind != c.o.Kind && !c.any(s, func(*session) bool { return true }) {
		c.o.Log.Warn("nothing checks this worker: neither another one nor the coordinator is of its kind",
			"worker", s.Name, "kind", s.Kind)
		s.checked, s.first = true, nil
		return answer{}
	}
	if s.first == nil {
		s.first, s.firstID = a.bytes, int(a.record.Game.ID)
	}
	return answer{Again: "its first game is being played again"}
}

// any reports whether there is another session of a session's kind with a property.
func (c *Coordinator) any(s *session, has func(*session) bool) bool {
	for _, t := range c.sessions {
		if t != s && t.Kind == s.Kind && has(t) {
			return true
		}
	}
	return false
}

// compare compares a game that a session has played again with what other sessions sent. Two
// machines that agree are both right. Of two that do not, the one whose first game it is is
// refused, and so is the other unless it was checked before.
func (c *Coordinator) compare(a *arrival, s *session) {
	for _, t := range c.sessions {
		switch {
		case t.checker != s || t.firstID != int(a.record.Game.ID):
		case bytes.Equal(t.first, a.bytes):
			t.checked, t.first, t.checker = true, nil, nil
			s.checked, s.first, s.checker = true, nil, nil
		default:
			why := fmt.Sprintf("game %d is another one on %s than on %s: one of the machines is faulty",
				t.firstID, s.Name, t.Name)
			c.refuse(t, why)
			if !s.checked {
				c.refuse(s, why)
			}
		}
	}
}
