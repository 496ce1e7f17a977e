package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
)

// What is wrong with a line is said once, with the field, and nothing is done.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		line        string
		code        Code
		field, want string
	}{
		{`nonsense`, Malformed, "", "JSON object"},
		{strings.Repeat(`{"a":`, 20_000), Malformed, "", "JSON object"},
		{`{"moves":[]}`, Invalid, "id", "string"},
		{`{"id":"` + strings.Repeat("x", 2000) + `"}`, TooBig, "id", "too long"},
		{`{"id":"a","action":"dance"}`, Invalid, "action", "query_version"},
		{`{"id":"a","game":"chess"}`, Invalid, "game", "onitama"},
		{`{"id":"a","rules":{"name":"` + strings.Repeat("x", 99) + `"}}`, TooBig, "rules.name", "at most 64"},
		{`{"id":"a","moves":[["B","` + strings.Repeat("h8", 99) + `"]]}`, Invalid, "moves[0][1]", "bytes"},
		{`{"id":"a","moves":[["B","h8"],["W","h8"]]}`, Illegal, "moves[1]", "move 2"},
		{`{"id":"a","moves":[` + strings.Repeat(`"a1",`, 2500) + `"a1"]}`, TooBig, "moves", "at most"},
		{`{"id":"a","initialStones":[["B","h8"],["W","h8"]]}`, Illegal, "initialStones[1]", "entry 2"},
		{`{"id":"a","captured":[2,2]}`, Illegal, "captured",
			"illegal setup: first has captured 2; nothing is captured under caro"},
		{`{"id":"a","game":"onitama","rules":{"openRule":true}}`, Invalid, "rules.openRule",
			"openRule is for gomoku, not for onitama"},
		{`{"id":"a","game":"onitama","rules":"renju"}`, Invalid, "rules", "onitama has no such rules"},
		{`{"id":"a","analyzeTurns":[1]}`, Invalid, "analyzeTurns[0]", "0 to 0"},
		{`{"id":"a","reportDuringSearchEvery":0}`, Invalid, "reportDuringSearchEvery", "0.001"},
		{`{"id":"a","avoidMoves":[{"player":"B","moves":[8],"untilDepth":1}]}`, Invalid, "avoidMoves[0].moves[0]", "string"},
		{`{"id":"a","allowMoves":[{"player":"B","moves":["h8"],"untilDepth":1},` +
			`{"player":"B","moves":["h7"],"untilDepth":1}]}`, Invalid, "allowMoves[1]", "entry 2"},
		{`{"id":"a","overrideSettings":{"alphabeta.table":1000}}`, Invalid, `overrideSettings["alphabeta.table"]`, "table"},
		{`{"id":"a","overrideSettings":{"vct":1001}}`, Invalid, "overrideSettings.vct", "1000"},
		{`{"id":"a","level":"easy","maxNodes":3}`, Invalid, "maxNodes", "leave it out"},
		{`{"id":"a","action":"query_opening","plies":[3,99]}`, Invalid, "plies[1]", "16"},
		{`{"id":"a","action":"query_swap2","moves":["h8"]}`, Invalid, "moves", "3 or 5"},
	} {
		o := small()
		o.Limits = Limits{Nodes: 5000, Solver: 1000}
		m := talk(t, o, c.line)
		if len(m) != 1 || m[0].Code != c.code || m[0].Field != c.field || !strings.Contains(m[0].Error, c.want) ||
			len(m[0].Error) > 400 {
			t.Errorf("%.120s: %.400v, want one message of %s about %q with %q", c.line, m, c.code, c.field, c.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	for line, want := range map[string]string{
		`"maxVisits":1,"maxVisit":3,"komi":7.5,"includeOwnership":false`:                "includeOwnership komi maxVisit",
		`"maxVisits":1,"overrideSettings":{"wideRootNoise":0.1,"cpuctExploration":1.5}`: "overrideSettings.wideRootNoise",
		`"maxVisits":1,"maxNodes":5`: "maxNodes",
		`"maxVisits":1,"q1":1,"q2":1,"q3":1,"q4":1,"q5":1,"q6":1,"q7":1,"q8":1,"q9":1,"r1":1,"r2":1,"r3":1`: ` q1 q2 q3 q4 ` +
			`q5 q6 q7 q8 q9 r1`,
		`"maxNodes":9,"engine":"alphabeta","includePolicy":true` +
			`,"avoidMoves":[{"player":"B","moves":["a1"],"untilDepth":3}]`: "avoidMoves includePolicy",
	} {
		var fields []string
		answers := 0
		for _, m := range talk(t, small(), `{"id":"a",`+line+`}`) {
			if m.Warning != "" {
				fields = append(fields, m.Field)
			} else if len(m.MoveInfos) > 0 {
				answers++
			}
		}
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != want || answers != 1 {
			t.Errorf("%s: warnings about %q, want %q; %d answers", line, got, want, answers)
		}
	}
}

// Settings change what they name.
func TestSettings(t *testing.T) {
	o := small()
	for _, c := range []struct{ settings, want string }{
		{`{"cpuctExploration":3.5,"solver":0}`, "solver-root=200,solver-replies=50,memory=16,cpuct=3.5,solver-leaf=0"},
		{`{"in-flight":4,"memory":8}`, "solver-leaf=100,solver-root=200,solver-replies=50,in-flight=4,memory=8"},
	} {
		q := mustParse(t, &o, `{"id":"a","overrideSettings":`+c.settings+`}`)
		want := treeOf(c.want)
		if a, b := option.Format(treeSettings, &q.tree), option.Format(treeSettings, &want); a != b {
			t.Errorf("%s: %s, want %s", c.settings, a, b)
		}
	}
	q := mustParse(t, &o, `{"id":"a","maxVisits":7,"overrideSettings":{"alphabeta.lmr":"off","maxTime":0.5,`+
		`"maxVisits":9}}`)
	if lmr, _ := option.Find(players.AlphabetaSettings, "lmr"); lmr.Text(&q.classical) != "off" ||
		q.MaxTime.Seconds() != 0.5 || q.MaxVisits != 7 {
		t.Errorf("%+v", q)
	}
	if q := mustParse(t, &o, `{"id":"a","overrideSettings":{"maxVisits":9}}`); q.MaxVisits != 9 {
		t.Errorf("%d visits", q.MaxVisits)
	}
}

func mustParse(t *testing.T, o *Options, line string) *Query {
	t.Helper()
	var of map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &of); err != nil {
		t.Fatal(err)
	}
	d := o.withDefaults()
	q, _, wrong := parseQuery("a", of, len(line), &d)
	if wrong != nil {
		t.Fatal(wrong)
	}
	return q
}

// The same position by moves, by stones and as a text has the same hash and answer.
func TestWaysToAPosition(t *testing.T) {
	var texts []string
	for _, start := range []string{
		`"moves":["h8","i9","j7"]`,
		`"moves":[["b","h8"],["white","I9"],["first","j7"]]`,
		`"initialStones":[["B","h8"],["W","i9"],["B","j7"]],"initialPlayer":"W"`,
		`"initialStones":[["B","h8"],["W","i9"]],"moves":[["B","j7"]]`,
		`"initialPosition":"h8i9","moves":["j7"]`,
		`"initialPosition":"h8i9j7"`,
	} {
		m := one(t, small(), `{"id":"a",`+start+`}`)
		m.TurnNumber = 0
		text, _ := json.Marshal(m.Answer)
		texts = append(texts, string(text))
	}
	for _, text := range texts[1:] {
		if text != texts[0] {
			t.Errorf("%s\n%s", texts[0], text)
		}
	}
	m := one(t, small(), `{"id":"a","moves":[["W","h8"]]}`)
	if m.RootInfo.CurrentPlayer != "B" {
		t.Errorf("after White's first move it is %s's turn", m.RootInfo.CurrentPlayer)
	}
}

// The options' rules, size and opening rule are those of their game, whether or not a query
// names it.
func TestNamedGame(t *testing.T) {
	o := small()
	o.Variant = games.VariantOptions{Rule: "renju", Size: 19, OpenRule: true}
	want := mustParse(t, &o, `{"id":"a","moves":["s1"]}`).Variant
	for _, named := range []string{"", games.Gomoku} {
		o.Variant.Game = named
		if got := mustParse(t, &o, `{"id":"a","game":"gomoku","moves":["s1"]}`).Variant; got != want {
			t.Errorf("%q: %+v, want %+v", named, got, want)
		}
		if got := mustParse(t, &o, `{"id":"a","game":"onitama"}`).Variant; got.Game != games.Onitama {
			t.Errorf("%q: %+v", named, got)
		}
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
	`{"id":"s","action":"query_swap2","boardXSize":9,"moves":["c3","d4","e5"],"maxNodes":40}`,
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
				keys := slices.Sorted(maps.Keys(of))
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
