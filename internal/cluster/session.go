package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/internal/bounded"
	"github.com/carozero/carozero/selfplay/samples"
)

// NewSession returns the name of a new session: 128 random bits, which only the worker
// and the coordinator know.
func NewSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Bounds on one session.
const (
	pendingMessages = 64 // that wait for the coordinator; more are lost, and asked again
	pendingBytes    = 2 * maxResult
	rate            = 100 // requests a second
	burst           = 400 // requests at once
	mostFlood       = 20 * burst
	mostStrays      = 1000 // results of games that were not dealt
)

// session is a worker that is here. Its fields but bucket belong to the coordinator's
// goroutine.
type session struct {
	id      string
	peer    *peer
	trusted bool
	heard   time.Time
	tasks   map[int]bool
	last    beat
	sub     *nats.Subscription

	// Of the goroutine that receives the session's messages.
	tokens float64
	filled time.Time
	floods int
	strays int

	flooded atomic.Bool
}

// subscribe begins to answer. Every session has a subscription of its own, whose bounds
// on what waits hurt nobody else.
func (c *Coordinator) subscribe() error {
	for subject, handle := range map[string]nats.MsgHandler{c.group.hello("*"): c.onHello, c.group.status("*"): c.onStatus} {
		sub, err := c.nc.Subscribe(subject, handle)
		if err != nil {
			return err
		}
		if err := sub.SetPendingLimits(4*pendingMessages, 4*pendingMessages*maxControl); err != nil {
			return err
		}
		c.subs = append(c.subs, sub)
	}
	return c.nc.Flush()
}

// unsubscribe stops to answer.
func (c *Coordinator) unsubscribe() {
	for _, s := range c.sessions {
		c.subs = append(c.subs, s.sub)
	}
	for _, sub := range c.subs {
		_ = sub.Unsubscribe() // the connection may be closed
	}
}

// reply answers a request.
func reply(msg *nats.Msg, a any) {
	if data, err := json.Marshal(a); err == nil {
		_ = msg.Respond(data) // who does not hear it asks again
	}
}

// lastToken returns what follows the last dot of a subject.
func lastToken(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// onHello answers the hello of a worker.
func (c *Coordinator) onHello(msg *nats.Msg) {
	var h hello
	id := lastToken(msg.Subject)
	switch {
	case len(msg.Data) > maxHello:
		reply(msg, answer{Refused: fmt.Sprintf("a hello of %d bytes: want at most %d", len(msg.Data), maxHello)})
		return
	case !sessionPattern.MatchString(id) || json.Unmarshal(msg.Data, &h) != nil || len(h.Holding) > maxHolding:
		c.m.refused("garbage")
		reply(msg, answer{Refused: "the hello cannot be read"})
		return
	}
	var a answer
	err := c.do(func() (err error) {
		a, err = c.welcome(id, &h)
		return err
	})
	if err == nil {
		reply(msg, a)
	}
}

// maxHello bounds a hello with all the tasks that a worker may hold, in bytes.
const maxHello = 1 << 20

// refusal returns why a worker cannot play the run, "" if it can.
func (c *Coordinator) refusal(h *hello) string {
	cfg := &c.o.Config
	planes := c.run.Header.Planes.Version
	switch {
	case h.Protocol != Protocol:
		return fmt.Sprintf("protocol %d, the coordinator speaks %d: use the same release on both sides", h.Protocol, Protocol)
	case CheckName(h.Name) != nil:
		return "name " + CheckName(h.Name).Error()
	case h.Version != cfg.Version || h.Commit != cfg.Commit:
		return fmt.Sprintf("carozero %.40s (%.40s), the run is of %s (%s): use the same build on both sides", h.Version, h.Commit, cfg.Version, cfg.Commit)
	case h.Planes != planes:
		return fmt.Sprintf("planes %.40q, the run has %q", h.Planes, planes)
	case h.Model != cfg.ModelSHA256:
		return fmt.Sprintf("network %.12s…, the run has %.12s…", h.Model, cfg.ModelSHA256)
	case h.Run != cfg.Run:
		return fmt.Sprintf("it makes run.json %.12s… of the configuration, the coordinator %.12s…: use the same build on both sides", h.Run, cfg.Run)
	case c.peers[h.Name] != nil && c.peers[h.Name].bad != "":
		return quarantinedText(c.peers[h.Name].bad)
	}
	return ""
}

// welcome begins a session, or goes on with it.
func (c *Coordinator) welcome(id string, h *hello) (answer, error) {
	if h.Protocol == Protocol && h.Config != c.config {
		return answer{Failed: fmt.Sprintf("configuration %.12s…, it is %.12s… now", h.Config, c.config)}, nil
	}
	if why := c.refusal(h); why != "" {
		c.m.refused("hello")
		c.o.Log.Warn("a worker is refused", "worker", fmt.Sprintf("%.40q", h.Name), "why", why)
		return answer{Refused: why}, nil
	}
	p := c.peer(h.Name)
	s := c.sessions[id]
	switch {
	case s != nil && s.peer != p:
		return answer{Refused: "the session has another name"}, nil
	case s == nil && p.session != nil:
		return answer{Failed: fmt.Sprintf("a worker %s is here already: choose another name, or wait until it is taken for lost", h.Name)}, nil
	case s == nil && len(c.sessions) >= c.o.Workers:
		return answer{Failed: fmt.Sprintf("%d workers are here already, as many as may be", len(c.sessions))}, nil
	case s == nil:
		s = &session{id: id, peer: p, tasks: map[int]bool{}, last: h.Counted, trusted: slices.Contains(c.o.Trusted, id), tokens: burst, filled: c.o.Now()}
		sub, err := c.nc.Subscribe(c.group.of(id, "*"), func(msg *nats.Msg) { c.onRequest(s, msg) })
		if err != nil {
			return answer{}, err
		}
		if err := sub.SetPendingLimits(pendingMessages, pendingBytes); err != nil {
			return answer{}, err
		}
		if err := c.nc.Flush(); err != nil {
			return answer{Failed: err.Error()}, nil
		}
		s.sub, p.session = sub, s
		c.sessions[id] = s
		c.o.Log.Info("a worker has come", "worker", p.name)
	}
	s.heard = c.o.Now()
	c.claim(s, h.Holding)
	c.m.workers.Set(float64(len(c.sessions)))
	return answer{Beat: (c.o.Silent / 4).Seconds()}, nil
}

// onRequest answers one request of a session. It runs on the session's own goroutine.
func (c *Coordinator) onRequest(s *session, msg *nats.Msg) {
	if !c.allowed(s) {
		return
	}
	verb := lastToken(msg.Subject)
	if verb == verbResult {
		c.onResult(s, msg)
		return
	}
	var a answer
	err := c.do(func() (err error) {
		a, err = c.request(s, verb, msg.Data)
		return err
	})
	if err == nil {
		reply(msg, a)
	}
}

// request answers what is not a result.
func (c *Coordinator) request(s *session, verb string, data []byte) (answer, error) {
	if s.peer.bad != "" {
		return answer{Refused: quarantinedText(s.peer.bad)}, nil
	}
	if c.sessions[s.id] != s {
		return answer{Failed: errForgotten}, nil
	}
	s.heard = c.o.Now()
	if len(data) > maxControl {
		return answer{}, c.quarantine(s.peer, fmt.Sprintf("a request of %d bytes", len(data)))
	}
	switch verb {
	case verbDeal:
		var a ask
		if json.Unmarshal(data, &a) != nil || a.Room < 0 {
			return answer{}, c.quarantine(s.peer, "a request that cannot be read")
		}
		return c.deal(s, a.Room)
	case verbBeat:
		var b beat
		if json.Unmarshal(data, &b) != nil || min(b.Evals, b.Hits, b.Nodes) < 0 {
			return answer{}, c.quarantine(s.peer, "a beat that cannot be read")
		}
		c.m.beat(s.last, b)
		// One that was asked again may come after a later one.
		s.last = beat{b.UnderWay, max(b.Evals, s.last.Evals), max(b.Hits, s.last.Hits), max(b.Nodes, s.last.Nodes)}
		return answer{}, nil
	case verbBye:
		c.drop(s, "")
		return answer{}, nil
	}
	return answer{Refused: "no such request"}, nil
}

// errForgotten is what a session is told that must say hello again.
const errForgotten = "say hello again"

// allowed reports whether a session may ask again, and counts. One that floods is not
// answered, and in the end quarantined.
func (c *Coordinator) allowed(s *session) bool {
	now := c.o.Now()
	s.tokens = min(burst, s.tokens+rate*now.Sub(s.filled).Seconds())
	s.filled = now
	if s.tokens >= 1 {
		s.tokens--
		return true
	}
	c.m.refused("flood")
	if s.floods++; s.floods == mostFlood {
		s.flooded.Store(true)
		_ = c.do(func() error {
			return c.quarantine(s.peer, fmt.Sprintf("a flood of more than %d requests a second", rate))
		})
	}
	return false
}

// onResult replays what came through the rules, on the session's own goroutine, and hands
// it on.
func (c *Coordinator) onResult(s *session, msg *nats.Msg) {
	records, err := c.check(msg.Data, c.knownBy)
	if err != nil {
		c.m.refused("false")
		_ = c.do(func() error { return c.quarantine(s.peer, "a result that is none: "+err.Error()) })
		reply(msg, answer{Refused: quarantinedText(err.Error())})
		return
	}
	answered := make(chan answer, 1)
	select {
	case c.arrivals <- arrival{s, records, func(a answer) { answered <- a }}:
	case <-c.ended:
		return
	}
	select {
	case a := <-answered:
		if a.Refused != "" {
			if s.strays++; s.strays == mostStrays {
				_ = c.do(func() error { return c.quarantine(s.peer, "too many games that were not dealt to it") })
			}
			a = answer{Failed: errForgotten}
		}
		reply(msg, a)
	case <-c.ended:
	}
}

// knownBy returns what plays a game that was dealt.
func (c *Coordinator) knownBy(id int) samples.PlayedBy {
	if n := c.out.Networks(); n != nil {
		by, _ := n.Of(id)
		return by
	}
	return samples.PlayedBy{}
}

// drop ends a session: its tasks are handed on, its window is audited. One that is
// quarantined is told so when it says hello again, unless it has flooded: then it is not
// let in any more.
func (c *Coordinator) drop(s *session, why string) {
	delete(c.sessions, s.id)
	s.peer.session = nil
	c.leave(s)
	c.closeAll(s.peer)
	_ = s.sub.Unsubscribe() // the connection may be closed
	c.m.workers.Set(float64(len(c.sessions)))
	c.o.Log.Info("a worker has gone", "worker", s.peer.name, "why", why)
	if s.flooded.Load() && c.server != nil {
		c.server.Ban(s.id)
	}
}

// tick looks after what time brings.
func (c *Coordinator) tick() error {
	now := c.o.Now()
	for _, s := range c.bySession() {
		if now.Sub(s.heard) >= c.o.Silent {
			c.drop(s, "")
		}
	}
	for _, name := range c.names() {
		p := c.peers[name]
		if w := p.current(); w != nil && now.Sub(w.opened) >= c.o.WindowAge {
			c.closeAll(p)
		}
	}
	if now.Sub(c.renewed) >= redelivery/4 {
		c.renewed = now
		for _, l := range c.leases {
			if l.msg != nil {
				_ = l.msg.InProgress() // lost, the task comes again and is found leased
			}
		}
	}
	return c.look()
}

// bySession returns the sessions in an order that does not depend on chance.
func (c *Coordinator) bySession() (list []*session) {
	for _, name := range c.names() {
		if s := c.peers[name].session; s != nil {
			list = append(list, s)
		}
	}
	return list
}

// look finds out whether more games can be taken in.
func (c *Coordinator) look() error {
	was := c.crowded
	c.crowded = ""
	if c.o.Free != nil {
		free, err := c.o.Free(c.o.Dir)
		if err != nil {
			return err
		}
		c.m.free.Set(float64(free))
		if free < c.o.MinFree {
			c.crowded = fmt.Sprintf("the coordinator's disk has %d MiB left, fewer than %d", free>>20, c.o.MinFree>>20)
		}
	}
	if n := c.book.count[held]; c.crowded == "" && n > c.o.MostHeld {
		c.crowded = fmt.Sprintf("%d games wait to be audited, more than %d", n, c.o.MostHeld)
	}
	if c.crowded != was {
		c.o.Log.Warn("dealing", "stopped", c.crowded)
	}
	return nil
}

// readNetwork returns the run's copy of a network.
func (c *Coordinator) readNetwork(sha256 string) ([]byte, error) {
	data, err := bounded.ReadFile(filepath.Join(c.o.Dir, samples.NetworkName(sha256)), maxNetwork)
	if err == nil && digest(data) != sha256 {
		err = fmt.Errorf("%s has the sha256 %.12s…: it was changed", samples.NetworkName(sha256), digest(data))
	}
	return data, err
}
