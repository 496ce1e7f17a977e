package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/search"
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
	document, err := os.ReadFile("../../../docs/analysis.md")
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

// No error of this package or of the server is without a code, also those that no test
// can bring about.
func TestNoErrorWithoutACode(t *testing.T) {
	found := 0
	for _, dir := range []string{".", "../web"} {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				literal, ok := n.(*ast.CompositeLit)
				if !ok || !slices.Contains(fieldsOf(literal), "Error") {
					return true
				}
				found++
				if !slices.Contains(fieldsOf(literal), "Code") {
					t.Errorf("%v: an error without a code", files.Position(n.Pos()))
				}
				return true
			})
		}
	}
	if found < 10 {
		t.Errorf("%d errors are made", found)
	}
}

// fieldsOf returns the names of the fields that a literal sets.
func fieldsOf(literal *ast.CompositeLit) (names []string) {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok {
				names = append(names, name.Name)
			}
		}
	}
	return names
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
