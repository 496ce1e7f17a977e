package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/gif"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/analysis"
)

// usual is what games that name no rules are of.
var usual = games.VariantOptions{Rule: "caro", Size: 15}

// Whatever the form, the games that are read are those that were written.
func TestImport(t *testing.T) {
	s := open(t, small(), Options{})
	for _, c := range []struct{ path, body, want string }{
		{"/api/import", "h8i9j7", `{"format":"text","games":[{"game":"gomoku","rules":"caro","size":15,"moves":["h8","i9","j7"]}]}`},
		{"/api/import?rules=renju&size=9", "\ufeff a1 \nb2 # two\n", `{"format":"text","games":[{"game":"gomoku","rules":"renju","size":9,"moves":["a1"]},{"game":"gomoku","rules":"renju","size":9,"moves":["b2"]}]}`},
		{"/api/import", "(;GM[4]SZ[9]RU[standard]PB[a]PW[b]RE[W+R]C[hello];B[aa]V[0.5];W[ba]C[why])", `{"format":"sgf","games":[{"game":"gomoku","rules":"standard","size":9,"moves":["a9","b9"],"result":"W+R","reason":"resign","title":"a - b","black":"a","white":"b","comment":"hello","values":[null,0.75,null],"tree":[{"parent":-1,"move":"a9","value":0.75},{"parent":0,"move":"b9","comment":"why"}]}]}`},
		{"/api/import", "(;GM[4]SZ[15]RU[unheard of]AB[hh]AW[ii];B[aa](;W[bb])(;W[cc];B[dd]))", `{"format":"sgf","games":[{"game":"gomoku","rules":"caro","size":15,"initialStones":[["B","h8"],["W","i7"]],"initialPlayer":"B","moves":["a15","b14"],"tree":[{"parent":-1,"move":"a15"},{"parent":0,"move":"b14"},{"parent":0,"move":"c13"},{"parent":2,"move":"d12"}]}]}`},
		{"/api/import", "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,12\na\nb\n0\n1,caro\n", ""},
		{"/api/import", ".....\n..X..\n..O..\n.....\n.....\n", `{"format":"diagram","games":[{"game":"gomoku","rules":"caro","size":5,"initialStones":[["W","c3"],["B","c4"]],"initialPlayer":"B","moves":[]}]}`},
		{"/api/import", "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2", `{"format":"text","games":[{"game":"onitama","rules":"onitama","size":5,"initialPosition":"Monkey,Crane/Tiger,Crab/Dragon","moves":["crane c1c2"]}]}`},
	} {
		got := s.post(c.path, "text/plain", c.body)
		if got.status != 200 || c.want != "" && strings.TrimSpace(got.body) != c.want {
			t.Errorf("%q: %d %s\nwant %s", c.body, got.status, got.body, c.want)
		}
	}
}

// What is wrong is said in one line, with the place.
func TestImportProblems(t *testing.T) {
	s := open(t, small(), Options{})
	for _, c := range []struct {
		path, body string
		status     int
		code       analysis.Code
		want       string
	}{
		{"/api/import", "", 400, analysis.Malformed, "no games"},
		{"/api/import", "hello", 400, analysis.Malformed, "line 1"},
		{"/api/import", "h8h8", 400, analysis.Illegal, "move 2, h8"},
		{"/api/import", "h8\nh8h8", 400, analysis.Illegal, "game 2"},
		{"/api/import", "(;GM[1]SZ[19];B[aa])", 400, analysis.Malformed, "another game"},
		{"/api/import", "(;GM[4]SZ[15];B[hh]", 400, analysis.Malformed, "ends inside"},
		{"/api/import", "\x00\x01\x02", 400, analysis.Malformed, "none of these"},
		{"/api/import", "XXXXX\n.....\n.....\n.....\n.....", 400, analysis.Illegal, "5 stones of first and 0 of second do not tell whose turn it is"},
		{"/api/import?rules=chess", "h8", 400, analysis.Invalid, "caro"},
		{"/api/import?game=chess", "h8", 400, analysis.Invalid, "onitama"},
		{"/api/import?size=99", "h8", 400, analysis.Invalid, "5 to 22"},
		{"/api/import", strings.Repeat("h8\n", 1001), 413, analysis.TooBig, "1000 games"},
		{"/api/import", "(;GM[4]SZ[15]" + strings.Repeat("(;B[aa])", 100_001) + ")", 413, analysis.TooBig, "100000"},
		{"/api/import", "(;GM[4]SZ[15]" + strings.Repeat("(", 100_000), 413, analysis.TooBig, "deep"},
	} {
		got := s.post(c.path, "application/octet-stream", c.body)
		text, code, _ := errorOf(t, got)
		if got.status != c.status || code != c.code || !strings.Contains(text, c.want) || strings.Contains(text, "--") {
			t.Errorf("%.40q: %d %s", c.body, got.status, got.body)
		}
	}
	if got := s.post("/api/import", "multipart/form-data", "h8"); got.status != 415 {
		t.Errorf("a form: %d", got.status)
	}
}

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
		for _, format := range []string{"sgf", "psq", "lib", "text"} {
			body, _ := json.Marshal(map[string]any{"format": format, "rules": rule, "moves": moves, "tree": tree, "black": "a", "result": "B+R"})
			file := s.exported(string(body))
			if file.status != 200 {
				t.Fatalf("%s: %d %s", format, file.status, file.body)
			}
			if len(moves) == 0 && format != "sgf" {
				continue
			}
			back := s.post("/api/import?rules="+rule, "application/octet-stream", file.body)
			var got imported
			if err := json.Unmarshal([]byte(back.body), &got); err != nil || back.status != 200 || len(got.Games) == 0 {
				t.Fatalf("%s: %s\n%s", format, file.body, back.body)
			}
			g := got.Games[0]
			if fmt.Sprint(g.Moves) != fmt.Sprint(moves) {
				t.Fatalf("%s: %v, want %v", format, g.Moves, moves)
			}
			if format == "sgf" && (g.Rules != rule || g.Black != "a" || g.Result != "B+R" || branched != (len(g.Tree) > len(moves)) || !spoken(g, tree)) {
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
func spoken(g *Game, tree []map[string]any) bool {
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

// Moves of the initial position are moves of the file, as they are in the position;
// stones that were set up stay stones.
func TestExportOfAStart(t *testing.T) {
	s := open(t, small(), Options{})
	const deal = "Monkey,Crane/Tiger,Crab/Dragon"
	for fields, want := range map[string]string{
		`"format":"text","initialPosition":"h8i9","moves":["j7"]`:                                                      "h8i9j7\n",
		`"format":"text","initialPosition":"h8i9","tree":[{"parent":-1,"move":"a1"},{"parent":-1,"move":"a2"}]`:        "h8i9a1\nh8i9a2\n",
		`"format":"text","game":"onitama","initialPosition":"` + deal + `:crane c1c2","moves":["crab c5c4"]`:           deal + ":crane c1c2 crab c5c4\n",
		`"format":"sgf","rules":"renju","initialStones":[["B","h8"],["W","i9"],["B","a1"]],"moves":["a2"],"white":"w"`: "(;GM[4]FF[4]CA[UTF-8]SZ[15]\nRU[renju]\nPW[w]\nAB[ao][hh]\nAW[ig]\n;W[an])\n",
	} {
		if got := s.exported("{" + fields + "}"); got.status != 200 || got.body != want {
			t.Errorf("%s: %d %q, want %q", fields, got.status, got.body, want)
		}
	}
}

// Pictures are what they say they are.
func TestPictures(t *testing.T) {
	s := open(t, small(), Options{Limits: Limits{Request: time.Hour}})
	s.client.Timeout = 0 // under the race detector drawing takes long
	for _, fields := range []string{`"moves":["h8","i9","j7"]`, `"game":"onitama","moves":["crane a1a2"]`, `"initialStones":[["B","h8"]],"moves":["a1"]`} {
		svg := s.exported(`{"format":"svg",` + fields + `}`)
		if svg.status != 200 || !strings.HasPrefix(svg.body, "<svg") && !strings.HasPrefix(svg.body, "<?xml") {
			t.Errorf("%d %.100s", svg.status, svg.body)
		}
		if first := s.exported(`{"format":"svg","turnNumber":0,` + fields + `}`); first.body == svg.body {
			t.Error("turn 0 looks like the last one")
		}
		if _, err := png.Decode(strings.NewReader(s.exported(`{"format":"png","numbers":false,` + fields + `}`).body)); err != nil {
			t.Error(err)
		}
		film, err := gif.DecodeAll(strings.NewReader(s.exported(`{"format":"gif",` + fields + `}`).body))
		if moves := strings.Count(fields[strings.Index(fields, "moves"):], `"`) / 2; err != nil || len(film.Image) != moves+1 {
			t.Errorf("%s: %v, want %d frames", fields, err, moves+1)
		}
	}
}

// Mistakes of an export name the field.
func TestExportProblems(t *testing.T) {
	s := open(t, small(), Options{})
	for _, c := range []struct {
		body        string
		code        analysis.Code
		field, want string
	}{
		{`{"moves":[]}`, analysis.Invalid, "format", "sgf"},
		{`{"format":"bmp"}`, analysis.Invalid, "format", "sgf"},
		{`{"format":3}`, analysis.Invalid, "format", "want a text, found number"},
		{`{"format":"sgf","openRule":"x"}`, analysis.Invalid, "openRule", "want true or false, found string"},
		{`{"format":"svg","turnNumber":1.5}`, analysis.Invalid, "turnNumber", "want a whole number, found number 1.5"},
		{`{"format":"sgf","tree":{}}`, analysis.Invalid, "tree", "want a list, found object"},
		{`{"format":"sgf","tree":[3]}`, analysis.Invalid, "tree", "want an object, found number"},
		{`{"format":"sgf","tree":[{"parent":-1,"move":"h8","value":"x"}]}`, analysis.Invalid, "tree.value", "want a number, found string"},
		{`{"format":"sgf","tree":[{"parent":-1,"move":"h8","labels":[3]}]}`, analysis.Invalid, "tree.labels", "want a list, found number"},
		{`[]`, analysis.Malformed, "", "want a JSON object, found array"},
		{`{"format":"sgf"} x`, analysis.Malformed, "", "JSON object"},
		{strings.Repeat(`{"a":`, 20_000), analysis.Malformed, "", "JSON object"},
		{`{"format":"sgf","moves":["h8","h8"]}`, analysis.Illegal, "moves[1]", "move 2"},
		{`{"format":"sgf","rules":"chess"}`, analysis.Invalid, "rules", "caro"},
		{`{"format":"sgf","rules":"renju","openRule":true,"moves":["h8","a1","i8"]}`, analysis.Illegal, "moves[2]", "i8 is no legal move"},
		{`{"format":"sgf","rules":{"name":"renju"},"openRule":true,"moves":["h8","a1","i8"]}`, analysis.Illegal, "moves[2]", "i8 is no legal move"},
		{`{"format":"sgf","game":"onitama","openRule":true}`, analysis.Invalid, "openRule", "openRule is for gomoku, not for onitama"},
		{`{"format":"sgf","rules":"chess","openRule":true}`, analysis.Invalid, "rules", "caro"},
		{`{"format":"svg","turnNumber":1}`, analysis.Invalid, "turnNumber", "0 to 0"},
		{`{"format":"sgf","game":"onitama"}`, analysis.Invalid, "format", "no form"},
		{`{"format":"psq","tree":[{"parent":0,"move":"h8"}]}`, analysis.Invalid, "tree[0]", "entry 1"},
		{`{"format":"psq","tree":[null]}`, analysis.Invalid, "tree[0]", "entry 1"},
		{`{"format":"psq","tree":[{"parent":-1,"move":"h8i9"}]}`, analysis.Invalid, "tree[0]", "no move"},
		{`{"format":"sgf","tree":[{"parent":-1,"move":"h8"},{"parent":0,"move":"h8"}]}`, analysis.Illegal, "tree", "illegal"},
		{`{"format":"sgf","black":"` + strings.Repeat("x", 2000) + `"}`, analysis.Invalid, "black", "1000"},
		{`{"format":"lib","boardXSize":9}`, analysis.Invalid, "format", "15"},
		{`{"format":"html","moves":["h8"],"turns":[{"turnNumber":2,"value":0.5}]}`, analysis.Invalid, "turns[0].turnNumber", "0 to 1"},
		{`{"format":"sgf","moves":["h8"],"turns":[{"turnNumber":0,"value":0.5,"best":"<b>"}]}`, analysis.Invalid, "turns[0].best", "no move"},
		{`{"format":"html","turns":[{"value":"x"}]}`, analysis.Invalid, "turns.value", "want a number"},
	} {
		got := s.exported(c.body)
		text, code, field := errorOf(t, got)
		if got.status != 400 || code != c.code || field != c.field || !strings.Contains(text, c.want) {
			t.Errorf("%.60s: %d %s", c.body, got.status, got.body)
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
		if page.status != 200 || !strings.Contains(page.header.Get("Content-Type"), "text/html") || !strings.Contains(page.body, "sai lầm nặng −40%") || page.header.Get("Content-Disposition") == "" {
			t.Errorf("%s: %d %.200s", game, page.status, page.body)
		}
		sgf := s.exported(`{"format":"sgf",` + game + `,` + turns + `}`)
		if sgf.status != 200 || !strings.Contains(sgf.body, "B[ig]V[-0.4]C[") || !strings.Contains(sgf.body, "Blunder: gives away 40%; better h9; line: h9 h10.") || !strings.Contains(sgf.body, ";B[hg];W[hf]") {
			t.Errorf("%s: %d %s", game, sgf.status, sgf.body)
		}
		if bare := s.exported(`{"format":"sgf",` + game + `}`); strings.Contains(bare.body, "V[") {
			t.Errorf("%s: without turns %s", game, bare.body)
		}
	}
	if page := s.exported(`{"format":"html","game":"onitama","moves":[]}`); page.status != 200 || strings.Contains(page.body, `id="board"`) {
		t.Errorf("Onitama: %d %.200s", page.status, page.body)
	}
}

// Imports and exports at once are bounded.
func TestWorkIsBounded(t *testing.T) {
	s := open(t, small(), Options{Limits: Limits{Work: 1}})
	s.server.working <- struct{}{}
	got := s.exported(`{"format":"sgf"}`)
	if got.status != 429 || got.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", got.status, got.body)
	}
	<-s.server.working
	if got = s.exported(`{"format":"sgf"}`); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if text := s.get("/metrics").body; !strings.Contains(text, `carozero_refusals_total{cause="work"} 1`) {
		t.Error("the refusal is not counted")
	}
}

// FuzzImport reads any bytes: what is taken is legal, what is not is one line.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		"h8i9j7", "(;GM[4]SZ[15]AB[hh];W[aa](;B[bb]C[x])(;B[cc]LB[dd:1]TR[ee]))", ".....\n..X..\n..O..\n.....\n.....", "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2",
		"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,12\na\nb\n0\n1,caro\n", "\xffRenLib\xff\x03\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x78\x00\x68\xc8a\x00\x79\x40",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := parseGames(data, "x.lib", usual)
		if err != nil {
			if text := oneLine(err); text == "" || strings.Contains(text, "\n") {
				t.Fatalf("%q", text)
			}
			return
		}
		for _, g := range found.Games {
			for i, node := range g.Tree {
				if node.Parent < -1 || node.Parent >= i {
					t.Fatalf("%+v", g)
				}
			}
			text, err := json.Marshal(g)
			if err != nil || len(g.Values) > 0 && len(g.Values) != len(g.Moves)+1 {
				t.Fatalf("%s %v", text, err)
			}
		}
	})
}

// FuzzExport sends any body to the handler, which answers with a status that it
// has.
func FuzzExport(f *testing.F) {
	for _, seed := range []string{
		`{"format":"sgf","moves":["h8"],"tree":[{"parent":-1,"move":"h8","comment":"x"}]}`, `{"format":"text","game":"onitama"}`, `{"format":"lib","initialStones":[["B","h8"]]}`,
		`{"format":"psq","openRule":true,"rules":{"name":"caro"}}`, `{"format":"svg","moves":["a1"],"boardXSize":5,"turnNumber":0}`,
	} {
		f.Add([]byte(seed))
	}
	s := open(f, small(), Options{})
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.Contains(body, []byte("gif")) || bytes.Contains(body, []byte("png")) {
			return // slow to draw
		}
		s.t = t
		if got := s.exported(string(body)); got.status != http.StatusOK && got.status != http.StatusBadRequest && got.status != http.StatusRequestEntityTooLarge {
			t.Fatalf("%d %s", got.status, got.body)
		}
		s.t = f
	})
}

// A position of Onitama that was set by hand comes back as it was, as text and as a
// drawing; Litama has no form for it, but for games it has.
func TestCardsRoundTrip(t *testing.T) {
	s := open(t, small(), Options{})
	const place, usual = "Crane,Monkey/Crab,Tiger/Dragon 2O2/5/1o3/5/2X2 second", "Monkey,Crane/Tiger,Crab/Dragon"
	read := func(text string) *Game {
		t.Helper()
		got := s.post("/api/import", "text/plain", text)
		var found imported
		if err := json.Unmarshal([]byte(got.body), &found); err != nil || got.status != 200 || len(found.Games) != 1 {
			t.Fatalf("%s: %d %s", text, got.status, got.body)
		}
		return found.Games[0]
	}
	const drawing = "5 . . O . .\n4 . . . . .\n3 . o . . .\n2 . . . . .\n1 . . X . .\n  a b c d e\nfirst: Crane Monkey\nsecond: Crab Tiger\nside: Dragon\nto move: second\n"
	if g := read(drawing); g.InitialPosition != place || len(g.Moves) != 0 {
		t.Errorf("the drawing reads as %+v", g)
	}
	for start, moves := range map[string][]string{place: {"tiger b3b1", "crane c1c2"}, usual: {"crane c1c2", "tiger a5a3"}} {
		list, _ := json.Marshal(moves)
		fields := `"game":"onitama","initialPosition":"` + start + `","moves":` + string(list)
		text := s.exported(`{"format":"text",` + fields + `}`)
		if g := read(text.body); g.InitialPosition != start || !slices.Equal(g.Moves, moves) {
			t.Errorf("%s reads as %+v", text.body, g)
		}
		told := s.exported(`{"format":"litama",` + fields + `}`)
		if start == place {
			if message, _, _ := errorOf(t, told); told.status != 400 || !strings.Contains(message, "usual men") {
				t.Errorf("Litama: %d %s", told.status, told.body)
			}
			continue
		}
		if g := read(told.body); g.InitialPosition != start || !slices.Equal(g.Moves, moves) || told.header.Get("Content-Disposition") == "" {
			t.Errorf("%s reads as %+v", told.body, g)
		}
	}
	for _, text := range []string{strings.Replace(drawing, "X", "x", 1), strings.Replace(drawing, "Dragon", "Crab", 1), place[:len(place)-1], "side: the board"} {
		if got := s.post("/api/import", "text/plain", text); got.status != 400 || strings.Contains(got.body, "\\n") {
			t.Errorf("%s: %d %s", text, got.status, got.body)
		}
	}
}

// The page is told what every card does.
func TestConfigHasCards(t *testing.T) {
	for _, g := range Games() {
		if g.Name != games.Onitama {
			if g.Cards != nil {
				t.Errorf("%s has cards", g.Name)
			}
			continue
		}
		if len(g.Cards) != 32 || !slices.Equal(g.Cards["Tiger"], [][2]int{{0, 2}, {0, -1}}) && !slices.Equal(g.Cards["Tiger"], [][2]int{{0, -1}, {0, 2}}) {
			t.Errorf("%d cards; Tiger %v", len(g.Cards), g.Cards["Tiger"])
		}
	}
}
