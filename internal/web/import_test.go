package web

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
)

// Whatever the form, the games that are read are those that were written.
func TestImport(t *testing.T) {
	s := open(t, small(), Options{})
	for _, c := range []struct{ path, body, want string }{
		{"/api/import", "h8i9j7",
			`{"format":"text","games":[{"game":"gomoku","rules":"caro","size":15,"moves":["h8","i9","j7"]}]}`},
		{"/api/import?rules=renju&size=9", "\ufeff a1 \nb2 # two\n",
			`{"format":"text","games":[{"game":"gomoku","rules":"renju","size":9,"moves":["a1"]},{"game":"gomoku",` +
				`"rules":"renju","size":9,"moves":["b2"]}]}`},
		{"/api/import", "(;GM[4]SZ[9]RU[standard]PB[a]PW[b]RE[W+R]C[hello];B[aa]V[0.5];W[ba]C[why])",
			`{"format":"sgf","games":[{"game":"gomoku","rules":"standard","size":9,"moves":["a9","b9"],"result":"W+R",` +
				`"reason":"resign","title":"a - b","black":"a","white":"b","comment":"hello","values":[null,0.75,null],` +
				`"tree":[{"parent":-1,"move":"a9","value":0.75},{"parent":0,"move":"b9","comment":"why"}]}]}`},
		{"/api/import", "(;GM[4]SZ[9]V[0.5];B[aa]V[0.2])",
			`{"format":"sgf","games":[{"game":"gomoku","rules":"caro","size":9,"moves":["a9"],"values":[0.75,0.6]}]}`},
		{"/api/import", "(;GM[4]SZ[9];V[-0.5]C[a];C[a];B[aa])",
			`{"format":"sgf","games":[{"game":"gomoku","rules":"caro","size":9,"moves":["a9"],"comment":"a",` +
				`"values":[0.25,null],"tree":[{"parent":-1,"move":"a9"}]}]}`},
		{"/api/import", "(;GM[4]SZ[15]RU[unheard of]AB[hh]AW[ii];B[aa](;W[bb])(;W[cc];B[dd]))",
			`{"format":"sgf","games":[{"game":"gomoku","rules":"caro","size":15,"initialStones":[["B","h8"],["W","i7"]],` +
				`"initialPlayer":"B","moves":["a15","b14"],"unknownRules":"unheard of","tree":[{"parent":-1,"move":"a15"},` +
				`{"parent":0,"move":"b14"},{"parent":0,"move":"c13"},{"parent":2,"move":"d12"}]}]}`},
		{"/api/import", "Hello, (;GM[4]SZ[15]RU[Renju15_1];B[hh])", `{"format":"sgf","games":[{"game":"gomoku",` +
			`"rules":"renju","size":15,"moves":["h8"],"notes":["text before the game is passed over",` +
			`"rule \"Renju15_1\", taken as renju"]}]}`},
		{"/api/import", "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,12\na\nb\n0\n1,caro\n", ""},
		{"/api/import", ".....\n..X..\n..O..\n.....\n.....\n",
			`{"format":"diagram","games":[{"game":"gomoku","rules":"caro","size":5,"initialStones":[["W","c3"],["B",` +
				`"c4"]],"initialPlayer":"B","moves":[]}]}`},
		{"/api/import", "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2",
			`{"format":"text","games":[{"game":"onitama","rules":"onitama","size":5,"initialPosition":"Monkey,` +
				`Crane/Tiger,Crab/Dragon","moves":["crane c1c2"]}]}`},
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
		{"/api/import", "hello", 400, analysis.Malformed, "line 1"},
		{"/api/import", "h8\nh8h8", 400, analysis.Illegal, "game 2"},
		{"/api/import", "XXXXX\n.....\n.....\n.....\n.....", 400, analysis.Illegal,
			"5 stones of first and 0 of second do not tell whose turn it is"},
		{"/api/import?rules=chess", "h8", 400, analysis.Invalid, "caro"},
		{"/api/import?size=99", "h8", 400, analysis.Invalid, "5 to 22"},
		{"/api/import", strings.Repeat("h8\n", 1001) + "what is not read", 413, analysis.TooBig,
			"want at most 1000 games and 100000 moves"},
		{"/api/import", "(;GM[4]SZ[15]" + strings.Repeat("(;B[aa]TR[aa:oo])", 5000) + "what is not read", 413,
			analysis.TooBig, "more than 1000000 marks"},
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

// What the query names stands in place of the server's own, and nothing else does, unless
// the game is another one.
func TestImportDefaults(t *testing.T) {
	s := open(t, small(), Options{
		Config: board.Config{Version: "v", Defaults: board.Defaults{Game: "gomoku", Rule: "renju", Size: 9}},
	})
	for query, want := range map[string]string{
		"": "renju 9", "game=gomoku": "renju 9", "game=gomoku&size=11": "renju 11", "game=gomoku&rules=caro": "caro 9",
		"game=onitama": "onitama 5",
	} {
		body := "a1"
		if strings.Contains(query, "onitama") {
			body = "Monkey,Crane/Tiger,Crab/Dragon:"
		}
		got := decoded[board.Imported](t, s.post("/api/import?"+query, "text/plain", body))
		if len(got.Games) != 1 || fmt.Sprint(got.Games[0].Rules, " ", got.Games[0].Size) != want {
			t.Errorf("%s: %+v, want %s", query, got, want)
		}
	}
}

// Who sends slowly keeps nobody else from work, and too many such are refused.
func TestSlowBodies(t *testing.T) {
	s := open(t, small(), Options{Limits: Limits{Work: 1, Bodies: 3}})
	slow := func(want int) {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn,
			"POST /api/export HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{", s.addr)
		for len(s.server.reading) < want {
			runtime.Gosched()
		}
	}
	slow(1)
	slow(2)
	if got := s.exported(`{"format":"sgf"}`); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	slow(3)
	if got := s.exported(`{"format":"sgf"}`); got.status != 429 || got.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// Who reads slowly keeps nobody else from work and from the page, until too much waits to
// be read.
func TestSlowReaders(t *testing.T) {
	var big strings.Builder
	for i := range 225 {
		fmt.Fprintf(&big, "(;B[%c%c]C[%s])", 'a'+i%15, 'a'+i/15, strings.Repeat("x", 40_000))
	}
	path := file(t, "big.sgf", "(;GM[4]SZ[15]"+big.String()+")")
	for _, c := range []struct{ unsent, want int }{{0, 200}, {1, 429}} {
		s := open(t, small(), Options{Paths: []string{path}, Limits: Limits{Work: 1, Unsent: c.unsent, Request: time.Hour}})
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /api/review/0/0 HTTP/1.1\r\nHost: %s\r\n\r\n", s.addr)
		// now the answer is on its way, larger than what lies in between
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if got := s.exported(`{"format":"sgf"}`); got.status != c.want {
			t.Errorf("%d unsent: %d %s, want %d", c.unsent, got.status, got.body, c.want)
		}
		if got := s.get("/api/config"); got.status != 200 {
			t.Errorf("%d unsent: %d %s", c.unsent, got.status, got.body)
		}
	}
}
