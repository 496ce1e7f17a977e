package cluster

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/selfplay/samples"
)

// NewSession returns the name of a new session: 128 random bits, which only the worker
// and the coordinator know.
func NewSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Limits on one session.
const (
	pendingMessages = 16  // waiting for the coordinator; more are dropped
	askRate         = 100 // requests a second
	askBurst        = 400 // requests at once
	mostFlood       = 20 * askBurst
	mostStrays      = 1000 // results of games that were not dealt to it
)

// session is a connected worker. Its fields belong to the coordinator's goroutine unless
// noted.
type session struct {
	id      string
	peer    *peer
	trusted bool
	heard   time.Time
	tasks   map[int]bool
	last    beat

	queue chan *nats.Msg // waiting for the session's goroutine
	flood chan struct{}
	gone  chan struct{} // closed with the session

	// Owned by the goroutine that receives all messages.
	asked  rate
	floods int

	strays  int // owned by the session's goroutine
	flooded atomic.Bool
}

// lastToken returns what follows the last dot of a subject.
func lastToken(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// hello answers the hello of a worker.
func (c *Coordinator) hello(msg *nats.Msg) {
	var h hello
	id := lastToken(msg.Subject)
	if json.Unmarshal(msg.Data, &h) != nil || len(h.Holding) > maxHolding {
		c.m.refused("garbage")
		c.reply(msg, answer{Refused: "the hello cannot be read"})
		return
	}
	var a answer
	err := c.do(func() (err error) {
		a, err = c.welcome(id, &h)
		return err
	})
	if err == nil {
		c.reply(msg, a)
	}
}

// refusal returns why a worker cannot play the run, "" if it can.
func (c *Coordinator) refusal(h *hello, name string) string {
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
	case c.peers[name] != nil && c.peers[name].bad != "":
		return c.peers[name].refusal()
	case c.badTokens[tokenOf(name)] != "":
		return c.badTokens[tokenOf(name)]
	}
	return ""
}

// welcome begins or resumes a session.
func (c *Coordinator) welcome(id string, h *hello) (answer, error) {
	if h.Protocol == Protocol && h.Config != c.config {
		return answer{Failed: fmt.Sprintf("configuration %.12s…, it is %.12s… now", h.Config, c.config)}, nil
	}
	name, trusted := h.Name, slices.Contains(c.o.Trusted, id)
	switch {
	case trusted:
		name = "(" + name + ")" // no worker can take such a name
	case c.server != nil:
		name = withToken(name, c.server.Holder(id))
	}
	if why := c.refusal(h, name); why != "" {
		c.m.refused("hello")
		c.o.Log.Warn("a worker is refused", "worker", fmt.Sprintf("%.40q", h.Name), "why", why)
		return answer{Refused: why}, nil
	}
	s, p := c.sessions[id], c.peers[name]
	switch {
	case s != nil && s.peer != p:
		return answer{Refused: "the session has another name"}, nil
	case s == nil && p != nil && p.session != nil:
		return answer{Failed: fmt.Sprintf("a worker %s is here already: choose another name, or wait until it is taken for lost", name)}, nil
	case s == nil && len(c.sessions) >= c.o.Workers:
		return answer{Failed: fmt.Sprintf("%d workers are here already, as many as may be", len(c.sessions))}, nil
	case s == nil:
		s = &session{
			id: id, peer: c.peer(name), tasks: map[int]bool{}, last: h.Counted, trusted: trusted,
			queue: make(chan *nats.Msg, pendingMessages), flood: make(chan struct{}, 1), gone: make(chan struct{}),
			asked: rate{perSecond: askRate, burst: askBurst},
		}
		s.peer.session = s
		c.sessions[id] = s
		c.inlet.open(s)
		c.o.Log.Info("a worker has come", "worker", name)
	}
	s.heard = c.o.Now()
	c.claim(s, h.Holding)
	c.m.workers.Set(float64(len(c.sessions)))
	return answer{Beat: (c.o.Silent / 4).Seconds()}, nil
}

// request answers all requests except results.
func (c *Coordinator) request(s *session, verb string, data []byte) (answer, error) {
	if s.peer.bad != "" {
		return answer{Refused: s.peer.refusal()}, nil
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
		// Beats may arrive out of order.
		s.last = beat{b.UnderWay, max(b.Evals, s.last.Evals), max(b.Hits, s.last.Hits), max(b.Nodes, s.last.Nodes)}
		return answer{}, nil
	case verbBye:
		c.drop(s, "")
		return answer{}, nil
	}
	return answer{Refused: "no such request"}, nil
}

// errForgotten tells a session to say hello again.
const errForgotten = "say hello again"

// knownBy returns what plays a game that was dealt.
func (c *Coordinator) knownBy(id int) samples.PlayedBy {
	if n := c.out.Networks(); n != nil {
		by, _ := n.Of(id)
		return by
	}
	return samples.PlayedBy{}
}

// drop ends a session: its tasks are dealt again and its window is audited. A quarantined
// worker learns of it when it says hello again; one that has flooded or whose token was
// revoked cannot connect any more.
func (c *Coordinator) drop(s *session, why string) {
	delete(c.sessions, s.id)
	s.peer.session = nil
	c.inlet.close(s)
	c.leave(s)
	c.closeAll(s.peer)
	c.forget(s.peer)
	c.m.workers.Set(float64(len(c.sessions)))
	c.o.Log.Info("a worker has gone", "worker", s.peer.name, "why", why)
	if s.flooded.Load() && c.server != nil {
		c.server.Ban(s.id)
	}
}

// tick does the periodic work.
func (c *Coordinator) tick() error {
	now := c.o.Now()
	if err := c.revocations(); err != nil {
		return err
	}
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
				_ = l.msg.InProgress() // if lost, the task comes again and is found leased
			}
		}
	}
	return c.look()
}

// bySession returns the sessions sorted by name.
func (c *Coordinator) bySession() (list []*session) {
	for _, name := range c.names() {
		if s := c.peers[name].session; s != nil {
			list = append(list, s)
		}
	}
	return list
}

// look checks whether more games can be stored. Where too many wait to be audited it ends all
// windows, so that their audits make room.
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
	if n := c.table.count[held]; n > c.o.MostHeld {
		c.crowded = cmp.Or(c.crowded, fmt.Sprintf("%d games wait to be audited, more than %d", n, c.o.MostHeld))
		for _, name := range c.names() {
			c.closeAll(c.peers[name])
		}
	}
	if c.crowded != was {
		c.o.Log.Warn("dealing", "stopped", c.crowded)
	}
	return nil
}
