package cluster

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/semaphore"

	"github.com/carozero/carozero/selfplay/samples"
)

// Bounds over all sessions on what has come and is not answered yet. With what the
// connections of the embedded server hold (maxMessage for each worker that may be here,
// serverPending towards this process) they come to less than 512 MiB for 1000 workers.
const (
	mostArriving = 32 << 20  // bytes that the connection's reader is ahead of the inlet
	mostWaiting  = 32 << 20  // bytes of messages in the queues of sessions
	mostParts    = 64 << 20  // bytes of results that are put together
	mostUnfolded = 128 << 20 // bytes that results are unfolded to, with what their check takes
)

// unfoldFactor is how many times the bytes of a result its check takes: unfolded, as
// records, and as the columns that are replayed.
const unfoldFactor = 4

// Bounds on what needs no session.
const (
	helloRate   = 2 // hellos of one session a second, and its questions for the status
	helloBurst  = 20
	readRate    = 200 // pieces that one session reads a second
	readBurst   = 400
	mostCallers = 4096 // sessions whose rates are known
	mostHellos  = 2048 // that wait
	mostReads   = 1024
)

// inlet takes every message to a coordinator off the connection and hands it to who
// answers it, within bounds for each session and over all of them. It never waits: what
// does not fit is lost, and asked again by an honest worker.
type inlet struct {
	c       *Coordinator
	sub     *nats.Subscription
	waiting *semaphore.Weighted // mostWaiting
	hellos  chan *nats.Msg
	reads   chan *nats.Msg
	calls   rates // of hellos and questions for the status
	pieces  rates
	serving sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session
}

func newInlet(c *Coordinator) *inlet {
	return &inlet{
		c: c, waiting: semaphore.NewWeighted(mostWaiting), sessions: map[string]*session{},
		hellos: make(chan *nats.Msg, mostHellos), reads: make(chan *nats.Msg, mostReads),
		calls:  rates{helloRate, helloBurst, mostCallers, map[string]*rate{}},
		pieces: rates{readRate, readBurst, mostCallers, map[string]*rate{}},
	}
}

// begin has messages answered until the coordinator ends.
func (in *inlet) begin() (err error) {
	in.serving.Go(func() { in.serve(in.hellos, in.greet) })
	in.serving.Go(func() { in.serve(in.reads, in.c.lend) })
	if in.sub, err = in.c.nc.Subscribe(in.c.group.all(), in.receive); err != nil {
		return err
	}
	if err := in.sub.SetPendingLimits(-1, mostArriving); err != nil {
		return err
	}
	return in.c.nc.Flush()
}

// end stops to take messages.
func (in *inlet) end() {
	if in.sub != nil {
		_ = in.sub.Unsubscribe() // the connection may be closed
	}
}

// open has a session's messages answered.
func (in *inlet) open(s *session) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.sessions[s.id] = s
	in.serving.Go(func() { in.attend(s) })
}

// close ends that.
func (in *inlet) close(s *session) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.sessions[s.id] == s {
		delete(in.sessions, s.id)
		close(s.gone)
	}
}

func (in *inlet) session(id string) *session {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.sessions[id]
}

// receive hands a message to who answers it. It is called for one after the other.
func (in *inlet) receive(msg *nats.Msg) {
	c := in.c
	kind, id, ok := c.group.parse(msg.Subject)
	switch {
	case !ok:
		c.m.refused("garbage")
	case msg.Reply != "" && !strings.HasPrefix(msg.Reply, inbox(id)+"."):
		c.m.refused("reply") // its answer would go to somebody else, with our rights
	case len(msg.Data) > maxMessage:
		c.m.refused("garbage")
		c.reply(msg, answer{Refused: "the message is too large"})
	case kind == "hello" || kind == "status":
		in.admit(in.hellos, msg, in.calls.take(id, c.o.Now()))
	case kind == "read":
		in.admit(in.reads, msg, in.pieces.take(id, c.o.Now()))
	default:
		in.forward(id, msg)
	}
}

// admit queues a message that needs no session.
func (in *inlet) admit(queue chan *nats.Msg, msg *nats.Msg, allowed bool) {
	if !allowed {
		in.c.m.refused("flood")
		return
	}
	in.queue(queue, msg)
}

// queue queues a message if there is room, and reports whether there was.
func (in *inlet) queue(queue chan *nats.Msg, msg *nats.Msg) bool {
	if !in.waiting.TryAcquire(weight(msg)) {
		in.c.m.refused("crowd")
		return false
	}
	select {
	case queue <- msg:
		return true
	default:
		in.waiting.Release(weight(msg))
		in.c.m.refused("crowd")
		return false
	}
}

// weight returns what a message takes while it waits, in bytes.
func weight(msg *nats.Msg) int64 {
	return int64(len(msg.Data)+len(msg.Subject)+len(msg.Reply)) + 512
}

// forward hands a message to its session.
func (in *inlet) forward(id string, msg *nats.Msg) {
	c := in.c
	s := in.session(id)
	if s == nil {
		if in.pieces.take(id, c.o.Now()) {
			c.reply(msg, answer{Failed: errForgotten})
		}
		return
	}
	if s.asked.take(c.o.Now(), 1) {
		in.queue(s.queue, msg)
		return
	}
	c.m.refused("flood")
	if s.floods++; s.floods == mostFlood {
		s.flooded.Store(true)
		s.flood <- struct{}{} // one fits, and there is only one
	}
}

// serve answers what needs no session.
func (in *inlet) serve(queue <-chan *nats.Msg, handle nats.MsgHandler) {
	for {
		select {
		case <-in.c.ctx.Done():
			return
		case msg := <-queue:
			handle(msg)
			in.waiting.Release(weight(msg))
		}
	}
}

// greet answers hellos and questions for the status.
func (in *inlet) greet(msg *nats.Msg) {
	if kind, _, _ := in.c.group.parse(msg.Subject); kind == "status" {
		in.c.onStatus(msg)
		return
	}
	in.c.hello(msg)
}

// attend answers the messages of a session.
func (in *inlet) attend(s *session) {
	c := in.c
	defer c.parts.forget(s.id)
	defer func() {
		for {
			select {
			case msg := <-s.queue:
				in.waiting.Release(weight(msg))
			default:
				return
			}
		}
	}()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-s.gone:
			return
		case <-s.flood:
			_ = c.do(func() error { return c.quarantine(s.peer, "a flood of requests") })
		case msg := <-s.queue:
			c.onRequest(s, msg)
			in.waiting.Release(weight(msg))
		}
	}
}

// onRequest answers one request of a session. It runs on the session's own goroutine.
func (c *Coordinator) onRequest(s *session, msg *nats.Msg) {
	switch verb := lastToken(msg.Subject); verb {
	case verbResult:
		c.reply(msg, c.result(s, msg.Data))
	case verbPart:
		c.reply(msg, c.part(s, msg.Data))
	default:
		var a answer
		err := c.do(func() (err error) {
			a, err = c.request(s, verb, msg.Data)
			return err
		})
		if err == nil {
			c.reply(msg, a)
		}
	}
}

// part takes in a part of a result, and the result once it is whole.
func (c *Coordinator) part(s *session, data []byte) answer {
	whole, have, busy, err := c.parts.add(s.id, data)
	switch {
	case err != nil:
		return c.condemn(s, "a result that is none: "+err.Error())
	case busy:
		c.m.refused("crowd")
		return answer{Failed: errCrowd}
	case whole == nil:
		return answer{From: have}
	}
	defer c.parts.forget(s.id)
	a := c.result(s, whole)
	a.Taken = a.Failed+a.Refused == ""
	return a
}

// errCrowd is what a worker is told whose result has no room now.
const errCrowd = "too many results are under way"

// result replays a result through the rules, on the session's own goroutine, and hands it
// on.
func (c *Coordinator) result(s *session, packed []byte) answer {
	size, err := unfolded(packed)
	if err != nil {
		return c.condemn(s, "a result that is none: "+err.Error())
	}
	weight := min(unfoldFactor*size+1<<16, mostUnfolded)
	if c.unfolding.Acquire(c.ctx, weight) != nil {
		return answer{Failed: errEnded.Error()}
	}
	defer c.unfolding.Release(weight)
	records, err := c.check(packed, c.knownBy)
	if err != nil {
		return c.condemn(s, "a result that is none: "+err.Error())
	}
	a := c.hand(s, records)
	if a.Refused != "" {
		if s.strays++; s.strays == mostStrays {
			return c.condemn(s, "too many games that were not dealt to it")
		}
		a = answer{Failed: errForgotten}
	}
	return a
}

// condemn quarantines the session's worker and returns what it is told.
func (c *Coordinator) condemn(s *session, why string) answer {
	c.m.refused("false")
	_ = c.do(func() error { return c.quarantine(s.peer, why) })
	return answer{Refused: quarantinedText(why)}
}

// hand gives games to the coordinator's goroutine and returns what it says.
func (c *Coordinator) hand(s *session, records []*samples.Record) answer {
	answered := make(chan answer, 1)
	select {
	case c.arrivals <- arrival{s, records, func(a answer) { answered <- a }}:
	case <-c.ctx.Done():
		return answer{Failed: errEnded.Error()}
	}
	select {
	case a := <-answered:
		return a
	case <-c.ctx.Done():
		return answer{Failed: errEnded.Error()}
	}
}

// reply answers a message, if the answer goes to the inbox of the session that has sent
// it: a peer's word for where it goes is worth nothing, since we may publish anywhere.
func (c *Coordinator) reply(msg *nats.Msg, a any) {
	_, id, ok := c.group.parse(msg.Subject)
	if !ok || !strings.HasPrefix(msg.Reply, inbox(id)+".") {
		return
	}
	if data, err := json.Marshal(a); err == nil {
		_ = msg.Respond(data) // who does not hear it asks again
	}
}

// parse reads the subject of a message to a coordinator: what is asked, and by which
// session.
func (g group) parse(subject string) (kind, session string, ok bool) {
	tokens := strings.Split(subject, ".")
	if len(tokens) != 4 {
		return "", "", false
	}
	if kind, session = tokens[3], tokens[2]; slices.Contains([]string{"hello", "status", "read"}, session) {
		kind, session = session, kind
	}
	return kind, session, sessionPattern.MatchString(session)
}
