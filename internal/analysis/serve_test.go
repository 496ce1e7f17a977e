package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// collected is a client whose messages are kept, of a service that does not run.
func collected(s *Service) (*Client, *[]any) {
	var said []any
	return s.Connect(func(m any, _ bool) { said = append(said, m) }), &said
}

// Tasks are taken by priority, and by arrival where that is equal.
func TestPriorities(t *testing.T) {
	s := newService(t, small())
	c, _ := collected(s)
	for _, line := range []string{
		`{"id":"low","priority":-3}`,
		`{"id":"first"}`,
		`{"id":"turns","moves":["h8","h9","i9"],"analyzeTurns":[3,0,1],"priority":5}`,
		`{"id":"second"}`,
		`{"id":"high","priority":7}`,
	} {
		c.Handle([]byte(line))
	}
	var order []string
	for len(s.clients) > 0 {
		task := s.taken()
		order = append(order, fmt.Sprintf("%s%d", task.query.ID, task.turn))
	}
	if got := strings.Join(order, " "); got != "high0 turns0 turns1 turns3 first0 second0 low0" {
		t.Error(got)
	}
}

// What nobody has begun is answered without results before the echo, chosen by id
// and turn; what does not exist is no error.
func TestTerminateWhatWaits(t *testing.T) {
	s := newService(t, small())
	c, said := collected(s)
	other, others := collected(s)
	c.Handle([]byte(`{"id":"a","moves":["h8","h9"],"analyzeTurns":[0,1,2]}`))
	c.Handle([]byte(`{"id":"b"}`))
	other.Handle([]byte(`{"id":"a"}`))
	heard := func(line string) string {
		*said = nil
		c.Handle([]byte(line))
		var text []string
		for _, m := range *said {
			switch m := m.(type) {
			case *Answer:
				if !m.NoResults || m.IsDuringSearch {
					t.Errorf("%+v", m)
				}
				text = append(text, fmt.Sprintf("%s%d", m.ID, m.TurnNumber))
			case map[string]json.RawMessage:
				text = append(text, string(m["action"]))
			}
		}
		return strings.Join(text, " ")
	}
	for _, c := range []struct{ line, want string }{
		{`{"id":"x","action":"terminate","terminateId":"nobody"}`, `"terminate"`},
		{`{"id":"x","action":"terminate","terminateId":"a","turnNumbers":[1,99]}`, `a1 "terminate"`},
		{`{"id":"x","action":"terminate","terminateId":"a","turnNumbers":[]}`, `"terminate"`},
		{`{"id":"x","action":"terminate","terminateId":"a"}`, `a0 a2 "terminate"`},
		{`{"id":"x","action":"terminate_all","more":[1,{"b":null}]}`, `b0 "terminate_all"`},
		{`{"id":"x","action":"terminate_all"}`, `"terminate_all"`},
	} {
		if got := heard(c.line); got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
	if len(*others) > 0 || other.Unanswered() != 1 || c.Unanswered() != 0 || s.open != 1 {
		t.Errorf("another client's query: %v, %d open", *others, s.open)
	}
	if other.Leave(); other.Unanswered() != 0 || s.open != 0 || s.held != 0 || len(s.clients) > 0 {
		t.Errorf("%d tasks, %d bytes are left", s.open, s.held)
	}
}

// A search under way tells what it knows, and when it is ended its last answer has
// results.
func TestTerminateWhatIsUnderWay(t *testing.T) {
	for _, e := range []string{"mcts", "alphabeta", "each"} {
		p := meet(t, newService(t, small()), Finish)
		p.say(fmt.Sprintf(`{"id":"long","moves":["h8","i9","i8"],"maxVisits":1000000000,"maxNodes":1000000000000,`+
			`"engine":%q,"reportDuringSearchEvery":0.001}`, e))
		if m := p.hears(func(m message) bool { return m.ID == "long" && m.Warning == "" }); !m.IsDuringSearch {
			t.Fatalf("%s: an endless search has ended: %.500s", e, m.text)
		}
		p.say(`{"id":"t","action":"terminate","terminateId":"long"}`)
		final := p.hears(func(m message) bool { return m.ID == "long" && m.Warning == "" && !m.IsDuringSearch })
		said, err := p.end()
		if final.NoResults || final.Opinion == nil || err != nil || final.Verdict != nil {
			t.Errorf("%s: %.200s, %v", e, final.text, err)
		}
		answers := slices.DeleteFunc(said, func(m message) bool { return m.ID != "long" || m.Warning != "" })
		if i := slices.IndexFunc(answers, func(m message) bool { return !m.IsDuringSearch }); i != len(answers)-1 {
			t.Errorf("%s: answer %d of %d is final", e, i, len(answers))
		}
	}
}

// With both engines the classical search thinks first and once: what the tree search
// tells on the way has its opinion, which is the final one.
func TestClassicalOpinionComesFirst(t *testing.T) {
	p := meet(t, newService(t, small()), Finish)
	p.say(`{"id":"long","moves":["h8","i9","i8"],"maxVisits":1000000000,"maxNodes":3000,"engine":"each",` +
		`"reportDuringSearchEvery":0.001}`)
	m := p.hears(func(m message) bool { return m.IsDuringSearch && m.RootInfo.Engine == MCTS })
	p.say(`{"id":"t","action":"terminate","terminateId":"long"}`)
	final := p.hears(func(m message) bool { return m.ID == "long" && m.Warning == "" && !m.IsDuringSearch })
	if m.AlphaBeta == nil || final.AlphaBeta == nil || m.AlphaBeta.RootInfo.Engine != AlphaBeta ||
		m.AlphaBeta.RootInfo.Nodes != final.AlphaBeta.RootInfo.Nodes ||
		m.AlphaBeta.MoveInfos[0].Move != final.AlphaBeta.MoveInfos[0].Move {
		t.Errorf("on the way: %.500s\nat the end: %.500s", m.text, final.text)
	}
	if _, err := p.end(); err != nil {
		t.Error(err)
	}
}

// When the input ends open queries are finished, or dropped.
func TestEndOfInput(t *testing.T) {
	const lines = `{"id":"a","maxVisits":20}` + "\n" + `{"id":"b","maxVisits":20}` // without an end of line
	if m := talk(t, small(), lines); len(m) != 2 {
		t.Errorf("%d answers", len(m))
	}
	p := meet(t, newService(t, small()), Quit)
	p.say(`{"id":"long","maxVisits":1000000000,` +
		`"reportDuringSearchEvery":0.001}`)
	p.hears(func(m message) bool { return m.IsDuringSearch })
	p.say(`{"id":"v","action":"query_version"}`)
	said, err := p.end()
	if err != nil || slices.ContainsFunc(said,
		func(m message) bool { return m.ID == "long" && m.Warning == "" && !m.IsDuringSearch }) {
		t.Errorf("%d messages, %v", len(said), err)
	}
	if !slices.ContainsFunc(said, func(m message) bool { return m.Action == "query_version" && m.Version == "v1" }) {
		t.Error("no version")
	}
}

// An interrupt drops what is open, and says how much.
func TestInterrupt(t *testing.T) {
	p := meet(t, newService(t, small()), Finish)
	p.say(`{"id":"long","moves":["h8","h9"],"analyzeTurns":[0,1,2],"maxVisits":1000000000,` +
		`"reportDuringSearchEvery":0.001}`)
	p.hears(func(m message) bool { return m.IsDuringSearch })
	p.stop()
	err := <-p.done
	p.in.Close()
	if !errors.Is(err, ErrInterrupted) || !strings.Contains(err.Error(), "3 positions") {
		t.Errorf("%v", err)
	}
}

// closing is an output that fails after some writes.
type closing struct{ left int }

var errClosed = errors.New("nobody reads")

func (c *closing) Write(p []byte) (int, error) {
	if c.left--; c.left < 0 {
		return 0, errClosed
	}
	return len(p), nil
}

// A peer that closes its end ends the service, whatever is under way.
func TestClosedOutput(t *testing.T) {
	for left := range 3 {
		in, w := io.Pipe()
		done := make(chan error, 1)
		go func() {
			err := newService(t, small()).Serve(context.Background(), in, &closing{left}, Finish)
			in.Close() // nobody reads any more
			done <- err
		}()
		for range 4 {
			if _, err := io.WriteString(w,
				`{"id":"a","maxVisits":1000000000,"reportDuringSearchEvery":0.001}`+"\n"); err != nil {
				break
			}
		}
		if err := <-done; !errors.Is(err, errClosed) {
			t.Errorf("after %d lines: %v", left, err)
		}
		w.Close()
	}
}

// What a peer sends is bounded, and it goes on after what was too much.
func TestBounds(t *testing.T) {
	o := small()
	o.Limits = Limits{Line: 300, Tasks: 3}
	m := talk(t, o,
		`{"id":"`+strings.Repeat("x", 500)+`"}`,
		strings.Repeat("y", 100_000),
		`{"id":"ok","maxVisits":1}`+strings.Repeat(" ", 100)+"\r",
		`{"id":"many","moves":["h8","h9","i9","i10"],"analyzeTurns":[0,1,2,3,4],"maxVisits":1}`,
	)
	var text []string
	for _, m := range m {
		text = append(text, m.Error)
	}
	slices.Sort(text)
	if len(m) != 4 || text[0] != "" || !strings.Contains(text[1], "at most 3") || !strings.Contains(text[2], "300 bytes") {
		t.Errorf("%q", text)
	}
	s := newService(t, Options{Limits: Limits{Held: 100_000}})
	c, said := collected(s)
	for i := range 100 {
		c.Handle(fmt.Appendf(nil, `{"id":"%d"}`, i))
	}
	if s.held > 100_000 || s.open < 2 || len(*said) != 100-s.open {
		t.Errorf("%d bytes held, %d open, %d refused", s.held, s.open, len(*said))
	}
}

// Nothing is lost where a peer reads less at a time than its answers.
func TestSlowReader(t *testing.T) {
	o := small()
	o.Limits = Limits{Unread: 20_000}
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf(`{"id":"%d","maxVisits":40,"boardXSize":7,"boardYSize":7}`, i))
	}
	if said := talk(t, o, lines...); len(said) != 60 {
		t.Errorf("%d answers", len(said))
	}
}

// An outbox that does not wait loses what is passing, and ends when it is full.
func TestFullOutbox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(50, 500).Draw(t, "most")
		box := NewOutbox(most, false)
		var want []string
		bytes := 0
		for i := range rapid.IntRange(1, 60).Draw(t, "messages") {
			text := fmt.Sprintf("%d-%s", i, strings.Repeat("x", rapid.IntRange(0, 60).Draw(t, "length")))
			passing := rapid.Bool().Draw(t, "passing")
			box.Send(text, passing)
			size := len(text) + 3
			switch {
			case passing && bytes > most/passingShare:
			case bytes > 0 && bytes+size > most:
				if _, err := box.Next(context.Background()); !errors.Is(err, ErrSlow) || box.bytes != 0 {
					t.Fatalf("%d bytes and %d more of %d: %v", bytes, size, most, err)
				}
				return
			default:
				want, bytes = append(want, `"`+text+"\"\n"), bytes+size
			}
		}
		box.Close(false)
		for _, text := range want {
			if got, err := box.Next(context.Background()); err != nil || string(got) != text {
				t.Fatalf("%q, %v, want %q", got, err, text)
			}
		}
		if _, err := box.Next(context.Background()); !errors.Is(err, io.EOF) || box.bytes != 0 {
			t.Fatalf("%v, %d bytes are left", err, box.bytes)
		}
	})
}

// A final answer is a function of its query alone: whatever stands beside it, in
// whatever order, on however many workers.
func TestAnswersDoNotDependOnCompany(t *testing.T) {
	var lines []string
	for i, moves := range []string{"h8", "h8i9", "h8i9i8", "h8i9i8j8", "a1h8b2i9c3", "h8g7i8", "h8g7i8g8j8"} {
		lines = append(lines,
			fmt.Sprintf(`{"id":"m%d","initialPosition":%q,"maxVisits":%d,"includePVVisits":true}`, i, moves, 20+9*i),
			fmt.Sprintf(`{"id":"b%d","rules":"renju","initialPosition":%q,"engine":"each","maxVisits":10,"maxNodes":%d}`, i,
				moves, 500+100*i))
	}
	lines = append(lines, `{"id":"o","game":"onitama","engine":"each","maxVisits":30}`,
		`{"id":"r","moves":["h8"],"avoidMoves":[{"player":"W","moves":["h9","i9"],"untilDepth":2}],"engine":"each"}`)
	want := map[string]string{}
	for _, line := range lines {
		m := one(t, small(), line)
		want[m.ID] = m.text
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, workers := range []int{1, 3} {
		o := small()
		o.Workers = workers
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		for _, m := range ask(t, o, lines...) {
			if m.text != want[m.ID] {
				t.Errorf("%d workers: %s\nalone: %s", workers, m.text, want[m.ID])
			}
		}
	}
}

// Barred moves are in no answer of either engine, at no ply that they are barred in.
func TestBarredMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.SampledFrom([]string{"avoidMoves", "allowMoves"}).Draw(t, "field")
		until := rapid.IntRange(1, 3).Draw(t, "until")
		cells := rapid.SliceOfNDistinct(rapid.IntRange(0, 48), 3, 12, func(i int) int { return i }).Draw(t, "cells")
		var texts []string
		chosen := map[string]bool{}
		for _, c := range cells {
			text := fmt.Sprintf("%c%d", 'a'+c%7, c/7+1)
			texts, chosen[text] = append(texts, `"`+text+`"`), true
		}
		entry := fmt.Sprintf(`{"player":%%q,"moves":[%s],"untilDepth":%d}`, strings.Join(texts, ","), until)
		m := one(t, small(), fmt.Sprintf(`{"id":"a","boardXSize":7,"boardYSize":7,"rules":"freestyle","engine":"each",`+
			`"lines":4,"maxVisits":60,"maxNodes":2000,"includePolicy":true,%q:[`+entry+`,`+entry+`]}`, field, "B", "W"))
		for _, opinion := range []*Opinion{m.Opinion, m.AlphaBeta} {
			plies := until
			if opinion.RootInfo.Engine == AlphaBeta {
				plies = 1
			}
			for _, info := range opinion.MoveInfos {
				for _, move := range info.PV[:min(plies, len(info.PV))] {
					if chosen[move] == (field == "avoidMoves") {
						t.Fatalf("%s %v until %d: %s in %v of %s", field, texts, until, move, info.PV, opinion.RootInfo.Engine)
					}
				}
			}
		}
	})
}

// A win by a barred move is no proof, and the position is not lost because only bad
// moves are left.
func TestBarsProveNothing(t *testing.T) {
	const four = `"rules":"freestyle","moves":["h8","a1","i8","a3","j8","a5","k8","a7"]`
	free := one(t, small(), `{"id":"a",`+four+`}`)
	if free.RootInfo.Proven == nil || free.RootInfo.Proven.Plies != 1 {
		t.Fatalf("%s", free.text)
	}
	m := one(t, small(), `{"id":"a",`+four+`,"engine":"each","avoidMoves":[{"player":"B","moves":["g8","l8"],`+
		`"untilDepth":1}]}`)
	for _, o := range []*Opinion{m.Opinion, m.AlphaBeta} {
		if p := o.RootInfo.Proven; p != nil && p.Plies < 3 {
			t.Errorf("%+v", o.RootInfo)
		}
	}
	// White has to stop an open four and is kept from it.
	m = one(t, small(), `{"id":"a","rules":"freestyle","moves":["h8","a1","i8","a3","j8","a5","k8"],"engine":"each",`+
		`"allowMoves":[{"player":"W","moves":["o1","o2"],"untilDepth":1}]}`)
	for _, o := range []*Opinion{m.Opinion, m.AlphaBeta} {
		if o.RootInfo.Proven != nil || o.RootInfo.Claim != nil && o.RootInfo.Claim.Result == "loss" {
			t.Errorf("%+v", o.RootInfo)
		}
	}
	if p := m.MoveInfos[0].Proven; p == nil || p.Result != "loss" || p.Plies != 2 || len(p.Line) != 2 ||
		p.Winner != winnerOf(game.FirstWins) {
		t.Errorf("%+v", m.MoveInfos[0])
	}
}
