package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
)

// The description, which every reply of the tests is held against, has the codes of the
// list, and the document says which statuses the codes of HTTP have.
func TestCodesAreThoseOfTheDescription(t *testing.T) {
	var d struct {
		Components struct {
			Schemas struct {
				Code struct{ Enum []analysis.Code }
			}
		}
	}
	all := analysis.Codes()
	if err := json.Unmarshal(OpenAPI(), &d); err != nil || !slices.Equal(d.Components.Schemas.Code.Enum, all) {
		t.Errorf("%v, %v, want %v", d.Components.Schemas.Code.Enum, err, all)
	}
	document, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	queries, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if !strings.Contains(string(queries), "| `"+string(c)+"` |") &&
			!strings.Contains(string(document), "`"+string(c)+"` (") {
			t.Errorf("the documents do not say what %s means", c)
		}
	}
	for status, c := range board.Codes {
		if !slices.Contains(all, c) {
			t.Errorf("%d has the code %q", status, c)
		}
	}
}

// Each of the codes is that of a refusal, with its status, over HTTP.
func TestEveryCode(t *testing.T) {
	gone := file(t, "gone.sgf", "(;GM[4]SZ[15];B[hh])")
	b := emptyBook(t)
	s := open(t, small(), Options{
		Token: "secret", Paths: []string{gone}, Book: b, EditBook: true, Limits: Limits{Work: 1, Clients: 1},
	})
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	const token, typed = "Bearer secret", "application/json"
	sent := func(method, path, body, host string, header ...string) func() reply {
		of := map[string]string{"Authorization": token}
		for i := 0; i < len(header); i += 2 {
			of[header[i]] = header[i+1]
		}
		return func() reply {
			return s.send(request{method: method, path: path, body: body, host: host, header: of})
		}
	}
	get := func(path string, header ...string) func() reply { return sent("GET", path, "", "", header...) }
	export := func(body string) func() reply {
		return sent("POST", "/api/export", body, "", "Content-Type", typed)
	}
	crowded := func() reply {
		s.server.working <- struct{}{}
		defer func() { <-s.server.working }()
		return export(`{"format":"sgf"}`)()
	}
	full := func() reply {
		s.server.mu.Lock()
		s.server.clients++
		s.server.mu.Unlock()
		defer s.server.leave()
		return get("/ws", "Upgrade", "websocket")()
	}
	unencoded := func() reply {
		w := httptest.NewRecorder()
		answerJSON(w, httptest.NewRequest(http.MethodGet, "/", nil), http.StatusOK, make(chan int))
		return reply{status: w.Code, body: w.Body.String()}
	}
	met := map[analysis.Code]bool{}
	for _, c := range []struct {
		code   analysis.Code
		status int
		reply  func() reply
	}{
		{analysis.Malformed, 400, export(`{`)},
		{analysis.Invalid, 400, export(`{"format":"bmp"}`)},
		{analysis.Illegal, 400, export(`{"format":"sgf","moves":["h8","h8"]}`)},
		{analysis.TooBig, 413, export(strings.Repeat(" ", 4<<20+1))},
		{analysis.TooBig, 413, export(`{"format":"sgf","moves":[` + strings.Repeat(`"a1",`, 2500) + `"a1"]}`)},
		{analysis.Busy, 429, crowded},
		{analysis.Busy, 503, full},
		{analysis.Failed, 400, get("/api/review/0")},
		{analysis.Internal, 500, unencoded},
		{analysis.NoToken, 401, get("/api/config", "Authorization", "")},
		{analysis.NoToken, 401, get("/?token=wrong")},
		{analysis.NotAllowed, 403, sent("GET", "/api/config", "", "evil.example")},
		{analysis.NotAllowed, 403, get("/api/config", "Origin", "http://evil.example")},
		{analysis.NotFound, 404, get("/nowhere")},
		{analysis.NotFound, 404, get("/api/review/7")},
		{analysis.WrongMethod, 405, sent("DELETE", "/api/config", "", "")},
		{analysis.WrongType, 415, sent("POST", "/api/export", "", "")},
		{analysis.Changed, 409, func() reply {
			s.annotate(`["h8"]`, nothingSaid, `{"label":"draw","comment":""}`, "")
			return s.annotate(`["h8"]`, nothingSaid, `{"label":"win","comment":""}`, "")
		}},
		{analysis.NoUpgrade, 426, get("/ws")},
		{analysis.NoUpgrade, 426, get("/ws", "Upgrade", "websocket")},
		{analysis.Invalid, 400, get("/ws", "Upgrade", "websocket", "Connection", "Upgrade",
			"Sec-WebSocket-Version", "12")},
	} {
		got := c.reply()
		if text, code, _ := errorOf(t, got); got.status != c.status || code != c.code || text == "" {
			t.Errorf("%s: %d %s", c.code, got.status, got.body)
		}
		met[c.code] = true
	}
	for _, c := range analysis.Codes() {
		if !met[c] {
			t.Errorf("nothing was refused with %s", c)
		}
	}
}

// The list of a file that can be read only in part comes with the error and its code.
func TestCodeOfAList(t *testing.T) {
	broken := file(t, "b.sgf", "(;GM[4]SZ[15];B[hh])(;GM[4]SZ[15];B[zz])")
	s := open(t, small(), Options{Paths: []string{broken}})
	var l listing
	if err := json.Unmarshal([]byte(s.get("/api/review/0").body), &l); err != nil || l.Total != 1 || l.Error == "" ||
		l.Code != analysis.Malformed {
		t.Errorf("%+v, %v", l, err)
	}
}
