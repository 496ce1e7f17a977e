package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/openings"
	"github.com/carozero/carozero/internal/search"
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
		{"the query is ended", time.Hour,
			func(own, _ *Client) {
				own.Handle([]byte(`{"id":"t","action":"terminate","terminateId":"game"}`))
			}, "", context.Canceled},
		{"the game goes on", time.Hour, func(own, _ *Client) { own.Handle([]byte(goesOn)) }, "next", context.Canceled},
		{"the client asks something else", time.Hour, func(own, _ *Client) { own.Handle([]byte(`{"id":"other"}`)) }, "",
			context.Canceled},
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

// What pondering has found out is there at the next move of the same game, and nowhere else.
func TestTreeOfTheGame(t *testing.T) {
	s := ponderer(t, time.Hour)
	own, _ := collected(s)
	other, _ := collected(s)
	e := &engines{nets: ownNets()}
	defer func() { _ = e.close() }()
	visits := func(c *Client, moves string) int {
		line := fmt.Sprintf(`{"id":"q","moves":[%s],"engine":"mcts","maxVisits":400,"overrideSettings":{"maxTime":60},`+
			`"ponder":true}`, moves)
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

// finals returns what is said to lines, without what is on the way.
func finals(t *testing.T, o Options, lines ...string) map[string]map[string]json.RawMessage {
	t.Helper()
	of := map[string]map[string]json.RawMessage{}
	for _, m := range talk(t, o, lines...) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(m.text), &fields); err != nil {
			t.Fatal(err)
		}
		var id string
		_ = json.Unmarshal(fields["id"], &id)
		if of[id] != nil {
			t.Errorf("%s is answered twice", id)
		}
		of[id] = fields
	}
	return of
}

// Openings are legal, different, within the tolerance by a search of their own, and
// a function of the seed.
func TestOpenings(t *testing.T) {
	const ask = `{"id":%q,"action":"query_opening","rules":"freestyle","moves":["h8"],"count":4,"plies":[1,4],` +
		`"tolerance":0.4,"seed":%d}`
	said := finals(t, small(), fmt.Sprintf(ask, "a", 5), fmt.Sprintf(ask, "b", 5), fmt.Sprintf(ask, "c", 6))
	if a, b, c := string(said["a"]["openings"]), string(said["b"]["openings"]), string(said["c"]["openings"]); a != b ||
		a == c {
		t.Errorf("%s, %s, %s", a, b, c)
	}
	var list []Opening
	if err := json.Unmarshal(said["a"]["openings"], &list); err != nil || len(list) != 4 {
		t.Fatalf("%s: %v", said["a"]["openings"], err)
	}
	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := search.NewClassical(v, search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, o := range list {
		text := strings.Join(o.Moves, "")
		pos, err := v.Parse("h8" + text)
		if err != nil || len(o.Moves) < 1 || len(o.Moves) > 4 || seen[text] {
			t.Errorf("%v: %v", o, err)
			continue
		}
		seen[text] = true
		c.Forget()
		a, err := c.Think(context.Background(), pos, engine.Limits{Nodes: 2000})
		if err != nil || math.Abs(float64(o.Value)) > 0.4 || math.Abs(float64(a.Value-o.Value)) > 1e-6 {
			t.Errorf("%v: the engine says %v, %v", o, a.Value, err)
		}
	}
}

// What the engine offers under swap2 is one of its openings,
// and it chooses the side that stands better.
func TestSwap2(t *testing.T) {
	said := finals(t, small(),
		`{"id":"offer","action":"query_swap2","maxNodes":600}`,
		`{"id":"strong","action":"query_swap2","rules":"freestyle","moves":["h8","a1","i8"],"maxNodes":2000}`,
		`{"id":"weak","action":"query_swap2","rules":"freestyle","moves":["h8","i9","a1","h10","a15"],"maxNodes":2000}`,
		`{"id":"full","action":"query_swap2","boardXSize":5,"maxNodes":600}`,
	)
	for _, id := range []string{"offer", "full"} {
		var moves []string
		if err := json.Unmarshal(said[id]["moves"], &moves); err != nil || !offered(t, moves, map[string]int{"full": 5}[id]) {
			t.Errorf("%s: %s", id, said[id]["moves"])
		}
	}
	if strong, weak := said["strong"], said["weak"]; string(strong["choice"]) != `"black"` || strong["move"] != nil ||
		string(weak["choice"]) != `"white"` || weak["move"] == nil {
		t.Errorf("%s, %s", strong, weak)
	}
}

// offered reports whether three stones are one of the offers.
func offered(t *testing.T, moves []string, size int) bool {
	if size == 0 {
		size = 15
	}
	list, err := gomoku.Notation{Size: size}.ParseMoves(strings.Join(moves, ""))
	if err != nil {
		t.Error(err)
	}
	return slices.ContainsFunc(openings.Offers[:], func(o openings.Offer) bool {
		cells, fits := o.On(size)
		return fits && slices.Equal(list, cells[:])
	})
}

// Mistakes are told at once, with the field.
func TestProblemsOfActions(t *testing.T) {
	o := small()
	o.Limits = Limits{Visits: 500, Nodes: 5000, Solver: 1000}
	for _, c := range []struct {
		line        string
		code        Code
		field, want string
	}{
		{`{"id":"a","level":"godlike"}`, Invalid, "level", "easy"},
		{`{"id":"a","level":"easy","engine":"mcts"}`, Invalid, "engine", "leave it out"},
		{`{"id":"a","level":"easy","maxNodes":3}`, Invalid, "maxNodes", "leave it out"},
		{`{"id":"a","maxVisits":501}`, Invalid, "maxVisits", "1 to 500"},
		{`{"id":"a","engine":"alphabeta","maxNodes":5001}`, Invalid, "maxNodes", "1 to 5000"},
		{`{"id":"a","overrideSettings":{"vct":1001}}`, Invalid, "overrideSettings.vct", "1000"},
		{`{"id":"a","action":"query_position","turnNumber":1}`, Invalid, "turnNumber", "0 to 0"},
		{`{"id":"a","action":"query_position","moves":["h8","h8"]}`, Illegal, "moves[1]", "move 2"},
		{`{"id":"a","action":"query_opening","count":65}`, Invalid, "count", "1 to 64"},
		{`{"id":"a","action":"query_opening","plies":[3,2]}`, Invalid, "plies", "[2,6]"},
		{`{"id":"a","action":"query_opening","plies":[3,99]}`, Invalid, "plies[1]", "16"},
		{`{"id":"a","action":"query_opening","tolerance":2}`, Invalid, "tolerance", "0 to 1"},
		{`{"id":"a","action":"query_opening","moves":["a1","b1","a2","b2","a3","b3","a4","b4","a5"]}`, Invalid, "moves",
			"over"},
		{`{"id":"a","action":"query_certificate","winner":"C"}`, Invalid, "winner", "B or W"},
		{`{"id":"a","action":"query_certificate","moves":["a1","b1","a2","b2","a3","b3","a4","b4","a5"]}`, Invalid,
			"turnNumber", "over"},
		{`{"id":"a","action":"query_certificate"}`, Failed, "", "no certificate was found within 5000 moves"},
		{`{"id":"a","action":"query_swap2","game":"onitama"}`, Invalid, "game", "swap2"},
		{`{"id":"a","action":"query_swap2","moves":["h8"]}`, Invalid, "moves", "3 or 5"},
		{`{"id":"a","action":"query_swap2","moves":[["W","h8"],["B","c3"],["W","n13"]]}`, Invalid, "moves", "Black's first"},
	} {
		m := talk(t, o, c.line)
		if len(m) != 1 || m[0].Code != c.code || m[0].Field != c.field || !strings.Contains(m[0].Error, c.want) ||
			m[0].ID != "a" {
			t.Errorf("%s: %+v", c.line, m)
		}
	}
}
