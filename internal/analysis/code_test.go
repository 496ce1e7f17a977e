package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// own are the codes of this package's own errors; the others are of HTTP.
var own = []Code{Malformed, Invalid, Illegal, TooBig, Busy, Failed, Internal}

// The schema, which every message of the tests is held against, has the codes of the
// list.
func TestCodesAreThoseOfTheSchema(t *testing.T) {
	var s struct {
		Defs struct {
			Code struct{ Enum []Code }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &s); err != nil || !slices.Equal(s.Defs.Code.Enum, own) {
		t.Errorf("%v, %v, want %v", s.Defs.Code.Enum, err, own)
	}
	if all := Codes(); !slices.Equal(all[:len(own)], own) ||
		len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("%v", all)
	}
}

var hostile = flag.Int("hostile", 10_000, "hostile messages that one service is sent")

// seeds are good lines, from which bad ones are made.
var seeds = []string{
	`{"id":"a","moves":[["B","c3"],["W","c4"],["B","d4"]],"analyzeTurns":[0,1,3],"maxVisits":3,"boardXSize":7,` +
		`"boardYSize":7}`,
	`{"id":"b","rules":"renju","initialStones":[["B","c3"],["W","d4"]],"initialPlayer":"B","boardXSize":7,` +
		`"includePolicy":true,"includeThreats":true,"maxVisits":2}`,
	`{"id":"c","engine":"each","maxNodes":30,"maxVisits":2,"boardYSize":6,"avoidMoves":[{"player":"B","moves":["a1",` +
		`"b2"],"untilDepth":2}]}`,
	`{"id":"d","rules":{"name":"school42","openRule":false},"captured":[2,0],"boardXSize":7,"boardYSize":7,` +
		`"maxVisits":1,"priority":-3,"overrideSettings":{"cpuct":2,"alphabeta.scout":"off"}}`,
	`{"id":"e","game":"onitama","moves":["crane a1a2"],"engine":"alphabeta","maxNodes":20,"lines":3,"maxDepth":2}`,
	`{"id":"f","boardXSize":5,"boardYSize":5,"maxVisits":2,"allowMoves":[{"player":"W","moves":[],"untilDepth":1}],` +
		`"moves":["c3"],"priority":4,"analyzeTurns":[1],"analysisPVLen":3}`,
	`{"id":"a","action":"query_version"}`, `{"id":"m","action":"query_models"}`, `{"id":"x","action":"clear_cache"}`,
	`{"id":"p","action":"query_position","moves":["c3","d4"],"boardXSize":7,"turnNumber":1,"rules":"renju"}`,
	`{"id":"s","action":"query_swap2","boardXSize":9,"moves":["c3","d4","e5"],"maxNodes":40,"seed":1}`,
	`{"id":"c","action":"query_certificate","moves":["h8","a1","i8","a3","j8"],"winner":"B","maxNodes":2000}`,
	`{"id":"o","action":"query_opening","boardXSize":5,"count":1,"plies":[0,2],"tolerance":1,"seed":3}`,
	`{"id":"l","level":"easy","seed":9,"boardXSize":5}`,
	`{"id":"t","action":"terminate","terminateId":"a","turnNumbers":[1]}`, `{"id":"t","action":"terminate_all"}`,
}

// junk stands in the place of parts of good lines.
var junk = []string{
	`null`, `true`, `-1`, `0`, `1000000000000`, `1e999`, `-0`, `0.5`, `NaN`, `""`, `"a"`, `[]`, `[[]]`, `{}`, `{"a":{}}`,
	`[["B","a1"]]`, `["pass"]`, `"\u0000\ud800"`,
	"\x00", "\xff\xfe", "\u202e", `\`, `"`, `{`, `]`, `,`, `:`, `"id"`, `"moves"`, strings.Repeat("[",
		300), strings.Repeat(`{"a":`, 50), strings.Repeat("9", 50), `"` + strings.Repeat("z", 3000) + `"`,
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
		s := newService(t, small())
		c := s.Connect(func(m any, _ bool) { parsed(t, string(Line(m))) })
		c.Handle(line)
		for task := range c.tasks {
			q := task.query
			pos := q.At(task.turn)
			if q.job == nil && q.MaxVisits < 1 || q.job == nil && q.MaxNodes < 1 || len(q.Moves) > mostMoves ||
				task.turn > len(q.Moves) || pos == nil {
				t.Errorf("%s: %+v", line, q)
			}
		}
		if c.Leave(); s.open != 0 || s.held != 0 {
			t.Errorf("%s: %d tasks, %d bytes are left", line, s.open, s.held)
		}
	})
}
