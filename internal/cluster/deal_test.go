package cluster

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// desk is a coordinator without a server, to which a test speaks for all workers.
type desk struct {
	t    *testing.T
	c    *Coordinator
	now  time.Time
	log  lockedBuffer
	pack *zstd.Encoder
	game func(id int) *samples.Record
}

func newDesk(t *testing.T, dir string, games int, change func(*CoordinatorOptions)) *desk {
	d := &desk{t: t, now: time.Unix(0, 0)}
	config, setup := plan(t, games)
	config.Exact = false
	d.game = played(t, config, setup)
	o := CoordinatorOptions{
		Dir: dir, Resume: true, Config: config, Setup: setup, Codec: selfplay.SampleCodec, Kind: "coordinator",
		Silent: 15 * time.Second, Slow: time.Minute,
		Now: func() time.Time { return d.now }, Log: slog.New(slog.NewTextHandler(&d.log, nil)),
	}
	if change != nil {
		change(&o)
	}
	var err error
	if d.pack, err = zstd.NewWriter(nil); err != nil {
		t.Fatal(err)
	}
	d.c = NewCoordinator(nil, o)
	if err := d.c.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.c.out.Close() })
	return d
}

// work says that a worker plays games and has room for so many more, and returns what it is
// dealt.
func (d *desk) work(name, kind string, room int, games ...int) (dealt []int, refused string) {
	d.t.Helper()
	a := d.c.onWork(work{
		Session: name, Name: name, Kind: kind, Config: d.c.sum, Games: games, Room: room, Local: name == "local",
	})
	for _, task := range a.Tasks {
		dealt = append(dealt, task.Game)
	}
	slices.Sort(dealt)
	return dealt, a.Refused
}

// result sends a worker's game and returns the answer.
func (d *desk) result(name string, id int, spoil func(*samples.Record)) answer {
	d.t.Helper()
	record := d.game(id)
	if spoil != nil {
		spoil(record)
	}
	data, err := samples.EncodeRecord(record)
	if err != nil {
		d.t.Fatal(err)
	}
	msg := nats.NewMsg(subjectResult)
	msg.Header.Set(sessionHeader, name)
	msg.Header.Set(configHeader, d.c.sum)
	msg.Data = d.pack.EncodeAll(data, nil)
	answered := make(chan answer, 1)
	codec := <-d.c.codecs
	go func() { answered <- d.c.onResult(msg, codec) }()
	defer func() { d.c.codecs <- codec }()
	select {
	case a := <-d.c.arrivals:
		if err := d.c.storeAll([]arrival{a}); err != nil {
			d.t.Fatal(err)
		}
		return <-answered
	case a := <-answered:
		return a
	}
}

// played plays the run and returns what makes a fresh copy of a game's record.
func played(t testing.TB, c Config, setup selfplay.Setup) func(id int) *samples.Record {
	t.Helper()
	run, err := selfplay.Plan(setup, c.Options)
	if err != nil {
		t.Fatal(err)
	}
	queue := selfplay.NewGameQueue()
	for id := range run.Games {
		queue.Add(samples.PlayedBy{}, id)
	}
	queue.Close()
	records := make([][]byte, run.Games)
	err = selfplay.PlayQueue(t.Context(), setup, c.Options, selfplay.Host{}, queue,
		func(s selfplay.FinishedGame) (err error) {
			records[s.Record.Game.ID], err = samples.EncodeRecord(s.Record)
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	return func(id int) *samples.Record {
		r, err := samples.DecodeRecord(records[id], run.Layout)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// deals wants a worker to be dealt these games.
func (d *desk) deals(want []int, name string, room int, games ...int) {
	d.t.Helper()
	if got, refused := d.work(name, "kind", room, games...); !slices.Equal(got, want) || refused != "" {
		d.t.Errorf("%s is dealt %v, want %v; refused %q", name, got, want, refused)
	}
}

func TestDealing(t *testing.T) {
	dir := t.TempDir()
	d := newDesk(t, dir, 6, nil)
	d.deals([]int{0, 1, 2}, "a", 3)
	d.deals([]int{3, 4}, "b", 2)
	d.deals(nil, "a", 0, 0, 1, 2)
	d.deals([]int{5}, "c", 2) // there are no more

	d.deals([]int{4}, "b", 1, 3)    // it has lost the answer that dealt it 4
	d.deals([]int{2}, "a", 1, 0, 1) // and a the one that dealt it 2
	d.deals(nil, "c", 1, 5)         // nobody is slow yet
	d.now = d.now.Add(time.Minute)  // now all are
	if got, _ := d.work("c", "kind", 1, 5); len(got) != 1 || got[0] == 5 {
		t.Errorf("what another has had for a minute is not dealt to an idle worker: %v", got)
	}

	d = newDesk(t, t.TempDir(), 6, nil)
	d.deals([]int{0, 1}, "a", 2)
	d.now = d.now.Add(14 * time.Second)
	d.deals([]int{2}, "b", 1)
	d.now = d.now.Add(time.Second)
	d.c.dropSilent()
	d.deals([]int{0}, "b", 1, 2) // a is silent
	d.deals([]int{3}, "a", 1, 1) // and there again, with one of its games
	d.c.onLeave("b")
	d.deals([]int{0, 2, 4}, "c", 3)
	if c := d.c; len(c.dealt) != 5 || len(c.sessions) != 2 || len(c.sessions["a"].games) != 2 {
		t.Errorf("%v %v", c.dealt, c.sessions)
	}
}

// TestRestart wants a coordinator that begins anew to learn from the workers what they have.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	d := newDesk(t, dir, 6, nil)
	d.deals([]int{0, 1, 2}, "a", 3)
	if a := d.result("a", 1, nil); !a.good() {
		t.Fatalf("%+v", a)
	}
	if err := d.c.out.Close(); err != nil {
		t.Fatal(err)
	}
	d = newDesk(t, dir, 6, nil)
	if a := d.result("a", 2, nil); a.Again == "" {
		t.Errorf("the game of a session that is not known: %+v", a)
	}
	d.deals([]int{3}, "a", 1, 0, 2)
	d.deals([]int{4, 5}, "b", 9)
	for _, id := range []int{0, 2, 3} {
		if a := d.result("a", id, nil); a.Again == "" {
			t.Errorf("%+v", a) // it is not checked yet: b is there now
		}
	}
}

// TestDoubled wants the second copy of a game to be taken without harm.
func TestDoubled(t *testing.T) {
	d := newDesk(t, t.TempDir(), 6, nil)
	d.deals([]int{0}, "a", 1)
	for range 2 {
		if a := d.result("a", 0, nil); !a.good() {
			t.Errorf("%+v", a)
		}
	}
	if d.c.summary.OnDisk != 1 || len(d.c.dealt) != 0 {
		t.Errorf("%+v, dealt %v", d.c.summary, d.c.dealt)
	}
	if !strings.Contains(d.log.String(), "nothing checks this worker") {
		t.Error("no line says that nothing checks it")
	}
}

// illegal makes a game break the rules.
func illegal(r *samples.Record) { r.Game.Moves = "a1" + r.Game.Moves }

func TestFirstGames(t *testing.T) {
	again := func(a answer) bool { return a.Again != "" && a.Refused == "" }
	d := newDesk(t, t.TempDir(), 40, nil)
	d.deals([]int{0}, "a", 1)
	d.deals([]int{1}, "b", 1)
	if !again(d.result("a", 0, nil)) || !again(d.result("b", 1, nil)) {
		t.Error("a game is stored although nothing was compared")
	}
	d.deals([]int{0}, "b", 0, 1) // a's first game, though it has no room
	if got, _ := d.work("c", "another kind", 1); !slices.Equal(got, []int{2}) {
		t.Errorf("another kind is dealt %v", got)
	}
	if a := d.result("b", 0, nil); !a.good() {
		t.Errorf("%+v", a)
	}
	if a := d.result("a", 0, nil); !a.good() {
		t.Errorf("%+v", a)
	}
	if s := d.c.sessions; !s["a"].checked || !s["b"].checked || d.c.summary.OnDisk != 1 {
		t.Errorf("%+v", s)
	}

	// One that computes other games is refused, and its games are not stored.
	d.deals([]int{3}, "faulty", 1)
	if !again(d.result("faulty", 3, spoiled)) {
		t.Error("a faulty game is stored")
	}
	d.deals([]int{3}, "a", 0)
	if a := d.result("a", 3, nil); !a.good() {
		t.Errorf("%+v", a)
	}
	if a := d.result("faulty", 3, spoiled); !strings.Contains(a.Refused, "faulty") {
		t.Errorf("%+v", a)
	}
	if _, refused := d.work("faulty", "kind", 1); refused == "" {
		t.Error("it comes back")
	}

	// So is one whose games break the rules.
	d.deals([]int{4}, "illegal", 1)
	if a := d.result("illegal", 4, illegal); a.Refused == "" {
		t.Errorf("%+v", a)
	}

	// The checker goes: another one plays the game.
	d.deals([]int{4}, "e", 1)
	d.result("e", 4, nil)
	d.deals([]int{4}, "a", 0)
	d.c.onLeave("a")
	d.deals([]int{4}, "b", 0)

	// Of two that were not checked nobody knows which one is faulty.
	d = newDesk(t, t.TempDir(), 40, nil)
	d.deals([]int{0}, "a", 1)
	d.deals([]int{1}, "b", 1)
	d.result("a", 0, nil)
	d.deals([]int{0}, "b", 0, 1)
	if a := d.result("b", 0, spoiled); a.Refused == "" {
		t.Errorf("%+v", a)
	}
	if a := d.result("a", 0, nil); a.Refused == "" {
		t.Errorf("%+v", a)
	}

	// The coordinator checks those of its kind.
	d = newDesk(t, t.TempDir(), 40, func(o *CoordinatorOptions) { o.Kind = "kind" })
	d.deals([]int{0}, "a", 1)
	if !again(d.result("a", 0, nil)) {
		t.Error("the game is stored")
	}
	d.deals([]int{0}, "local", 0)
	if a := d.result("local", 0, nil); !a.good() {
		t.Errorf("%+v", a)
	}
	if s := d.c.sessions["a"]; !s.checked {
		t.Errorf("%+v", s)
	}
}
