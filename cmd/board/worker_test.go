//go:build js && wasm

package main

import (
	"encoding/json"
	"os"
	"strings"
	"syscall/js"
	"testing"

	"github.com/carozero/carozero/internal/analysis"
)

// page is a worker's page, which gets its messages.
type page struct {
	*worker
	said  chan map[string]any
	asked []string // the networks that were needed
}

func newPage(t *testing.T) *page {
	t.Helper()
	p := &page{worker: newWorker(), said: make(chan map[string]any, 1000)}
	onLine := js.FuncOf(func(_ js.Value, args []js.Value) any {
		var m map[string]any
		if err := json.Unmarshal([]byte(args[0].String()), &m); err != nil {
			t.Error(err)
		}
		p.said <- m
		return nil
	})
	p.carozero.Set("onLine", onLine)
	js.Global().Set("needNetwork", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name := args[0].String()
		p.asked = append(p.asked, name)
		return promise(func() (js.Value, error) {
			data, err := os.ReadFile("../../models/" + name)
			if len(p.asked) == 1 {
				data = data[:1000] // it was cut on its way
			}
			return arrayOf(data), err
		})
	}))
	return p
}

// final sends a line, and returns the next message that is no answer on the way.
func (p *page) final(line string) map[string]any {
	p.carozero.Call("line", line)
	for {
		if m := <-p.said; m["isDuringSearch"] != true {
			return m
		}
	}
}

// A search goes on until a message of the page ends it, which it lets through.
func TestTerminate(t *testing.T) {
	p := newPage(t)
	for _, engine := range []string{`"alphabeta","maxNodes":100000000`, `"mcts","maxVisits":1000000`} {
		p.asked = append(p.asked, "") // no network is cut
		ask := js.FuncOf(func(js.Value, []js.Value) any {
			return p.carozero.Call("line", `{"id":"t","action":"terminate","terminateId":"long"}`)
		})
		js.Global().Call("setTimeout", ask, 300)
		if m := p.final(`{"id":"long","moves":["h8","i9","j8"],"engine":` + engine + `}`); m["action"] != "terminate" {
			t.Errorf("%v", m)
		}
		if m := <-p.said; m["id"] != "long" || m["moveInfos"] == nil {
			t.Errorf("%v", m)
		}
	}
}

// A network that did not arrive whole is an error of the query, and is asked for again. It is asked
// for once.
func TestNetworks(t *testing.T) {
	p := newPage(t)
	const line = `{"id":"a","moves":["h8"],"rules":"freestyle","engine":"mcts","maxVisits":10}`
	if m := p.final(line); m["code"] != string(analysis.Failed) || !strings.Contains(m["error"].(string), "SHA-256") {
		t.Errorf("%v", m)
	}
	for range 2 {
		if m := p.final(line); m["error"] != nil {
			t.Errorf("%v", m)
		}
	}
	if len(p.asked) != 2 || p.asked[0] != p.asked[1] {
		t.Errorf("asked for %v", p.asked)
	}
}

// Requests are answered as a server does, whatever is sent.
func TestRequests(t *testing.T) {
	p := newPage(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "api/config", "", 200, `"engines":["mcts","alphabeta","each"]`},
		{"POST", "./api/import?rules=renju&size=9", "a1b2", 200, `"rules":"renju","size":9,"moves":["a1","b2"]`},
		{"POST", "/api/import?size=x", "a1", 400, `"field":"size"`},
		{"POST", "/api/import", "(;GM[4]SZ[15]" + strings.Repeat("(;B[hh]", 50_000), 413, "too_big"},
		{"POST", "/api/import", "(;GM[4]SZ[15]CA[gb2312]PB[\xd6\xd0];B[hh])", 200, `"black":"中"`},
		{"POST", "/api/import", "(;GM[4]SZ[15]CA[none such]PB[\xe9];B[hh])", 200, `"black":"é"`},
		{"POST", "/api/export", `{"format":"sgf","rules":"caro","moves":["h8"]}`, 200, "RU[caro]"},
		{"POST", "/api/export", `{"format":"svg","game":"onitama"}`, 200, "<svg"},
		{"POST", "/api/export", strings.Repeat("[", 100_000), 400, "malformed"},
		{"POST", "/api/export", strings.Repeat(" ", 5<<20), 413, "too_big"},
		{"PUT", "/api/export", "", 405, "method"},
		{"GET", "/api/review/0", "", 404, "not_found"},
		{"GET", "%zz", "", 404, "not_found"},
	} {
		r, err := await(p.carozero.Call("request", c.method, c.path, "", arrayOf([]byte(c.body))))
		if err != nil {
			t.Fatal(err)
		}
		if body := string(bytesOf(r.Get("body"))); r.Get("status").Int() != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s %s: %d %.200s", c.method, c.path, r.Get("status").Int(), body)
		}
	}
	if m := p.final(`{"id":`); m["code"] != string(analysis.Malformed) {
		t.Errorf("%v", m)
	}
	if m := p.final(`{"id":"a","action":"query_version"}`); m["error"] != nil {
		t.Errorf("%v", m)
	}
}
