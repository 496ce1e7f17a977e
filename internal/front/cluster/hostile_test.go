package cluster

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/selfplay/samples"
)

var garbage = flag.Int("garbage", 60, "random messages that a hostile worker sends")

// intruder speaks the protocol by hand.
type intruder struct {
	t       *testing.T
	nc      *nats.Conn
	group   group
	session string
	hello   hello
	denied  chan string // what the server has refused
}

// intrude connects an intruder that knows the token and says what an honest worker says.
func (p *place) intrude(c Config, name string) *intruder {
	p.t.Helper()
	return p.intrudeBy(p.link(), c, name)
}

// intrudeBy is intrude by a token of one's own.
func (p *place) intrudeBy(link Link, c Config, name string) *intruder {
	p.t.Helper()
	in := &intruder{t: p.t.(*testing.T), group: DefaultGroup, session: NewSession(), denied: make(chan string, 64)}
	nc, err := link.connect(in.session, func(text string) {
		select {
		case in.denied <- text:
		default:
		}
	}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	in.nc = nc
	setup, _, err := c.Setup(local())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := c.complete(setup); err != nil {
		p.t.Fatal(err)
	}
	_, sum, err := c.text()
	if err != nil {
		p.t.Fatal(err)
	}
	in.hello = hello{Protocol: Protocol, Name: name, Version: "test", Commit: "none", Planes: setup.Header.Planes.Version, Config: sum, Run: c.Run}
	return in
}

// ask sends a request and returns the answer.
func (in *intruder) ask(subject string, data []byte) answer {
	in.t.Helper()
	ctx, cancel := context.WithTimeout(in.t.Context(), time.Minute)
	defer cancel()
	msg, err := in.nc.RequestWithContext(ctx, subject, data)
	if err != nil {
		return answer{Failed: err.Error()}
	}
	var a answer
	if err := json.Unmarshal(msg.Data, &a); err != nil {
		in.t.Errorf("%s: the answer %q: %v", subject, msg.Data, err)
	}
	return a
}

// greet says a hello; what it does not change is an honest worker's.
func (in *intruder) greet(change func(*hello)) answer {
	in.t.Helper()
	h := in.hello
	if change != nil {
		change(&h)
	}
	data, err := json.Marshal(h)
	if err != nil {
		in.t.Fatal(err)
	}
	return in.ask(in.group.hello(in.session), data)
}

func (in *intruder) deal(room int) answer {
	return in.ask(in.group.of(in.session, verbDeal), fmt.Appendf(nil, `{"room":%d}`, room))
}

// dealt is deal until there are tasks, which a queue may give out late; it asks as often
// as a worker does.
func (in *intruder) dealt(room int) []Task {
	in.t.Helper()
	for a := in.deal(room); ; a = in.deal(room) {
		if len(a.Tasks) > 0 || a.Refused != "" || in.t.Context().Err() != nil {
			return a.Tasks
		}
		<-time.After(firstPause)
	}
}

func (in *intruder) result(data []byte) answer {
	return in.ask(in.group.of(in.session, verbResult), data)
}

// units sends that many results of two games each, which are to be taken.
func (in *intruder) units(record func(id int) *samples.Record, n int) {
	in.t.Helper()
	for unit := range n {
		if a := in.result(pack(in.t, record(unit))); a.Failed+a.Refused != "" {
			in.t.Errorf("unit %d: %+v", unit, a)
		}
	}
}

// pack returns records as a result has them.
func pack(t *testing.T, records ...*samples.Record) []byte {
	t.Helper()
	var parcel []byte
	for _, r := range records {
		var err error
		if parcel, err = samples.AppendRecord(parcel, r); err != nil {
			t.Fatal(err)
		}
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(parcel, nil)
}

// begun starts a coordinator and waits until it answers.
func (p *place) begun(s *Server, m *Metrics) (ended chan error) {
	p.t.Helper()
	return p.begunUntil(p.t.Context(), s, m)
}

// finish has a worker play the rest of a run, and wants both it and the coordinator to end well.
func (p *place) finish(worker string, ended <-chan error) {
	p.t.Helper()
	if err := p.worker(p.t.Context(), worker, nil)(); err != nil {
		p.t.Error(err)
	}
	if err := <-ended; err != nil {
		p.t.Error(err)
	}
}

// begunUntil is begun with a context that ends the coordinator.
func (p *place) begunUntil(ctx context.Context, s *Server, m *Metrics) (ended chan error) {
	p.t.Helper()
	ready := make(chan struct{})
	change := p.change
	p.change = func(o *CoordinatorOptions) {
		if change != nil {
			change(o)
		}
		o.ready = func() { close(ready) }
	}
	ended = make(chan error, 1)
	go func() {
		_, err := p.coordinate(ctx, s, m)
		ended <- err
	}()
	select {
	case <-ready:
	case err := <-ended:
		p.t.Fatalf("the coordinator does not begin: %v", err)
	}
	p.change = change
	return ended
}

// TestHostileWorker attacks a coordinator in every way that a worker can think of, lets
// an honest one play the run beside it, and wants the bytes of one process.
func TestHostileWorker(t *testing.T) {
	config, setup := plan(t, 40)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.change = func(o *CoordinatorOptions) { o.Workers = 100 }
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	record := played(t, config, setup)
	unit := func(id int) []*samples.Record { return []*samples.Record{record(id)} }

	t.Run("refused", func(t *testing.T) { p.refused(t, config) })
	t.Run("rights", func(t *testing.T) { p.rights(t, config) })
	rng := rand.New(rand.NewPCG(7, 7))
	attacks := map[string]func(in *intruder, dealt []int) answer{
		"garbage": func(in *intruder, _ []int) answer {
			junk := make([]byte, 1+rng.IntN(2000))
			for i := range junk {
				junk[i] = byte(rng.Uint32())
			}
			return in.result(junk)
		},
		"changed": func(in *intruder, dealt []int) answer {
			data := pack(t, unit(dealt[0])...)
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
			return in.result(data)
		},
		"illegal": func(in *intruder, dealt []int) answer {
			u := unit(dealt[0])
			u[0].Game.Moves = u[0].Game.Moves[:2] + u[0].Game.Moves
			return in.result(pack(t, u...))
		},
		"result": func(in *intruder, dealt []int) answer {
			u := unit(dealt[0])
			u[0].Game.Result = "first"
			u[0].Game.Reason = "resign"
			return in.result(pack(t, u...))
		},
		"renamed": func(in *intruder, dealt []int) answer {
			u := unit(dealt[0])
			u[0].Game.ID = 39
			return in.result(pack(t, u...))
		},
		"bomb":    func(in *intruder, _ []int) answer { return in.result(bomb(t)) },
		"request": func(in *intruder, _ []int) answer { return in.ask(in.group.of(in.session, verbDeal), []byte("{")) },
		"large": func(in *intruder, _ []int) answer {
			return in.ask(in.group.of(in.session, verbBeat), make([]byte, maxControl+1))
		},
		"beat": func(in *intruder, _ []int) answer {
			return in.ask(in.group.of(in.session, verbBeat), []byte(`{"evals":-1}`))
		},
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			in := p.intrude(config, name)
			defer in.nc.Close()
			if a := in.greet(nil); a.Refused+a.Failed != "" {
				t.Fatalf("an honest hello: %+v", a)
			}
			attack(in, in.dealt(1)[0].Games)
			if a := in.greet(nil); !strings.Contains(a.Refused, "quarantined") {
				t.Errorf("it is welcome again: %+v", a)
			}
		})
	}
	t.Run("strays", func(t *testing.T) {
		in := p.intrude(config, "stray")
		defer in.nc.Close()
		in.greet(nil)
		dealt := in.dealt(1)[0].Games
		for id := range 40 {
			if !slices.Contains(dealt, id) {
				if a := in.result(pack(t, unit(id)...)); a.Failed == "" {
					t.Errorf("game %d was not dealt to it and is taken: %+v", id, a)
				}
			}
		}
	})
	t.Run("flood", func(t *testing.T) {
		in := p.intrude(config, "flood")
		defer in.nc.Close()
		in.greet(nil)
		for range 30 * *garbage {
			if err := in.nc.Publish(in.group.of(in.session, verbDeal), []byte(`{"room":1}`)); err != nil {
				break
			}
		}
		_ = in.nc.Flush()
	})
	p.finish("honest", ended)
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// refused wants every worker that does not fit to be told why.
func (p *place) refused(t *testing.T, config Config) {
	for want, change := range map[string]func(*hello){
		"protocol 1":      func(h *hello) { h.Protocol = 1 },
		"carozero v9 (":   func(h *hello) { h.Version = "v9" },
		"carozero test (": func(h *hello) { h.Commit = "other" },
		`planes "planes"`: func(h *hello) { h.Planes = "planes" },
		"network abcdef":  func(h *hello) { h.Model = "abcdef" },
		"makes run.json":  func(h *hello) { h.Run = "abcdef" },
		"name":            func(h *hello) { h.Name = "../x" },
	} {
		in := p.intrude(config, "refused")
		if a := in.greet(change); !strings.Contains(a.Refused, want) {
			t.Errorf("want %q, got %+v", want, a)
		}
		in.nc.Close()
	}
	in := p.intrude(config, "refused")
	defer in.nc.Close()
	if a := in.greet(func(h *hello) { h.Config = "abcdef" }); !strings.Contains(a.Failed, "configuration abcdef") {
		t.Errorf("another configuration: %+v", a)
	}
	if a := in.ask(in.group.hello(in.session), []byte("{")); a.Refused == "" {
		t.Errorf("a hello that is none: %+v", a)
	}
	if a := in.deal(1); len(a.Tasks) > 0 {
		t.Error("games without a hello")
	}
}

// rights wants the server to refuse connections without the token, and a worker do no more
// than it must.
func (p *place) rights(t *testing.T, config Config) {
	if nc, err := (Link{URL: p.link().URL, Token: "guess"}).connect(NewSession(), func(string) {}, nil); err == nil {
		nc.Close()
		t.Error("it comes in without the token")
	}
	in := p.intrude(config, "rights")
	defer in.nc.Close()
	stream := in.group.stream()
	for _, subject := range []string{
		"$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.CREATE.x", "$JS.API.STREAM.INFO." + stream, "$JS.API.STREAM.DELETE." + stream,
		"$JS.API.STREAM.PURGE." + stream, "$JS.API.STREAM.MSG.GET." + stream, "$JS.API.DIRECT.GET." + stream,
		"$JS.API.CONSUMER.CREATE." + stream, "$JS.API.CONSUMER.CREATE." + stream + ".mine", "$JS.API.CONSUMER.DURABLE.CREATE." + stream + ".mine",
		"$JS.API.CONSUMER.MSG.NEXT." + stream + ".coordinator", "$JS.ACK." + stream + ".coordinator.1.1.1.1.0", "$JS.FC.x",
		"$KV.x.current", "$O.x.C.1", "$SYS.REQ.SERVER.PING",
		in.group.tasks(), in.group.news(), in.group.of(NewSession(), verbBye), in.group.hello(NewSession()), inbox(NewSession()) + ".1",
	} {
		if err := in.nc.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		if err := in.nc.FlushTimeout(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		if text := <-in.denied; !strings.Contains(strings.ToLower(text), "permissions violation") {
			t.Errorf("%s: %s", subject, text)
		}
	}
	for _, subject := range []string{">", "*.>", "carozero.>", "$KV.>", "$JS.>", inbox(NewSession()) + ".>", in.group.all(), in.group.tasks()} {
		if _, err := in.nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		if text := <-in.denied; !strings.Contains(strings.ToLower(text), "permissions violation") {
			t.Errorf("listening to %s: %s", subject, text)
		}
	}
	for object, want := range map[string]string{"": in.hello.Config, in.hello.Config: `"protocol":2`} {
		data, err := json.Marshal(read{Object: object})
		if err != nil {
			t.Fatal(err)
		}
		if a := in.ask(in.group.read(in.session), data); a.Current != want && !strings.Contains(string(a.Data), want) {
			t.Errorf("what is published cannot be read: %+v", a)
		}
	}
}

// bomb returns a small message that unfolds to more than is allowed.
func bomb(t *testing.T) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(make([]byte, 2*maxParcel), nil)
}
