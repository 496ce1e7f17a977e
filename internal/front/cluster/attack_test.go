package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/selfplay/samples"
)

// never is an audit's share that no unit is drawn for.
const never = 1e-9

// TestAnswersGoToTheAsker asks for every answer at the subject of somebody else: the
// coordinator, which may publish anywhere, must not do it for a peer.
func TestAnswersGoToTheAsker(t *testing.T) {
	config, setup := plan(t, 16)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.change = func(o *CoordinatorOptions) { o.Audit = never }
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	in, other := p.intrude(config, "deputy"), NewSession()
	defer in.nc.Close()
	if a := in.greet(nil); a.Failed+a.Refused != "" {
		t.Fatalf("%+v", a)
	}
	dealt := in.dealt(2)[0].Games[0]
	record := played(t, config, setup)
	said, err := json.Marshal(in.hello)
	if err != nil {
		t.Fatal(err)
	}
	targets := []string{
		"victim", "$JS.API.STREAM.DELETE.none", "$KV.none.current", inbox(other) + ".1", inbox(in.session), inbox(in.session) + "x.1",
	}
	var heard []*nats.Subscription
	for _, subject := range targets {
		sub, err := nc.SubscribeSync(subject)
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, sub)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	of := func(verb string) string { return in.group.of(in.session, verb) }
	requests := []struct {
		subject string
		data    []byte
	}{
		{of(verbBeat), []byte("{}")}, {of(verbDeal), []byte(`{"room":1}`)}, {of("nonsense"), nil},
		{of(verbResult), pack(t, record(dealt), record(dealt+1))},
		{in.group.hello(in.session), said}, {in.group.hello(in.session), []byte("{")}, {in.group.status(in.session), nil},
	}
	for _, r := range requests {
		for _, target := range targets {
			if err := in.nc.PublishRequest(r.subject, target, r.data); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Answered in their order, these say that all before were handled.
	in.deal(1)
	in.greet(nil)
	if _, err := in.nc.Request(in.group.status(in.session), nil, time.Minute); err != nil {
		t.Error(err)
	}
	if a := in.ask(of(verbBye), nil); a.Failed+a.Refused != "" {
		t.Errorf("bye: %+v", a)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for i, sub := range heard {
		if n, _, err := sub.Pending(); err != nil || n > 0 {
			t.Errorf("%d answers went to %s, error %v", n, targets[i], err)
		}
	}
	p.finish("honest", ended)
}

// TestSilentStrangers has many connections say nothing: a worker comes in all the same.
func TestSilentStrangers(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.serve = func(o *ServerOptions) { o.Workers = 4 }
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	for i := range 2 * mostStrangers {
		conn, err := net.Dial("tcp", p.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if i%2 == 0 { // half a sentence is no more than none
			if _, err := conn.Write([]byte("CONN")); err != nil && !errors.Is(err, net.ErrClosed) {
				t.Logf("stranger %d: %v", i, err)
			}
		}
	}
	in := p.intrude(config, "late")
	in.nc.Close()
	p.finish("honest", ended)
}

// TestNamesAreForgotten has workers come and go that never send a game, and one that says
// hello without end: the coordinator remembers nothing of them.
func TestNamesAreForgotten(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	standing := time.Now()
	p.change = func(o *CoordinatorOptions) { o.Now = func() time.Time { return standing } }
	s := p.listen()
	defer s.Close()
	m := NewMetrics()
	ended := p.begun(s, m)
	for i := range 20 {
		in := p.intrude(config, "")
		for j := range 10 {
			if a := in.greet(func(h *hello) { h.Name = fmt.Sprintf("name-%d-%d", i, j) }); a.Failed+a.Refused != "" {
				t.Errorf("%+v", a)
			}
			in.ask(in.group.of(in.session, verbBye), nil)
		}
		in.nc.Close()
	}
	flood := p.intrude(config, "flood")
	defer flood.nc.Close()
	data, err := json.Marshal(hello{Protocol: 99})
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if err := flood.nc.PublishRequest(flood.group.hello(flood.session), inbox(flood.session)+".1", data); err != nil {
			t.Fatal(err)
		}
	}
	in := p.intrude(config, "fence") // its hello is answered after all of these
	defer in.nc.Close()
	if err := flood.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	in.greet(nil)
	in.ask(in.group.of(in.session, verbBye), nil)
	var known int
	if err := p.at.do(func() error { known = len(p.at.peers); return nil }); err != nil {
		t.Fatal(err)
	}
	if known != 0 {
		t.Errorf("%d names are kept", known)
	}
	if n := counted(t, m, "refusals_total", "hello"); n != helloBurst {
		t.Errorf("%v hellos of a flood of 500 were looked at, want %d", n, helloBurst)
	}
	p.finish("honest", ended)
}

// counted returns what a counter with a label stands at.
func counted(t *testing.T, m *Metrics, name, label string) (n float64) {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != namespace+"_"+name {
			continue
		}
		for _, metric := range f.GetMetric() {
			if l := metric.GetLabel(); len(l) == 0 && label == "" || len(l) > 0 && l[0].GetValue() == label {
				n += metric.GetCounter().GetValue()
			}
		}
	}
	return n
}

// TestQuarantinedNamesAreBounded has more workers quarantined than are kept in mind.
func TestQuarantinedNamesAreBounded(t *testing.T) {
	c := NewCoordinator(nil, nil, NewMetrics(), CoordinatorOptions{})
	for i := range mostBad + 100 {
		c.condemned(c.peer(fmt.Sprintf("name-%d", i)), "it lies")
	}
	if len(c.peers) != mostBad || c.peers["name-99"] != nil || c.peers["name-100"] == nil {
		t.Errorf("%d names are kept", len(c.peers))
	}
}

// TestWrongToken wants a worker with a wrong token to end, and say why.
func TestWrongToken(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	err := p.worker(t.Context(), "wrong", func(o *WorkerOptions) { o.Link.Token = "another token" })()
	if !errors.Is(err, ErrToken) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if _, err := Ask(t.Context(), Link{URL: p.link().URL, Token: "another token"}, DefaultGroup); !errors.Is(err, ErrToken) {
		t.Errorf("status: %v", err)
	}
}

// TestTokensAreRefusedLate lets a worker with a wrong token wait for a server that is not
// there yet, and one with a token lose its connection and the token while it is away: both end.
func TestTokensAreRefusedLate(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.listen().Close() // so that the address is known
	told := make(chan string, 100)
	early := p.worker(t.Context(), "early", func(o *WorkerOptions) {
		o.Link.Token, o.Log = "another token", slog.New(slog.NewTextHandler(lines(told), nil))
	})
	if text := <-told; !strings.Contains(text, "no connection") {
		t.Errorf("without a server it is told %q", text)
	}
	s := p.listen()
	if err := early(); !errors.Is(err, ErrToken) {
		t.Errorf("the wrong token: %v", err)
	}
	if err := p.worker(t.Context(), "lost", func(o *WorkerOptions) { o.Link.URL = "nats://:abc" })(); err == nil || !strings.Contains(err.Error(), "invalid port") {
		t.Errorf("a URL that is none: %v", err)
	}
	link := p.issue("alice")
	late := p.worker(t.Context(), "late", func(o *WorkerOptions) {
		o.Link, o.Log = link, slog.New(slog.NewTextHandler(lines(told), nil))
	})
	for text := range told {
		if strings.Contains(text, "trying again") { // it is in, and nobody deals
			break
		}
	}
	s.Close()
	p.revoke("alice")
	s = p.listen()
	defer s.Close()
	if err := late(); !errors.Is(err, ErrToken) {
		t.Errorf("the revoked token: %v", err)
	}
}

// lines is a writer whose lines come out of a channel.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	select {
	case l <- string(b):
	default:
	}
	return len(b), nil
}

// TestSecondServer wants a second server on the same files to be refused before it opens
// them.
func TestSecondServer(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	second, err := StartServer(ServerOptions{Dir: filepath.Join(clusterDir(p.dir), "jetstream"), Addr: "127.0.0.1:0", Token: testToken, Group: DefaultGroup, unsynced: true})
	if err == nil {
		second.Close()
	}
	if !errors.Is(err, disk.ErrHeld) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	p.finish("one", ended)
}

// TestSecondCoordinator wants a coordinator to be refused on a server where one of its group is at
// work, whose queue it would delete, and that one to go on.
func TestSecondCoordinator(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := CoordinatorOptions{Dir: t.TempDir(), Config: config, Setup: setup, Codec: generate.SampleCodec, Files: unsynced{}, ready: cancel}
	_, err = NewCoordinator(nc, nil, NewMetrics(), o).Run(ctx)
	if err == nil || !strings.Contains(err.Error(), "on the server already, with the run "+p.dir) {
		t.Errorf("a second coordinator: %v", err)
	}
	p.finish("one", ended)
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// TestLargeResults sends a result in parts, which come doubled, out of order, from another
// byte, and after the session was forgotten.
func TestLargeResults(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.change = func(o *CoordinatorOptions) { o.Audit = never }
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	record := played(t, config, setup)
	in := p.intrude(config, "large")
	defer in.nc.Close()
	in.greet(nil)
	dealt := in.dealt(2)[0].Games[0]
	large := padded(t, pack(t, record(dealt), record(dealt+1)), 3*maxPart)
	send := func(from int) answer {
		return in.ask(in.group.of(in.session, verbPart), appendPart(nil, dealt, large, from))
	}
	for _, step := range []struct {
		from, have int
		taken      bool
	}{
		{maxPart, 0, false},           // the first is missing
		{0, maxPart, false},           //
		{0, maxPart, false},           // the answer was lost
		{2 * maxPart, maxPart, false}, // one is missing
		{maxPart, 2 * maxPart, false}, //
		{2 * maxPart, 3 * maxPart, false},
		{3 * maxPart, 0, true},
	} {
		if a := send(step.from); a.From != step.have || a.Taken != step.taken || a.Failed+a.Refused != "" {
			t.Errorf("from byte %d: %+v, want %+v", step.from, a, step)
		}
	}
	if a := send(3 * maxPart); a.Taken || a.From != 0 { // the last answer was lost
		t.Errorf("after it was taken: %+v", a)
	}
	p.at.parts.mu.Lock()
	taken := p.at.parts.taken
	p.at.parts.mu.Unlock()
	if taken != 0 {
		t.Errorf("%d bytes are still counted", taken)
	}
	// A worker does the same by itself.
	w, err := NewWorker(WorkerOptions{Link: p.link(), Name: "unused", Session: in.session})
	if err != nil {
		t.Fatal(err)
	}
	next := in.dealt(2)[0].Games[0]
	r := &run{w: w, nc: in.nc, hello: in.hello, large: make(chan struct{}, 1)}
	if err := r.deliver(t.Context(), next, padded(t, pack(t, record(next), record(next+1)), 2*maxPart)); err != nil {
		t.Error(err)
	}
	in.ask(in.group.of(in.session, verbBye), nil)
	p.finish("honest", ended)
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
	if taken, _ := ofLedger(t, p.dir, "large"); taken < 4 {
		t.Errorf("%d games of the worker are in the run", taken)
	}
}

// padded returns a result with so many bytes behind it that its decoder skips.
func padded(t *testing.T, packed []byte, n int) []byte {
	t.Helper()
	frame := []byte{0x50, 0x2a, 0x4d, 0x18, byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
	out := append(append(packed, frame...), make([]byte, n)...)
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if _, err := z.DecodeAll(out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAssembler begins results of many sessions: they share one bound, and one that stays
// unfinished gives way after a while.
func TestAssembler(t *testing.T) {
	now := time.Time{}
	a := &assembler{now: func() time.Time { return now }, most: 3 * maxPart, by: map[string]*partial{}}
	result := make([]byte, maxPart+1)
	for i := range 5 {
		_, _, busy, err := a.add(fmt.Sprint(i), appendPart(nil, 1, result, 0))
		if err != nil || busy != (i >= 2) || a.taken > a.most {
			t.Errorf("session %d: busy %v, %d bytes, error %v", i, busy, a.taken, err)
		}
	}
	if whole, _, _, err := a.add("0", appendPart(nil, 1, result, maxPart)); err != nil || !bytes.Equal(whole, result) {
		t.Errorf("%d bytes of %d, error %v", len(whole), len(result), err)
	}
	now = now.Add(patience)
	for i := 2; i < 4; i++ { // 1 gives way, 0 is whole
		if _, _, busy, _ := a.add(fmt.Sprint(i), appendPart(nil, 1, result, 0)); busy != (i > 2) {
			t.Errorf("session %d after a while: busy %v", i, busy)
		}
	}
	if a.by["1"] != nil || a.by["0"] == nil || a.taken != 2*len(result) {
		t.Errorf("%v, %d bytes", a.by, a.taken)
	}
	a.forget("0")
	a.forget("0")
	a.forget("2")
	if a.taken != 0 {
		t.Errorf("%d bytes are left", a.taken)
	}
	for name, part := range map[string][]byte{
		"empty":     appendPart(nil, 1, nil, 0),
		"too large": append(appendPart(nil, 1, make([]byte, maxResult+1), 0)[:partHead], 1),
		"beyond":    append(appendPart(nil, 1, result[:10], 0), 1),
		"torn":      {1, 2, 3},
	} {
		if _, _, _, err := a.add("0", part); err == nil || a.taken != 0 {
			t.Errorf("%s: error %v, %d bytes", name, err, a.taken)
		}
	}
}

// TestRates asks more often than is allowed, as one session and as many.
func TestRates(t *testing.T) {
	now := time.Unix(0, 0)
	r := rates{perSecond: 2, burst: 4, most: 8, by: map[string]*rate{}}
	ask := func(session string, n int) (allowed int) {
		for range n {
			if r.take(session, now) {
				allowed++
			}
		}
		return allowed
	}
	if n := ask("a", 10); n != 4 {
		t.Errorf("%d at once, want 4", n)
	}
	now = now.Add(time.Second)
	if n := ask("a", 10); n != 2 {
		t.Errorf("%d after a second, want 2", n)
	}
	for i := range 100 {
		if ask(fmt.Sprint(i), 1) != 1 {
			t.Errorf("session %d is not let ask", i)
		}
		if len(r.by) > r.most {
			t.Fatalf("%d sessions are known", len(r.by))
		}
	}
}

// TestNetworkIsRead has a worker read a network of many pieces from the coordinator, and
// one that was changed.
func TestNetworkIsRead(t *testing.T) {
	config, setup := plan(t, 8)
	network := make([]byte, 5*maxRead/2)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(network) // never fails
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.change = func(o *CoordinatorOptions) { o.Network = network }
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	in := p.intrude(config, "reads")
	defer in.nc.Close()
	w, err := NewWorker(WorkerOptions{Link: p.link(), Name: "reads", Session: in.session, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int64{maxNetwork, int64(len(network)), int64(len(network)) - 1} {
		got, err := w.fetch(t.Context(), in.nc, digest(network), most)
		if (err == nil) != (most >= int64(len(network))) || err == nil && !bytes.Equal(got, network) {
			t.Errorf("at most %d: %d bytes, error %v", most, len(got), err)
		}
	}
	if path, err := w.network(t.Context(), in.nc, digest(network)); err != nil || filepath.Base(path) != samples.NetworkName(digest(network)) {
		t.Errorf("%s, %v", path, err)
	}
	for text, want := range map[string]string{
		`{"object":"../run.json"}`: "nothing here", `{"object":"` + strings.Repeat("0", 64) + `"}`: "nothing here", "{": "cannot be read",
		`{"object":"` + digest(network) + `","from":-1}`: "byte -1", `{"object":"` + digest(network) + `","from":99999999}`: "byte 99999999",
	} {
		if a := in.ask(in.group.read(in.session), []byte(text)); !strings.Contains(a.Failed+a.Refused, want) || len(a.Data) > 0 {
			t.Errorf("%s: %+v", text, a)
		}
	}
	p.finish("one", ended)
}

// TestFollowedNetworksAreRead wants reads of a following run to find the run's own copies only.
func TestFollowedNetworksAreRead(t *testing.T) {
	dir := t.TempDir()
	l := newLibrary(dir, true, []byte("config"))
	var sums []string
	for i := range mostLoaded + 2 {
		data := fmt.Appendf(nil, "network %d", i)
		sums = append(sums, digest(data))
		if err := WriteSecret(filepath.Join(dir, samples.NetworkName(digest(data))), data); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for i, sum := range sums {
			if data, err := l.object(sum); err != nil || string(data) != fmt.Sprintf("network %d", i) {
				t.Errorf("network %d: %q, %v", i, data, err)
			}
			if len(l.loaded) > mostLoaded {
				t.Errorf("%d networks are in memory", len(l.loaded))
			}
		}
	}
	if err := WriteSecret(filepath.Join(dir, samples.NetworkName(sums[0])), []byte("other")); err != nil {
		t.Fatal(err)
	}
	for _, sum := range []string{sums[0], strings.Repeat("0", 64), "../manifest"} {
		if data, err := l.object(sum); err == nil {
			t.Errorf("%s: %q", sum, data)
		}
	}
}
