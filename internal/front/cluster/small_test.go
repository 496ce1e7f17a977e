package cluster

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"

	"github.com/carozero/carozero/selfplay/samples"
)

// A distance of two policy targets is half the sum over all actions of how much they
// differ; an action that is not listed has 0.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows [2]samples.Row
		var shares [2][20]float64
		for i := range rows {
			for a := range shares[i] {
				if rapid.Bool().Draw(t, "listed") {
					share := rapid.Float32Range(0, 1).Draw(t, "share")
					shares[i][a] = float64(share)
					rows[i].Actions = append(rows[i].Actions, uint16(a))
					rows[i].Target = append(rows[i].Target, share)
				}
			}
		}
		want := 0.0
		for a := range shares[0] {
			want += math.Abs(shares[0][a]-shares[1][a]) / 2
		}
		if got := distance(&rows[0], &rows[1]); math.Abs(got-want) > 1e-9 {
			t.Fatalf("distance %v, want %v", got, want)
		}
	})
}

// Of the results that have stopped growing the one that was begun first gives way.
func TestOldestPartialGivesWay(t *testing.T) {
	now := time.Unix(0, 0)
	const size = 3 * maxPart
	a := &assembler{now: func() time.Time { return now }, most: 3 * size, by: map[string]*partial{}}
	begin := func(session string) (busy bool) {
		head := make([]byte, partHead, partHead+maxPart)
		binary.LittleEndian.PutUint32(head[4:], size)
		_, _, busy, err := a.add(session, append(head, bytes.Repeat([]byte{1}, maxPart)...))
		if err != nil {
			t.Fatal(err)
		}
		return busy
	}
	for _, session := range []string{"c", "a", "b"} {
		if begin(session) {
			t.Fatalf("no room for %s", session)
		}
		now = now.Add(time.Second)
	}
	if !begin("d") {
		t.Error("a result takes the place of one that may still grow")
	}
	now = now.Add(patience)
	for _, want := range []string{"c", "a", "b"} {
		if begin("after " + want) {
			t.Fatalf("nothing gives way after %v", patience)
		}
		if a.by[want] != nil {
			t.Errorf("%s is there still; it was the oldest one", want)
		}
		now = now.Add(time.Second)
	}
}

func TestPorts(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:65536", "127.0.0.1:100000", "127.0.0.1:-1", "127.0.0.1:http", "127.0.0.1:1a", "127.0.0.1"} {
		l, err := listen(addr)
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// A log is never larger than it may be, is cut between lines, and keeps so many old files.
func TestLogFileTurnsOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("12345678\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(path, 20, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"aaaaaaaaaa\n", "b\n", "a line longer than a file\n", "c\n", "d\n"} {
		if n, err := l.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatalf("%q: %d, %v", line, n, err)
		}
	}
	var got []string
	for _, suffix := range []string{"", ".1", ".2", ".3"} {
		data, _ := os.ReadFile(path + suffix)
		got = append(got, string(data))
	}
	if want := []string{"c\nd\n", "a line longer than a file\n", "b\n", ""}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// A log goes on in its file while the old ones cannot be renamed, and turns over once they can.
func TestLogFileOutlastsAnObstacle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	obstacle := filepath.Join(path+".1", "x")
	if err := os.MkdirAll(obstacle, 0o777); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(path, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i, c := range []struct {
		line, file string
		fails      bool
	}{{"aa\n", "aa\n", false}, {"bb\n", "aa\nbb\n", true}, {"cc\n", "aa\nbb\ncc\n", true}, {"dd\n", "dd\n", false}} {
		if c.line == "dd\n" {
			if err := os.RemoveAll(path + ".1"); err != nil {
				t.Fatal(err)
			}
		}
		n, err := l.Write([]byte(c.line))
		if n != len(c.line) || (err != nil) != c.fails {
			t.Errorf("line %d: %d, %v", i, n, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.file {
			t.Errorf("line %d: the file is %q, %v, want %q", i, text, err, c.file)
		}
	}
}

// The server forgets connections that have ended, and none that is there.
func TestEndedConnectionsAreForgotten(t *testing.T) {
	p := &place{t: t, dir: t.TempDir(), serve: func(o *ServerOptions) { o.Workers = 1 }}
	s := p.listen()
	defer s.Close()
	connect := func(session string) *nats.Conn {
		for range 10_000 { // while the server has not seen that the last ones have ended
			if nc, err := p.link().connect(session, func(string) {}, nil); err == nil {
				return nc
			}
		}
		t.Fatal("no connection")
		return nil
	}
	here := NewSession()
	defer connect(here).Close()
	most := 2 * (1 + spareConns)
	for range 3 * most {
		connect(NewSession()).Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.peers[here]; !ok || len(s.peers) > most+1 {
		t.Errorf("%d connections are known, want at most %d, the one that is there among them: %v", len(s.peers), most+1, ok)
	}
}
