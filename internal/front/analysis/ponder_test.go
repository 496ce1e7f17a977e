package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
)

// muse is an engine that tells a test of its pondering, which ends with its context alone.
type muse struct {
	began, ended chan string
}

func (m *muse) Think(context.Context, game.Position, engine.Limits) (*engine.Answer, error) {
	return nil, nil
}

func (m *muse) Ponder(ctx context.Context, pos game.Position) {
	m.began <- fmt.Sprint(pos.Ply())
	<-ctx.Done()
	m.ended <- context.Cause(ctx).Error()
}

func (m *muse) Forget()      {}
func (m *muse) Close() error { return nil }

// musing is a service with one worker, which ponders after the answer to a query.
type musing struct {
	*Service
	muse muse
	e    engines
	next chan *task
}

// muses has the worker ponder after a client's query for the second ply.
func muses(t *testing.T, c *Client, s *Service) *musing {
	t.Helper()
	m := &musing{Service: s, muse: muse{make(chan string, 1), make(chan string, 1)}, next: make(chan *task, 1)}
	c.Handle([]byte(`{"id":"game","moves":["h8"],"overrideSettings":{"maxTime":1},"ponder":true}`))
	task := s.taken()
	m.e = engines{client: c, after: &afterthought{engine: &m.muse, pos: task.query.At(1)}}
	s.finish(t.Context(), task, true)
	go func() {
		next, _ := s.ponder(t.Context(), &m.e, task)
		m.next <- next
	}()
	return m
}

// ponderer returns a service whose engines may ponder for a while.
func ponderer(t *testing.T, limit time.Duration) *Service {
	t.Helper()
	o := small()
	o.Limits.Ponder = limit
	return newService(t, o)
}

// Pondering ends at once when the client leaves, ends the query or goes on with its game,
// whose next query the same worker gets; when another client's query has no worker; and when
// its time is over.
func TestWhatEndsPondering(t *testing.T) {
	const goesOn = `{"id":"next","moves":["h8","i9","i8"],"overrideSettings":{"maxTime":1},"ponder":true}`
	for _, c := range []struct {
		name  string
		limit time.Duration
		end   func(own, other *Client)
		next  string // the id of the task that follows in this worker
		cause error
	}{
		{"the client leaves", time.Hour, func(own, _ *Client) { own.Leave() }, "", context.Canceled},
		{"the query is ended", time.Hour, func(own, _ *Client) { own.Handle([]byte(`{"id":"t","action":"terminate","terminateId":"game"}`)) }, "", context.Canceled},
		{"the game goes on", time.Hour, func(own, _ *Client) { own.Handle([]byte(goesOn)) }, "next", context.Canceled},
		{"the client asks something else", time.Hour, func(own, _ *Client) { own.Handle([]byte(`{"id":"other"}`)) }, "", context.Canceled},
		{"another client asks", time.Hour, func(_, other *Client) { other.Handle([]byte(goesOn)) }, "", context.Canceled},
		{"the time is over", time.Millisecond, func(_, _ *Client) {}, "", context.DeadlineExceeded},
	} {
		s := ponderer(t, c.limit)
		own, _ := collected(s)
		other, _ := collected(s)
		m := muses(t, own, s)
		if ply := <-m.muse.began; ply != "1" {
			t.Errorf("%s: ponders at ply %s", c.name, ply)
		}
		c.end(own, other)
		if cause := <-m.muse.ended; cause != c.cause.Error() {
			t.Errorf("%s: ended by %q, want %q", c.name, cause, c.cause)
		}
		next := <-m.next
		if got := next == nil; got != (c.next == "") || next != nil && next.query.ID != c.next {
			t.Errorf("%s: %+v follows, want %q", c.name, next, c.next)
		}
		if next != nil {
			if own.busy != 1 || next.state != underWay {
				t.Errorf("%s: %d tasks are under way", c.name, own.busy)
			}
			next.stop()
			s.finish(t.Context(), next, false)
		}
		if len(s.ponders) != 0 {
			t.Errorf("%s: %d still ponder", c.name, len(s.ponders))
		}
	}
}

// Nobody ponders while something waits, after the service is over, and nothing of what a
// strange client ends, or of queries that an idle worker can take, ends it.
func TestWhatPonderingYieldsTo(t *testing.T) {
	s := ponderer(t, time.Hour)
	own, _ := collected(s)
	other, _ := collected(s)
	m := muses(t, own, s)
	<-m.muse.began
	other.Handle([]byte(`{"id":"t","action":"terminate_all"}`))
	other.Leave()
	s.idle = 1
	other.Handle([]byte(`{"id":"q"}`))
	select {
	case why := <-m.muse.ended:
		t.Errorf("pondering was ended: %s", why)
	default:
	}
	s.idle = 0
	waiting := s.taken() // by the idle worker
	other.Handle([]byte(`{"id":"r"}`))
	<-m.muse.ended
	<-m.next
	s.finish(t.Context(), waiting, true)
	if len(s.ponders) != 0 {
		t.Error("a worker ponders while a query waits")
	}
}

// A query to ponder on says why that cannot be.
func TestPonderIsRefused(t *testing.T) {
	for _, c := range []struct {
		limit      time.Duration
		line, want string
	}{
		{0, `{"id":"a","ponder":true,"overrideSettings":{"maxTime":1}}`, "do not ponder here"},
		{time.Hour, `{"id":"a","ponder":true}`, "give overrideSettings.maxTime"},
		{time.Hour, `{"id":"a","ponder":true,"level":"easy"}`, "give overrideSettings.maxTime"},
		{time.Hour, `{"id":"a","ponder":true,"engine":"each","overrideSettings":{"maxTime":1}}`, "one engine"},
		{time.Hour, `{"id":"a","ponder":true,"moves":["h8"],"analyzeTurns":[0,1],"overrideSettings":{"maxTime":1}}`, "2 turns"},
		{time.Hour, `{"id":"a","ponder":1}`, "ponder"},
		{time.Hour, `{"id":"a","ponder":true,"overrideSettings":{"maxTime":1},"avoidMoves":[{"player":"B","moves":["h8"],"untilDepth":1}]}`, "avoidMoves"},
	} {
		s := ponderer(t, c.limit)
		client, said := collected(s)
		client.Handle([]byte(c.line))
		if p, _ := (*said)[0].(*Problem); p == nil || !strings.Contains(p.Field+p.Error, c.want) || !s.queue.empty() {
			t.Errorf("%s: %v, want %q", c.line, *said, c.want)
		}
	}
}

// What pondering has found out is there at the next move of the same game, and nowhere else.
func TestTreeOfTheGame(t *testing.T) {
	s := ponderer(t, time.Hour)
	own, _ := collected(s)
	other, _ := collected(s)
	e := &engines{nets: ownNets()}
	defer func() { _ = e.close() }()
	visits := func(c *Client, moves string) int {
		line := fmt.Sprintf(`{"id":"q","moves":[%s],"engine":"mcts","maxVisits":400,"overrideSettings":{"maxTime":60},"ponder":true}`, moves)
		var of map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &of); err != nil {
			t.Fatal(err)
		}
		q, _, wrong := parseQuery("q", of, len(line), &s.opts)
		if wrong != nil {
			t.Fatal(wrong)
		}
		e.client = c
		a := e.analyse(t.Context(), q, q.Turns[0], func(*Answer) {})
		if a.Error != "" {
			t.Fatal(a.Error)
		}
		return int(a.RootInfo.Nodes)
	}
	first := visits(own, `"h8"`)
	pos := e.after.pos
	reply := pos.Moves(nil)[0]
	chosen := e.after.pos.Clone()
	n := gomokuNotation(t)
	at := `"h8","` + lastMove(t, n, chosen) + `","` + n.FormatMove(reply) + `"`
	if first != 400 {
		t.Errorf("%d playouts of 400 for the first answer", first)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	e.after.engine.Ponder(ctx, e.after.pos)
	stop()
	if again := visits(own, at); again >= 400 {
		t.Errorf("%d playouts after pondering: nothing was inherited", again)
	}
	if stranger := visits(other, at); stranger != 400 {
		t.Errorf("%d playouts for another client, want all 400", stranger)
	}
}

// gomokuNotation returns the notation of the usual game.
func gomokuNotation(t *testing.T) game.Notation {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return v.Notation()
}

// lastMove returns the move that led to a position.
func lastMove(t *testing.T, n game.Notation, pos game.Position) string {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		t.Fatal(err)
	}
	moves, ok := v.Played(pos)
	if !ok {
		t.Fatal("the moves of the position are not known")
	}
	return n.FormatMove(moves[len(moves)-1])
}
