package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/search"
)

// own are the codes of this package's own errors; the others are of HTTP.
var own = []Code{Malformed, Invalid, Illegal, TooBig, Busy, Failed, Internal}

// The schema, which every message of the tests is held against, has the codes of the
// list, and no code is without a place in the document.
func TestCodesAreThoseOfTheSchema(t *testing.T) {
	var s struct {
		Defs struct {
			Code struct{ Enum []Code }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &s); err != nil || !slices.Equal(s.Defs.Code.Enum, own) {
		t.Errorf("%v, %v, want %v", s.Defs.Code.Enum, err, own)
	}
	if all := Codes(); !slices.Equal(all[:len(own)], own) || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("%v", all)
	}
	document, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range own {
		if !bytes.Contains(document, []byte("| `"+string(c)+"` |")) {
			t.Errorf("docs/analysis.md does not say what %s means", c)
		}
	}
}

// The schema has the levels that there are.
func TestLevelsAreThoseOfTheSchema(t *testing.T) {
	for _, name := range search.LevelNames() {
		if err := conforms(lineSchema, `{"id":"a","level":"`+name+`"}`); err != nil {
			t.Error(err)
		}
	}
	if conforms(lineSchema, `{"id":"a","level":"none"}`) == nil {
		t.Error("the schema has a level that there is not")
	}
}

// Each of the codes is what a message has that is wrong in its way.
func TestEveryCode(t *testing.T) {
	crowded := small()
	crowded.Limits.Tasks = 1
	nets := networks.NewNets(networks.NewLoader(networks.LoaderOptions{}), "no-such-network")
	netless, err := New(nets, small())
	if err != nil {
		t.Fatal(err)
	}
	idle := func(lines ...string) (messages []message) { // of a service that begins nothing
		c, said := collected(newService(t, crowded))
		for _, line := range lines {
			c.Handle([]byte(line))
		}
		for _, m := range *said {
			messages = append(messages, parsed(t, string(Line(m))))
		}
		return messages
	}
	job := func(do func(context.Context, *engines) (map[string]any, error)) []message {
		var e engines
		q := Query{ID: "a", job: &job{action: QueryOpening, do: do}}
		return []message{parsed(t, string(Line(e.perform(t.Context(), &q, func() bool { return false }))))}
	}
	broken := func() []message {
		e := engines{nets: nets}
		final := e.analyse(t.Context(), &Query{Start: nil}, 0, nil)
		final.ID = "a"
		return []message{parsed(t, string(Line(final)))}
	}
	for _, c := range []struct {
		code Code
		said []message
	}{
		{Malformed, talk(t, small(), `{"id":"a"`)},
		{Invalid, talk(t, small(), `{"id":"a","maxVisits":"many"}`)},
		{Illegal, talk(t, small(), `{"id":"a","moves":["h8","h8"]}`)},
		{TooBig, talk(t, small(), `{"id":"`+strings.Repeat("x", 2000)+`"}`)},
		{TooBig, talk(t, small(), strings.Repeat("x", 300<<10))},
		{Busy, talk(t, crowded, `{"id":"a","moves":["h8"],"analyzeTurns":[0,1]}`)},
		{Busy, idle(`{"id":"a","action":"query_opening"}`, `{"id":"b","action":"query_swap2"}`)},
		{Failed, talkTo(t, netless, `{"id":"a","boardXSize":7}`)},
		{Failed, job(func(context.Context, *engines) (map[string]any, error) { return nil, errors.New("no") })},
		{Internal, job(func(context.Context, *engines) (map[string]any, error) { panic("no") })},
		{Internal, broken()},
		{Internal, []message{parsed(t, string(Line(make(chan int))))}},
	} {
		if m := c.said; len(m) != 1 || m[0].Code != c.code || m[0].Error == "" {
			t.Errorf("%s: %+v", c.code, m)
		}
	}
}

// Paths name entries from 0, and quote names that are no words.
func TestPaths(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{entry("moves", 3), "moves[3]"},
		{entry(member(entry("avoidMoves", 0), "moves"), 2), "avoidMoves[0].moves[2]"},
		{member("", "maxVisit"), "maxVisit"},
		{member("overrideSettings", "in-flight"), "overrideSettings.in-flight"},
		{member("overrideSettings", "alphabeta.table"), `overrideSettings["alphabeta.table"]`},
		{member("", "two\nlines"), `["two\nlines"]`},
		{member("", ""), `[""]`},
		{member("", "4x"), `["4x"]`},
		{member("a", strings.Repeat("x", 99)), "a." + strings.Repeat("x", 64) + "..."},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

var hostile = flag.Int("hostile", 10_000, "hostile messages that one service is sent")

// seeds are good lines, from which bad ones are made.
var seeds = []string{
	`{"id":"a","moves":[["B","c3"],["W","c4"],["B","d4"]],"analyzeTurns":[0,1,3],"maxVisits":3,"boardXSize":7,"boardYSize":7}`,
	`{"id":"b","rules":"renju","initialStones":[["B","c3"],["W","d4"]],"initialPlayer":"B","boardXSize":7,"includePolicy":true,"includeThreats":true,"maxVisits":2}`,
	`{"id":"c","engine":"each","maxNodes":30,"maxVisits":2,"boardYSize":6,"avoidMoves":[{"player":"B","moves":["a1","b2"],"untilDepth":2}]}`,
	`{"id":"d","rules":{"name":"school42","openRule":false},"captured":[2,0],"boardXSize":7,"boardYSize":7,"maxVisits":1,"priority":-3,"overrideSettings":{"cpuct":2,"alphabeta.scout":"off"}}`,
	`{"id":"e","game":"onitama","moves":["crane a1a2"],"engine":"alphabeta","maxNodes":20,"lines":3,"maxDepth":2}`,
	`{"id":"f","boardXSize":5,"boardYSize":5,"maxVisits":2,"allowMoves":[{"player":"W","moves":[],"untilDepth":1}],"moves":["c3"],"priorities":[4],"analyzeTurns":[1],"analysisPVLen":3}`,
	`{"id":"a","action":"query_version"}`, `{"id":"m","action":"query_models"}`, `{"id":"x","action":"clear_cache"}`,
	`{"id":"p","action":"query_position","moves":["c3","d4"],"boardXSize":7,"turnNumber":1,"rules":"renju"}`, `{"id":"s","action":"query_swap2","boardXSize":9,"moves":["c3","d4","e5"],"maxNodes":40,"seed":1}`,
	`{"id":"c","action":"query_certificate","moves":["h8","a1","i8","a3","j8"],"winner":"B","maxNodes":2000}`,
	`{"id":"o","action":"query_opening","boardXSize":5,"count":1,"plies":[0,2],"tolerance":1,"seed":3}`, `{"id":"l","level":"easy","seed":9,"boardXSize":5}`,
	`{"id":"t","action":"terminate","terminateId":"a","turnNumbers":[1]}`, `{"id":"t","action":"terminate_all"}`,
}

// junk stands in the place of parts of good lines.
var junk = []string{
	`null`, `true`, `-1`, `0`, `1000000000000`, `1e999`, `-0`, `0.5`, `NaN`, `""`, `"a"`, `[]`, `[[]]`, `{}`, `{"a":{}}`, `[["B","a1"]]`, `["pass"]`, `"\u0000\ud800"`,
	"\x00", "\xff\xfe", "\u202e", `\`, `"`, `{`, `]`, `,`, `:`, `"id"`, `"moves"`, strings.Repeat("[", 300), strings.Repeat(`{"a":`, 50), strings.Repeat("9", 50), `"` + strings.Repeat("z", 3000) + `"`,
}

// spoiled returns a line in which something is wrong, mostly.
func spoiled(rng *rand.Rand) string {
	line := seeds[rng.IntN(len(seeds))]
	for range rng.IntN(4) {
		at := rng.IntN(len(line))
		end := min(len(line), at+rng.IntN(8))
		switch rng.IntN(4) {
		case 0: // a value of a field becomes another
			var of map[string]json.RawMessage
			if json.Unmarshal([]byte(line), &of) == nil && len(of) > 0 {
				keys := sortedKeys(of)
				if value := json.RawMessage(junk[rng.IntN(len(junk))]); json.Valid(value) {
					of[keys[rng.IntN(len(keys))]] = value
					text, _ := json.Marshal(of)
					line = string(text)
				}
			}
		case 1:
			line = line[:at] + junk[rng.IntN(len(junk))] + line[end:]
		case 2:
			line = line[:at] + line[end:]
		default:
			line = line[:end] + line[at:]
		}
		if line == "" {
			return "{}"
		}
	}
	return strings.ReplaceAll(line, "\n", " ")
}

// Whatever a peer sends, the service goes on, says only what its schema has, and
// answers a good query in the end.
func TestHostilePeer(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 7))
	lines := make([]string, 0, *hostile+1)
	for range *hostile {
		lines = append(lines, spoiled(rng))
	}
	lines = append(lines, `{"id":"good","boardXSize":7,"boardYSize":7,"maxVisits":5,"priority":-9}`)
	o := small()
	o.MaxVisits, o.MaxNodes = 3, 50
	var out bytes.Buffer
	s := newService(t, o)
	if err := s.Serve(context.Background(), strings.NewReader(strings.Join(lines, "\n")), &out, Finish); err != nil {
		t.Fatal(err)
	}
	good := 0
	for line := range strings.Lines(out.String()) {
		m := parsed(t, line)
		if strings.Contains(m.Error, "internal error") {
			t.Errorf("%s", line)
		}
		if m.ID == "good" && m.Opinion != nil {
			good++
		}
	}
	if good != 1 || s.open != 0 || s.held != 0 {
		t.Errorf("%d good answers, %d tasks with %d bytes are left", good, s.open, s.held)
	}
}

// FuzzLine sends any line to a client whose tasks nobody takes. What was accepted is
// within bounds; what is said is as the schema has it.
func FuzzLine(f *testing.F) {
	for _, line := range seeds {
		f.Add([]byte(line))
	}
	for i, j := range junk {
		f.Add([]byte(fmt.Sprintf(`{"id":"%d","moves":%s}`, i, j)))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		o := small()
		if len(line)%2 == 0 {
			o.Dialect = KataGo
		}
		s := newService(t, o)
		c := s.Connect(func(m any, _ bool) { parsed(t, string(Line(m))) })
		c.Handle(line)
		for task := range c.tasks {
			q := task.query
			pos := q.At(task.turn)
			if q.job == nil && q.MaxVisits < 1 || q.job == nil && q.MaxNodes < 1 || len(q.Moves) > mostMoves || task.turn > len(q.Moves) || pos == nil {
				t.Errorf("%s: %+v", line, q)
			}
		}
		if c.Leave(); s.open != 0 || s.held != 0 {
			t.Errorf("%s: %d tasks, %d bytes are left", line, s.open, s.held)
		}
	})
}
