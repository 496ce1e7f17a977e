package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// description is what openapi.json says, and what of it the tests have seen.
type description struct {
	Paths map[string]map[string]operation `json:"paths"`

	mu   sync.Mutex
	seen map[string]bool // "get /path 200"
}

// operation is one method of one path.
type operation struct {
	OperationID string              `json:"operationId"`
	Responses   map[string]response `json:"responses"`
}

// response is one status of an operation.
type response struct {
	Content map[string]struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"content"`
}

// described is the description that every reply in the tests is held against.
var described = readDescription()

func readDescription() *description {
	d := &description{seen: map[string]bool{}}
	if err := json.Unmarshal(OpenAPI(), d); err != nil {
		panic(err)
	}
	return d
}

// find returns the path of the description that a request is for.
func (d *description) find(path string) (template string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	if _, ok := d.Paths[path]; ok {
		return path, true
	}
	parts := strings.Split(path, "/")
	for template := range d.Paths {
		of := strings.Split(template, "/")
		if len(of) == len(parts) && strings.Contains(template, "{") &&
			slices.EqualFunc(of, parts, func(a, b string) bool { return a == b || strings.HasPrefix(a, "{") }) {
			return template, true
		}
	}
	return "", false
}

// check holds a reply against the description.
func (d *description) check(t testing.TB, r request, got reply) {
	t.Helper()
	template, ok := d.find(r.path)
	if !ok {
		if got.status != http.StatusNotFound && got.status != http.StatusTemporaryRedirect &&
			got.status != http.StatusForbidden && got.status != http.StatusUnauthorized {
			t.Errorf("%s %s is not described and answers %d", r.method, r.path, got.status)
		}
		return
	}
	method := strings.ToLower(r.method)
	if method == "head" {
		method = "get"
	}
	op, ok := d.Paths[template][method]
	if !ok {
		for name, other := range d.Paths[template] { // that another method is wanted is said of the one there is
			op, method = other, name
		}
		if got.status < 400 {
			t.Errorf("%s %s answers %d", r.method, r.path, got.status)
		}
	}
	status := fmt.Sprint(got.status)
	of, ok := op.Responses[status]
	if !ok {
		t.Errorf("%s %s: status %s is not described: %.300s", r.method, r.path, status, got.body)
		return
	}
	d.mu.Lock()
	d.seen[method+" "+template+" "+status] = true
	d.mu.Unlock()
	kind := got.header.Get("Content-Type")
	_, ok = of.Content[kind]
	switch {
	case len(of.Content) == 0 && got.body == "", r.method == http.MethodHead:
		return
	case !ok:
		t.Errorf("%s %s: %s: a body of %q, want one of %v", r.method, r.path, status, kind, of.Content)
		return
	case kind == "application/json":
		if err := valid(template, method, status, got.body); err != nil {
			t.Errorf("%s %s: %s: %.500s\n%v", r.method, r.path, status, got.body, err)
		}
	}
}

// valid validates a JSON body against the schema of a response.
func valid(template, method, status, body string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		return err
	}
	escaped := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	part := fmt.Sprintf("#/paths/%s/%s/responses/%s/content/application~1json/schema", escaped.Replace(template), method,
		status)
	schemas.Lock()
	defer schemas.Unlock()
	s := schemas.of[part]
	if s == nil {
		s = compiled(OpenAPI(), "openapi.json", part)
		schemas.of[part] = s
	}
	return s.Validate(v)
}

// schemas are those that were compiled so far.
var schemas = struct {
	sync.Mutex
	of map[string]*jsonschema.Schema
}{of: map[string]*jsonschema.Schema{}}

// The description has exactly the paths and methods that the server has.
func TestDescriptionHasEveryRoute(t *testing.T) {
	s := &Server{}
	own := map[string]bool{"/ GET": true, "/assets/{file} GET": true}
	for path, m := range s.paths() {
		for method := range m {
			own[path+" "+method] = true
		}
	}
	for path, of := range described.Paths {
		for method, op := range of {
			name := path + " " + strings.ToUpper(method)
			if !own[name] || op.OperationID == "" {
				t.Errorf("%s is described, and there is none", name)
			}
			delete(own, name)
		}
	}
	if len(own) > 0 {
		t.Errorf("not described: %v", own)
	}
}

// Every status that is described is answered, but for those that need a crowd,
// which other tests make.
func TestDescriptionIsTrue(t *testing.T) {
	sgf := file(t, "a.sgf", "(;GM[4]SZ[15]PB[x]RE[B+];B[hh]V[0.5];W[hi](;B[ii]C[good])(;B[aa]))(;GM[4]SZ[15];B[hh];W[hh])")
	broken := file(t, "b.sgf", "(;GM[4]SZ[15];B[zz])")
	b := emptyBook(t)
	a := small()
	a.Book = b
	s := open(t, a, Options{Token: "secret", Paths: []string{sgf, broken}, Book: b, EditBook: true})
	sent := func(method, path, body, kind string, header ...string) {
		of := map[string]string{"Authorization": "Bearer secret"}
		if kind != "" {
			of["Content-Type"] = kind
		}
		for i := 0; i < len(header); i += 2 {
			of[header[i]] = header[i+1]
		}
		s.send(request{method: method, path: path, body: body, header: of})
	}
	for template, of := range described.Paths {
		path := strings.NewReplacer("{id}", "0", "{n}", "0", "{file}", "icon.svg").Replace(template)
		for method := range of {
			method = strings.ToUpper(method)
			s.send(request{method: method, path: path, host: "evil.example"})
			s.send(request{method: method, path: path})
			sent("DELETE", path, "", "")
			sent(method, path, "", "")
		}
	}
	const octets, object = "application/octet-stream", "application/json"
	for _, path := range []string{
		"/?token=wrong", "/?token=secret", "/assets/none.js", "/assets/index.html", "/nowhere",
		"/api/review/0?from=1&count=1", "/api/review/0?count=501", "/api/review/7", "/api/review/0/0", "/api/review/0/1",
		"/api/review/0/2", "/api/review/1",
	} {
		sent("GET", path, "", "")
	}
	sent("GET", "/", "", "", "If-None-Match", "*")
	sent("HEAD", "/api/config", "", "")
	sent("GET", "/ws", "", "", "Upgrade", "websocket", "Connection", "Upgrade", "Sec-WebSocket-Version", "12")
	said := `{"moves":["h8"],"saw":` + nothingSaid + `,"say":{"label":"%s","comment":"x"}}`
	long := strings.Repeat(" ", 4<<20+1)
	for _, r := range []struct{ path, kind, body string }{
		{"/api/import", octets, "h8i9"}, {"/api/import", octets, "h8h8"}, {"/api/import", octets, long},
		{"/api/import", "image/png", "x"}, {"/api/export", object, `{"format":"sgf"}`}, {"/api/export", object, `{}`},
		{"/api/export", object, long}, {"/api/export", octets, `{}`}, {"/api/book", object, fmt.Sprintf(said, "draw")},
		{"/api/book", object, fmt.Sprintf(said, "win")}, {"/api/book", object, `{}`}, {"/api/book", octets, `{}`},
		{"/api/book", object, long},
	} {
		sent("POST", r.path, r.body, r.kind)
	}
	if err := os.WriteFile(sgf, []byte("(;GM[4]SZ[15];B[ii])"), 0o644); err != nil {
		t.Fatal(err)
	}
	sent("GET", "/api/review/0/0", "", "")
	for path, of := range described.Paths {
		for method, op := range of {
			for status := range op.Responses {
				name := method + " " + path + " " + status
				if !described.seen[name] && status != "429" && status != "503" && status != "101" &&
					name != "get /assets/{file} 304" {
					t.Errorf("%s is described and was never answered", name)
				}
			}
		}
	}
}
