package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The server is called by its own names only, so that no page reaches it by a name
// that leads here.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		addr  string
		hosts []string
		good  []string
		bad   []string
	}{
		{"127.0.0.1:8080", nil, []string{
			"localhost", "localhost:99", "LOCALHOST.", "127.0.0.1:8080", "[::1]:80", "::1", "127.9.9.9",
		}, []string{
			"", "evil.example", "localhost.evil.example", "192.168.1.2", "[fe80::1]", "127.0.0.1.evil.example", "0x7f.1",
		}},
		{"[::1]:0", []string{"board"}, []string{"board", "BOARD:1", "localhost"}, []string{"board.evil", "xboard"}},
		{"0.0.0.0:80", []string{"board.example.org"}, []string{
			"10.1.2.3", "board.example.org:80", "[2001:db8::1]",
		}, []string{"evil.example", ":80"}},
		{":8080", nil, []string{"10.1.2.3", "localhost"}, []string{"evil.example"}},
	} {
		s := &Server{opts: Options{Addr: c.addr, Hosts: c.hosts}, loopback: IsLoopback(c.addr)}
		for _, host := range c.good {
			if !s.named(host) {
				t.Errorf("%s %v is not called %q", c.addr, c.hosts, host)
			}
		}
		for _, host := range c.bad {
			if s.named(host) {
				t.Errorf("%s %v is called %q", c.addr, c.hosts, host)
			}
		}
	}
}

// Only the server's own page, and what is no page, may ask; a link may stand
// anywhere. Nothing is ever shared with another origin.
func TestOrigins(t *testing.T) {
	s := open(t, small(), Options{})
	own := "http://" + s.addr
	for _, c := range []struct {
		path   string
		header map[string]string
		status int
	}{
		{"/api/config", nil, 200},
		{"/api/config", map[string]string{"Origin": own, "Sec-Fetch-Site": "same-origin"}, 200},
		{"/api/config", map[string]string{"Origin": "http://evil.example"}, 403},
		{"/api/config", map[string]string{"Origin": "null"}, 403},
		{"/api/config", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"/api/config", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"/api/config", map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 403},
		{"/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200},
		{"/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
	} {
		got := s.send(request{path: c.path, header: c.header})
		if got.status != c.status {
			t.Errorf("%s %v: %d, want %d", c.path, c.header, got.status, c.status)
		}
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s", c.path, name)
			}
		}
	}
	_, response, err := s.socket(http.Header{"Origin": {"http://evil.example"}})
	if err == nil || response == nil || response.StatusCode != 403 {
		t.Fatalf("a socket of another page: %v", err)
	}
	conn, _, err := s.socket(http.Header{"Origin": {own}})
	if err != nil {
		t.Fatal(err)
	}
	conn.CloseNow()
}

// A proxy may listen on another port, and may leave it out of the name that it passes on. On
// the port that browsers leave out a name without a port says all: a page on another port of
// the machine is another page.
func TestOriginsBehindProxies(t *testing.T) {
	for _, c := range []struct {
		host, origin, site string
		port               int // at which the request comes in
		own                bool
	}{
		{"board.example", "https://board.example", "", 8080, true},
		{"board.example", "http://board.example:8090", "same-origin", 8080, true},
		{"board.example:443", "https://board.example", "", 8080, true},
		{"board.example", "http://board.example:8090", "same-site", 8080, false},
		{"board.example", "http://other.example", "same-origin", 8080, false},
		{"board.example", "http://sub.board.example", "", 8080, false},
		{"board.example:8080", "http://board.example:8090", "", 8080, false}, // the port is there, and another one
		{"board.example", "null", "", 8080, false}, {"board.example", "http://:8090", "", 8080, false},
		{"localhost", "http://localhost:3000", "", 8080, true}, {"localhost", "http://localhost:3000", "", 80, false},
	} {
		r := httptest.NewRequest("GET", "/ws", nil)
		r.Host = c.host
		r.Header.Set("Origin", c.origin)
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{Port: c.port}))
		if got := ownPage(r); got != c.own {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// Without the token nothing is told, and the link's token becomes a cookie, which
// belongs to the path that the page has in the browser.
func TestToken(t *testing.T) {
	s := open(t, small(), Options{Token: "secret"})
	for _, path := range []string{
		"/api/config", "/openapi.json", "/nowhere", "/api/review/0", "/api/config?token=secret",
	} {
		if got := s.get(path); got.status != 401 || got.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	if _, response, err := s.socket(nil); err == nil || response.StatusCode != 401 {
		t.Errorf("a socket: %v", err)
	}
	wrong := map[string]string{"Cookie": cookieName + "=secrets"}
	if got := s.send(request{path: "/api/config", header: wrong}); got.status != 401 {
		t.Errorf("a wrong cookie: %d", got.status)
	}
	link := s.get("/?token=secret")
	cookie := link.header.Get("Set-Cookie")
	if link.status != 303 || link.header.Get("Location") != "./" || strings.Contains(cookie, "Path=") ||
		!strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") {
		t.Fatalf("%d %v", link.status, link.header)
	}
	if got := s.send(request{
		path: "/?token=secret", header: map[string]string{"X-Forwarded-Proto": "https"},
	}).header.Get("Set-Cookie"); !strings.Contains(got, "; Secure") {
		t.Errorf("behind TLS the cookie is %s", got)
	}
	value, _, _ := strings.Cut(cookie, ";")
	if got := s.send(request{path: "/api/config", header: map[string]string{"Cookie": value}}); got.status != 200 {
		t.Errorf("with the cookie: %d", got.status)
	}
	conn, _, err := s.socket(http.Header{"Cookie": {value}})
	if err != nil {
		t.Fatal(err)
	}
	conn.CloseNow()
	if got := s.send(request{
		path: "/?token=secret", host: "evil.example",
	}); got.status != 401 || got.header.Get("Set-Cookie") != "" {
		t.Errorf("by another name: %d", got.status)
	}
}

// The page is served with what keeps it to itself, whole or as unchanged.
func TestPage(t *testing.T) {
	s := open(t, small(), Options{})
	plain := s.get("/")
	policy := plain.header.Get("Content-Security-Policy")
	if plain.status != 200 || !strings.Contains(policy, "default-src 'self'") || strings.Contains(policy, "unsafe") ||
		plain.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v", plain.status, plain.header)
	}
	for _, encoding := range []string{"", "gzip", "br, gzip;q=0.5", "gzip;q=0", "identity"} {
		first := s.send(request{path: "/", header: map[string]string{"Accept-Encoding": encoding}})
		tag := first.header.Get("ETag")
		if strings.HasPrefix(tag, "W/") || tag == "" {
			t.Fatalf("tag %q", tag)
		}
		zipped := first.header.Get("Content-Encoding") == "gzip"
		if wants := encoding == "gzip" || strings.HasPrefix(encoding, "br"); zipped && !wants ||
			zipped == (first.body == plain.body) {
			t.Errorf("%q: zipped %t, %d bytes", encoding, zipped, len(first.body))
		}
		again := s.send(request{
			path: "/", header: map[string]string{"Accept-Encoding": encoding, "If-None-Match": `"x", ` + tag},
		})
		if again.status != 304 || again.body != "" {
			t.Errorf("%q: unchanged is %d with %d bytes", encoding, again.status, len(again.body))
		}
	}
	head := s.send(request{method: "HEAD", path: "/"})
	if head.status != 200 || head.body != "" || head.header.Get("Content-Length") != plain.header.Get("Content-Length") {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
	for _, path := range []string{
		"/../guard.go", "/assets/../guard.go", "/assets/%2e%2e/guard.go", "/assets/", "/.git/config", "//",
		"/assets//index.html",
	} {
		if got := s.get(path); got.status == 200 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}
