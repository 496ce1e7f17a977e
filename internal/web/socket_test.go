package web

import (
	"context"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

var hostile = flag.Int("hostile", 1_000, "hostile messages that a server is sent")

// A socket answers as the program analysis does, and tells what it knows on the way.
func TestSocket(t *testing.T) {
	s := open(t, small(), Options{})
	p := s.meet()
	p.say(`{"id":"p","action":"query_position","moves":["h8"]}`)
	if m := p.hear(); m["position"] == nil {
		t.Errorf("%v", m)
	}
	p.say(`{"id":"q","moves":["h8"],"maxVisits":3}`)
	if m := p.hear(); m["id"] != "q" || m["isDuringSearch"] != false {
		t.Errorf("%v", m)
	}
	p.say(`{"id":"long","maxVisits":1000000,"reportDuringSearchEvery":0.001}`)
	for {
		if m := p.hear(); m["isDuringSearch"] == true {
			break
		}
	}
	p.say(`{"id":"t","action":"terminate","terminateId":"long"}`)
	for finals := 0; finals < 2; {
		if m := p.hear(); m["isDuringSearch"] != true {
			finals++
		}
	}
	p.say(`nonsense`)
	if m := p.hear(); m["error"] == nil || m["code"] != "malformed" {
		t.Errorf("%v", m)
	}
}

// Too many sockets are refused, and one that goes makes room.
func TestSocketsAreBounded(t *testing.T) {
	s := open(t, small(), Options{Limits: Limits{Clients: 2}})
	first := s.meet()
	s.meet()
	_, response, err := s.socket(nil)
	if err == nil || response.StatusCode != 503 {
		t.Fatalf("a third socket: %v", err)
	}
	body, _ := io.ReadAll(response.Body)
	described.check(t, request{method: "GET", path: "/ws"}, reply{response.StatusCode, response.Header, string(body)})
	first.conn.CloseNow()
	for len(s.server.sockets) > 1 {
		runtime.Gosched()
	}
	s.meet()
}

// What a peer may not send closes its socket, with a word, and nobody else's.
func TestRudePeers(t *testing.T) {
	s := open(t, small(), Options{Line: 1000})
	good := s.meet()
	for _, c := range []struct {
		kind websocket.MessageType
		text string
		want websocket.StatusCode
	}{
		{websocket.MessageBinary, "x", websocket.StatusUnsupportedData},
		{websocket.MessageText, strings.Repeat("x", 2000), websocket.StatusMessageTooBig},
		{websocket.MessageText, "{\"id\":\"\xff\",\"action\":\"query_version\"}", websocket.StatusInvalidFramePayloadData},
	} {
		p := s.meet()
		if err := p.conn.Write(context.Background(), c.kind, []byte(c.text)); err != nil {
			t.Fatal(err)
		}
		_, _, err := p.conn.Read(context.Background())
		if got := websocket.CloseStatus(err); got != c.want {
			t.Errorf("%v of %d bytes: %v, want %v", c.kind, len(c.text), err, c.want)
		}
	}
	good.say(`{"id":"v","action":"query_version"}`)
	if m := good.hear(); m["action"] != "query_version" {
		t.Errorf("%v", m)
	}
}

// junk are messages that nobody should send.
func junk(rng *rand.Rand) (websocket.MessageType, []byte) {
	texts := []string{
		"", "{", `{"id":`, "\x00\xff", strings.Repeat("[", 5000), strings.Repeat(`{"id":`, 3000),
		`{"id":"a","moves":` + strings.Repeat("[", 900) + "}",
		`{"id":"a","action":"query_position","moves":["h8","h8"]}`, `{"id":"a","maxVisits":1e99}`, `{"id":"a","level":{}}`,
		`{"id":"a","action":"query_opening","count":64,"plies":[0,16],"tolerance":0}`,
		`{"id":"a","action":"query_swap2","boardXSize":22,"maxNodes":1000000}`,
		`{"id":"a","maxVisits":1000000,"reportDuringSearchEvery":0.001}`, `{"id":"a","action":"terminate_all"}`,
		`{"id":"` + strings.Repeat("x", 20000) + `"}`, `{"id":"a","overrideSettings":{"memory":"999999999"}}`,
		`{"id":"a","overrideSettings":{"vct":"1000000000"}}`, `{"id":"a","analyzeTurns":[0,0,0,0]}`,
	}
	text := []byte(texts[rng.IntN(len(texts))])
	for range rng.IntN(3) {
		if len(text) > 0 {
			text[rng.IntN(len(text))] = byte(rng.IntN(256))
		}
	}
	if rng.IntN(40) == 0 {
		return websocket.MessageBinary, text
	}
	return websocket.MessageText, []byte(strings.ToValidUTF8(string(text), "?"))
}

// listen reads until the connection ends.
func listen(conn *websocket.Conn) {
	for {
		if _, _, err := conn.Read(context.Background()); err != nil {
			return
		}
	}
}

// Whatever comes on sockets, by whoever reads or does not, the server goes on, its
// memory bounded, and answers a good question in the end.
func TestHostileMessages(t *testing.T) {
	a := small()
	a.Limits.Search, a.Limits.Share, a.Limits.Held = 20*time.Millisecond, 2*time.Millisecond, 8<<20
	s := open(t, a, Options{Limits: Limits{Rate: 1_000_000, Unread: 64 << 10, Idle: 50 * time.Millisecond}})
	rng := rand.New(rand.NewPCG(1, 2))
	var conn *websocket.Conn
	var reading sync.WaitGroup
	defer reading.Wait()
	for range *hostile {
		if conn == nil {
			var err error
			if conn, _, err = s.socket(nil); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(2) == 0 {
				peer := conn
				reading.Go(func() { listen(peer) })
			}
		}
		kind, text := junk(rng)
		if err := conn.Write(context.Background(), kind, text); err != nil || rng.IntN(20) == 0 {
			conn.CloseNow()
			conn = nil
		}
	}
	if conn != nil {
		conn.CloseNow()
	}
	p := s.meet()
	p.say(`{"id":"good","maxVisits":2}`)
	for {
		m := p.hear()
		if m["id"] == "good" && m["isDuringSearch"] == false {
			break
		}
	}
}

// Connections that break the protocol before a socket is open, or within one, are
// gone without harm.
func TestBrokenConnections(t *testing.T) {
	s := open(t, small(), Options{})
	const upgrade = "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: " +
		"Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	for _, text := range []string{
		"", "\x00\x01\x02", "GET", "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\nx",
		"GET / HTTP/1.1\r\n\r\n",
		"GET /" + strings.Repeat("a", 100_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /api/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nabc",
		"POST /api/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: " +
			"chunked\r\n\r\nzz\r\n",
		upgrade, upgrade + "\xff\xff\xff", upgrade + "\x81\xfe\xff",
		upgrade + "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff0000", upgrade + "\x81\x05hello",
		upgrade + "\x01\x80\x00\x00\x00\x00", upgrade + "\x88\x80\x00\x00\x00\x00",
		strings.Replace(upgrade, "Version: 13", "Version: 12", 1), strings.Replace(upgrade, "AAAA", "", 1),
	} {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, text)
		if half, ok := conn.(*net.TCPConn); ok {
			_ = half.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
	}
	if got := s.get("/healthz"); got.status != 200 {
		t.Errorf("%d", got.status)
	}
}

// Hundreds of headers that are never sent to their end keep nobody out.
func TestHalfSentHeaders(t *testing.T) {
	s := open(t, small(), Options{Token: "secret"})
	for range 400 {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.get("/healthz"); got.status != 200 {
		t.Errorf("%d", got.status)
	}
}

// At the end of the program sockets are told so, and open queries are dropped.
func TestShutdown(t *testing.T) {
	s := open(t, small(), Options{})
	p := s.meet()
	p.say(`{"id":"long","maxVisits":1000000,"reportDuringSearchEvery":0.1}`)
	p.hear()
	silent := s.meet() // does not answer the farewell
	s.stop()
	for {
		_, _, err := p.conn.Read(context.Background())
		if err == nil {
			continue
		}
		var closed websocket.CloseError
		if !errors.As(err, &closed) || closed.Code != websocket.StatusGoingAway {
			t.Errorf("%v", err)
		}
		break
	}
	s.end()
	if _, _, err := silent.conn.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("%v", err)
	}
}
