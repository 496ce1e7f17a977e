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

// Limits over all sessions on messages that are not answered yet. Together with what the
// embedded server's connections hold (maxMessage for each possible worker, serverPending
// towards this process) they come to less than 512 MiB for 1000 workers.
const (
	mostArriving = 32 << 20  // bytes that the connection's reader is ahead of the inlet
	mostWaiting  = 32 << 20  // bytes of messages in the queues of sessions
	mostParts    = 64 << 20  // bytes of results being assembled
	mostUnfolded = 128 << 20 // bytes of results being decompressed and checked
)

// unfoldFactor is how many times its size a result takes while it is checked: decompressed,
// as records, and as the columns that are replayed.
const unfoldFactor = 4

// Limits on messages that need no session.
const (
	helloRate   = 2 // hellos and status requests of one session a second
	helloBurst  = 20
	readRate    = 200 // pieces that one session reads a second
	readBurst   = 400
	mostCallers = 4096 // sessions whose rates are remembered
	mostHellos  = 2048 // that wait
	mostReads   = 1024
)

// inlet takes every message to a coordinator off the connection and passes it to the
// goroutine that answers it, within limits for each session and over all. It never blocks:
// what does not fit is dropped, and an honest worker asks again.
type inlet struct {
	c       *Coordinator
	sub     *nats.Subscription
	waiting *semaphore.Weighted // mostWaiting
	hellos  chan *nats.Msg
	reads   chan *nats.Msg
	calls   rates // of hellos and status requests
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

// begin starts to receive messages, until the coordinator ends.
func (in *inlet) begin() (err error) {
	in.serving.Go(func() { in.serve(in.hellos, in.greet) })
	in.serving.Go(func() { in.serve(in.reads, in.c.answerRead) })
	if in.sub, err = in.c.nc.Subscribe(in.c.group.all(), in.receive); err != nil {
		return err
	}
	if err := in.sub.SetPendingLimits(-1, mostArriving); err != nil {
		return err
	}
	return in.c.nc.Flush()
}

// end stops receiving messages.
func (in *inlet) end() {
	if in.sub != nil {
		_ = in.sub.Unsubscribe() // the connection may be closed
	}
}

// open starts to answer a session's messages.
func (in *inlet) open(s *session) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.sessions[s.id] = s
	in.serving.Go(func() { in.attend(s) })
}

// close stops answering a session's messages.
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

// receive passes a message to the goroutine that answers it. Calls never overlap.
func (in *inlet) receive(msg *nats.Msg) {
	c := in.c
	kind, id, ok := c.group.parse(msg.Subject)
	switch {
	case !ok:
		c.m.refused("garbage")
	case msg.Reply != "" && !strings.HasPrefix(msg.Reply, inbox(id)+"."):
		c.m.refused("reply") // its answer would reach somebody else, with our rights
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

// weight returns the bytes that a waiting message takes.
func weight(msg *nats.Msg) int64 {
	return int64(len(msg.Data)+len(msg.Subject)+len(msg.Reply)) + 512
}

// forward queues a message for its session.
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

// serve answers messages that need no session.
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

// greet answers hellos and status requests.
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

// onRequest answers one request of a session, on the session's own goroutine.
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

// part takes in a part of a result, and checks the result once it is complete.
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

// errCrowd is the error for a worker whose result has no room now.
const errCrowd = "too many results are under way"

// result replays a result through the rules, on the session's own goroutine, and passes it
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

// condemn quarantines the session's worker and returns the answer for it.
func (c *Coordinator) condemn(s *session, why string) answer {
	c.m.refused("false")
	_ = c.do(func() error { return c.quarantine(s.peer, why) })
	return answer{Refused: quarantinedText(why)}
}

// hand passes games to the coordinator's goroutine and returns its answer.
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

// reply answers a message if the answer goes to the inbox of the session that sent it. The
// reply subject is not trusted, because the coordinator may publish anywhere.
func (c *Coordinator) reply(msg *nats.Msg, a any) {
	_, id, ok := c.group.parse(msg.Subject)
	if !ok || !strings.HasPrefix(msg.Reply, inbox(id)+".") {
		return
	}
	if data, err := json.Marshal(a); err == nil {
		_ = msg.Respond(data) // a worker that misses it asks again
	}
}

// parse splits the subject of a message to a coordinator into the request and the session.
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
