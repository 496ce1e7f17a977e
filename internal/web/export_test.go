package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
)

// exported asks for a game in a format.
func (s *site) exported(fields string) reply {
	s.t.Helper()
	return s.post("/api/export", "application/json", fields)
}

// Any game that is exported comes back by import as it was: in SGF with its rule,
// tree and comments, in the others as its moves.
func TestExportRoundTrip(t *testing.T) {
	s := open(t, small(), Options{})
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(gomoku.Names()).Draw(t, "rule")
		rules, _ := gomoku.Lookup(rule)
		b, _ := gomoku.New(rules, 15)
		n := gomoku.Notation{Size: 15}
		tree := []map[string]any{}
		moves := []string{}
		for range rapid.IntRange(0, 12).Draw(t, "plies") {
			legal := b.Moves(nil)
			if b.Outcome() != game.Undecided {
				break
			}
			m := legal[rapid.IntRange(0, len(legal)-1).Draw(t, "move")]
			b.Play(m)
			moves = append(moves, n.FormatMove(m))
			node := map[string]any{"parent": len(tree) - 1, "move": n.FormatMove(m)}
			if rapid.Bool().Draw(t, "spoken") {
				node["comment"] = rapid.StringMatching(`[a-z\]\\:;()][ a-z\]\\:;()é]{0,9}[a-z]`).Draw(t, "comment")
			}
			tree = append(tree, node)
		}
		branched := len(moves) > 1 && rapid.Bool().Draw(t, "branched")
		if branched {
			tree = append(tree, map[string]any{"parent": -1, "move": n.FormatMove(other(moves[0]))})
		}
		for _, format := range []string{"sgf", "text"} {
			body, _ := json.Marshal(map[string]any{
				"format": format, "rules": rule, "moves": moves, "tree": tree, "black": "a", "result": "B+R",
			})
			file := s.exported(string(body))
			if file.status != 200 {
				t.Fatalf("%s: %d %s", format, file.status, file.body)
			}
			if len(moves) == 0 && format != "sgf" {
				continue
			}
			back := s.post("/api/import?rules="+rule, "application/octet-stream", file.body)
			var got board.Imported
			if err := json.Unmarshal([]byte(back.body), &got); err != nil || back.status != 200 || len(got.Games) == 0 {
				t.Fatalf("%s: %s\n%s", format, file.body, back.body)
			}
			g := got.Games[0]
			if fmt.Sprint(g.Moves) != fmt.Sprint(moves) {
				t.Fatalf("%s: %v, want %v", format, g.Moves, moves)
			}
			if format == "sgf" && (g.Rules != rule || g.Black != "a" || g.Result != "B+R" ||
				branched != (len(g.Tree) > len(moves)) || !spoken(g, tree)) {
				t.Fatalf("%s\n%s\n%v", file.body, back.body, tree)
			}
		}
	})
}

// other returns a cell that is not the named one.
func other(name string) game.Move {
	if name == "a1" {
		return 1
	}
	return 0
}

// spoken reports whether the comments of a tree came back.
func spoken(g *board.Game, tree []map[string]any) bool {
	for i, node := range tree {
		want, _ := node["comment"].(string)
		got := ""
		if i < len(g.Tree) {
			got = g.Tree[i].Comment
		}
		if got != want {
			return false
		}
	}
	return true
}

// drawn is a tree with all that is said of its nodes, marks in the order of their kinds.
const drawn = `[{"parent":-1,"move":"h8","comment":"x","labels":[["a1","a]b:c\\"],["o15",""]],"marks":[["h8",` +
	`"triangle"],["a1","square"],["b2","square"],["c3","circle"],["o1","cross"]],"value":0.75},` +
	`{"parent":0,"move":"i9"},{"parent":1,"move":"j7","labels":[["k10","1"]]},{"parent":0,"move":"i10",` +
	`"marks":[["i10","circle"]]}]`

// Labels and marks come back from SGF.
func TestExportOfDrawings(t *testing.T) {
	s := open(t, small(), Options{})
	file := s.exported(`{"format":"sgf","rules":"caro","tree":` + drawn + `}`)
	back := s.post("/api/import", "application/octet-stream", file.body)
	if file.status != 200 || !strings.Contains(back.body, `"tree":`+drawn+`}`) {
		t.Errorf("%s\n%s\nwant %s", file.body, back.body, drawn)
	}
}

// Mistakes of an export name the field, one case for each kind.
func TestExportProblems(t *testing.T) {
	s := open(t, small(), Options{})
	node := func(fields string) string { return `"format":"sgf","tree":[{"parent":-1,"move":"h8",` + fields + `}]` }
	for _, c := range []struct{ fields, field, want string }{
		{`"format":"lib"`, "format", "text"},
		{`"format":"svg","turnNumber":1.5`, "turnNumber", "want a whole number, found number 1.5"},
		{`"format":"svg","turnNumber":1`, "turnNumber", "0 to 0"},
		{`"format":"sgf","size":9`, "size", "unknown field: want one of game, rules, boardXSize"},
		{`"format":"sgf","game":"onitama","openRule":true`, "openRule", "openRule is for gomoku, not for onitama"},
		{`"format":"sgf","tree":[null]`, "tree[0]", "entry 1"},
		{`"format":"sgf","tree":[{"parent":-1,"move":"h8i9"}]`, "tree[0]", "no move"},
		{`"format":"sgf","comment":"` + strings.Repeat(`\u0001`, 5000) + `"`, "comment", "control characters"},
		{node(`"comment":"` + strings.Repeat("x", 1_500_000) + `"`), "tree[0].comment", "500000"},
		{node(`"labels":[["h8","a"],["p1","a"]]`), "tree[0].labels[1]", `"p1" is no point`},
		{node(`"marks":[` + strings.Repeat(`["h8","circle"],`, 1024) + `["h8","Circle"]]`), "tree[0].marks", "at most 1024"},
		{`"format":"html","language":"xx"`, "language", "want one of en, vi"},
		{`"format":"html","moves":["h8"],"turns":[{"turnNumber":2,"value":0.5}]`, "turns[0].turnNumber", "0 to 1"},
	} {
		got := s.exported("{" + c.fields + "}")
		text, code, field := errorOf(t, got)
		if got.status != 400 || code != analysis.Invalid || field != c.field || !strings.Contains(text, c.want) {
			t.Errorf("%.60s: %d %s", c.fields, got.status, got.body)
		}
	}
	for body, want := range map[string]analysis.Code{
		strings.Repeat(`{"a":`, 20_000): analysis.Malformed, `{"format":"sgf","moves":["h8","h8"]}`: analysis.Illegal,
		`{` + node(`"comment":"x"},{"parent":0,"move":"h8"`) + `}`: analysis.Illegal,
	} {
		if _, code, _ := errorOf(t, s.exported(body)); code != want {
			t.Errorf("%.60s: %s, want %s", body, code, want)
		}
	}
}

// A review is a page, or comments in SGF, whatever the game begins with.
func TestExportReview(t *testing.T) {
	s := open(t, small(), Options{})
	const turns = `"turns":[{"turnNumber":0,"value":0.7,"best":"h9","line":["h9","h10"]},{"turnNumber":1,"value":0.3}]`
	for _, game := range []string{
		`"moves":["i9"]`, `"initialPosition":"h8g8","moves":["i9"]`, `"initialStones":[["B","h8"],["W","g8"]],"moves":["i9"]`,
		`"moves":["i9"],"tree":[{"parent":-1,"move":"a1"},{"parent":-1,"move":"i9","comment":"hm"}]`,
	} {
		page := s.exported(`{"format":"html","language":"vi",` + game + `,` + turns + `}`)
		if page.status != 200 || !strings.Contains(page.header.Get("Content-Type"), "text/html") ||
			!strings.Contains(page.body, "sai lầm nặng −40%") || page.header.Get("Content-Disposition") == "" {
			t.Errorf("%s: %d %.200s", game, page.status, page.body)
		}
		sgf := s.exported(`{"format":"sgf",` + game + `,` + turns + `}`)
		if sgf.status != 200 || !strings.Contains(sgf.body, "B[ig]V[-0.4]C[") ||
			!strings.Contains(sgf.body, "Blunder: gives away 40%; better h9; line: h9 h10.") ||
			!strings.Contains(sgf.body, ";B[hg];W[hf]") {
			t.Errorf("%s: %d %s", game, sgf.status, sgf.body)
		}
		if bare := s.exported(`{"format":"sgf",` + game + `}`); strings.Contains(bare.body, "V[") {
			t.Errorf("%s: without turns %s", game, bare.body)
		}
	}
	if page := s.exported(`{"format":"html","game":"onitama","moves":[]}`); page.status != 200 ||
		strings.Contains(page.body, `id="board"`) {
		t.Errorf("Onitama: %d %.200s", page.status, page.body)
	}
}

// FuzzExport sends any body to the handler, which answers with a status that it
// has.
func FuzzExport(f *testing.F) {
	for _, seed := range []string{
		`{"format":"sgf","moves":["h8"],"tree":[{"parent":-1,"move":"h8","comment":"x"}]}`,
		`{"format":"sgf","tree":` + drawn + `}`, `{"format":"text","game":"onitama"}`,
		`{"format":"text","initialStones":[["B","h8"]]}`,
		`{"format":"sgf","openRule":true,"rules":{"name":"caro"}}`,
		`{"format":"svg","moves":["a1"],"boardXSize":5,"turnNumber":0}`,
	} {
		f.Add([]byte(seed))
	}
	s := open(f, small(), Options{})
	f.Fuzz(func(t *testing.T, body []byte) {
		s.t = t
		if got := s.exported(string(body)); got.status != http.StatusOK && got.status != http.StatusBadRequest &&
			got.status != http.StatusRequestEntityTooLarge {
			t.Fatalf("%d %s", got.status, got.body)
		}
		s.t = f
	})
}
