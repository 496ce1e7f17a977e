//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

var (
	boards = flag.Int("boards", 2, "boards that are open at once on one server, each analysing")
	model  = flag.String("board-model", "uniform", "network of the servers of the tests; empty: the shipped one")
)

// serving is the program as a server.
type serving struct {
	*exec.Cmd
	t        *testing.T
	began    time.Time
	link     *url.URL
	messages bytes.Buffer
}

// serve starts a server and waits until it has told where it is.
func serve(t *testing.T, args ...string) *serving {
	t.Helper()
	s := &serving{Cmd: program(append([]string{"serve"}, args...)...), t: t, began: time.Now()}
	s.Stderr = &s.messages
	out, err := s.StdoutPipe()
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		s.link, err = url.Parse(strings.TrimSpace(line))
	}
	if err != nil {
		t.Fatalf("%q: %v, %s", line, err, s.messages.String())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return s
}

// end stops the server as a manager of services does.
func (s *serving) end() {
	s.t.Helper()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Error(err)
	}
	if _ = s.Wait(); exitOf(s.Cmd) != 0 || s.messages.Len() > 0 {
		s.t.Errorf("status %d, %q", exitOf(s.Cmd), s.messages.String())
	}
}

// socket opens a socket.
func (s *serving) socket(header http.Header) *websocket.Conn {
	s.t.Helper()
	conn, _, err := websocket.Dial(context.Background(), "ws://localhost:"+s.link.Port()+"/ws",
		&websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		s.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	return conn
}

// get returns the status and the body of a page.
func (s *serving) get(path string) (int, string) {
	s.t.Helper()
	response, err := http.Get("http://localhost:" + s.link.Port() + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A server on this machine needs no token, has the games of its command line, and
// ends well on a signal, whatever it is doing.
func TestServe(t *testing.T) {
	games := t.TempDir() + "/g.sgf"
	writeFile(t, games, []byte("(;GM[4]SZ[15];B[hh];W[hi])"))
	s := serve(t, "--addr", "127.0.0.1:0", "--model", *model, "--rule", "renju", games)
	status, body := s.get("/api/config")
	var config struct {
		Engines  []string
		Defaults struct{ Rule string }
		Review   []struct{ Path string }
	}
	if err := json.Unmarshal([]byte(body), &config); err != nil || status != 200 || len(config.Engines) != 3 ||
		config.Defaults.Rule != "renju" || config.Review[0].Path != games || s.link.RawQuery != "" {
		t.Errorf("%s: %d %s", s.link, status, body)
	}
	conn := s.socket(nil)
	defer conn.CloseNow()
	if err := conn.Write(t.Context(), websocket.MessageText,
		[]byte(`{"id":"a","maxVisits":1000000,"reportDuringSearchEvery":0.1}`)); err != nil {
		t.Fatal(err)
	}
	if _, text, err := conn.Read(t.Context()); err != nil || !strings.Contains(string(text), `"isDuringSearch":true`) {
		t.Errorf("%s, %v", text, err)
	}
	t.Logf("the first answer came %v after the start", time.Since(s.began).Round(time.Millisecond))
	s.end()
}

// A book may be changed by visitors with the token, which is made up on loopback too; it
// holds what they said after the server has gone.
func TestServeABook(t *testing.T) {
	file := t.TempDir() + "/a.book"
	fillBook(t, file, map[string]float64{"h8": 0})
	s := serve(t, "--addr", "127.0.0.1:0", "--model", "uniform", "--book", file, "--edit-book")
	if status, _ := s.get("/api/config"); status != 401 {
		t.Errorf("without a token: %d", status)
	}
	request, err := http.NewRequest(http.MethodPost, "http://localhost:"+s.link.Port()+"/api/book",
		strings.NewReader(`{"moves":["h8"],"saw":{"label":"none","comment":""},`+
			`"say":{"label":"draw","comment":"five \u4e94"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "Authorization": {"Bearer " + s.link.Query().Get("token")},
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body.Close(); response.StatusCode != 200 {
		t.Errorf("%d", response.StatusCode)
	}
	s.end()
	if q := queryOf(t, "query", file, "--position", "h8"); q.Here.Label != "draw" || q.Here.Comment != "five \u4e94" ||
		q.Here.Author != "visitor" {
		t.Errorf("%+v", q.Here)
	}
}

// Beyond this machine a token is made up, which the link has.
func TestServeBeyondLoopback(t *testing.T) {
	s := serve(t, "--addr", "0.0.0.0:0", "--model", "uniform")
	token := s.link.Query().Get("token")
	if status, _ := s.get("/api/config"); len(token) < 20 || status != 401 {
		t.Errorf("%s: %d", s.link, status)
	}
	s.socket(http.Header{"Authorization": {"Bearer " + token}}).CloseNow()
	s.end()
}

// Many boards at once, each analysing by both engines, all get answers on the way,
// and the program stays within its memory.
func TestServeManyBoards(t *testing.T) {
	s := serve(t, "--addr", "127.0.0.1:0", "--model", *model, "--max-clients", fmt.Sprint(*boards))
	var all sync.WaitGroup
	for i := range *boards {
		conn := s.socket(nil)
		defer conn.CloseNow()
		all.Go(func() {
			query := fmt.Sprintf(`{"id":"b","engine":"each","rules":%q,"moves":["h8","i9","h%d"],`+
				`"maxVisits":1000000,"maxNodes":100000000,"reportDuringSearchEvery":0.1,"includePolicy":true,`+
				`"includeThreats":true}`,
				[]string{"caro", "freestyle", "renju"}[i%3], 9+i%6)
			if err := conn.Write(context.Background(), websocket.MessageText, []byte(query)); err != nil {
				t.Error(err)
			}
			if _, text, err := conn.Read(context.Background()); err != nil ||
				!strings.Contains(string(text), `"isDuringSearch":true`) {
				t.Errorf("%.200s, %v", text, err)
			}
		})
	}
	all.Wait()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Process.Pid))
	if err != nil {
		s.end() // only Linux tells
		return
	}
	peak := 0
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, _ = fmt.Sscan(text, &peak)
		}
	}
	t.Logf("%d boards: at most %d MiB", *boards, peak>>10)
	if peak == 0 || peak > 1<<20 {
		t.Errorf("%d MiB", peak>>10)
	}
	s.end()
}
