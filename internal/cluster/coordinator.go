package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// CoordinatorOptions say what a coordinator has played. A zero field means the default that
// its comment names.
type CoordinatorOptions struct {
	Dir    string // of the run
	Resume bool   // continue the run in Dir

	Config  Config            // without Protocol and Digest, which the coordinator fills in
	Setup   selfplay.Setup    // of the Config on this machine
	Network []byte            // file of the Config's network, nil if it has none
	Codec   samples.CodecFunc // replays games
	Kind    string            // of this machine, see [MachineKind]

	// Workers and AtOnce are as in selfplay.Host for the games that the coordinator plays
	// too. With no workers it plays only workers' first games again.
	Workers, AtOnce int

	Silent time.Duration // after which a worker's games are dealt again; 0: 15 s
	Slow   time.Duration // after which a game is dealt to an idle worker too; 0: 2 min

	Now      func() time.Time // nil: time.Now
	Manifest func() time.Time // clock of the manifest; nil: always the zero time
	Log      *slog.Logger     // nil: none
	Progress func(selfplay.Summary)

	ready func()                // for tests: called once workers may connect
	spoil func(*samples.Record) // for tests: what is wrong with this machine
}

func (o CoordinatorOptions) withDefaults() CoordinatorOptions {
	o.Silent, o.Slow = cmp.Or(o.Silent, 15*time.Second), cmp.Or(o.Slow, 2*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Manifest == nil {
		o.Manifest = func() time.Time { return time.Time{} }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(selfplay.Summary) {}
	}
	return o
}

// Coordinator deals the games of a run to workers and stores their results.
type Coordinator struct {
	o        CoordinatorOptions
	server   *Server
	plan     samples.Run
	config   []byte
	sum      string // digest of config
	codecs   chan samples.Codec
	unpack   *zstd.Decoder
	arrivals chan arrival
	failed   chan error    // an error of a request's handler that ends the run
	ended    chan struct{} // closed when arrivals are no longer received

	mu       sync.Mutex // guards what follows
	nc       *nats.Conn
	out      *samples.Writer
	assign   *selfplay.Assigner
	over     bool        // the run is complete
	closed   bool        // the run's directory is
	next     int         // all games before are on disk or dealt
	dealt    map[int]int // how many sessions have a game
	sessions map[string]*session
	refused  map[string]string // why, by session
	summary  selfplay.Summary
	began    time.Time
}

// NewCoordinator returns a coordinator whose workers connect to server.
func NewCoordinator(server *Server, o CoordinatorOptions) *Coordinator {
	if o.Config.Exact {
		o.Kind = "" // all machines are of one kind
	}
	return &Coordinator{
		o: o.withDefaults(), server: server,
		arrivals: make(chan arrival), failed: make(chan error, 1), ended: make(chan struct{}),
		dealt: map[int]int{}, sessions: map[string]*session{}, refused: map[string]string{},
	}
}

// run has all missing games played and returns when the run is complete. When the context
// ends or an error occurs, the games on disk stay and the error is returned. The Summary is
// valid in every case.
func (c *Coordinator) run(ctx context.Context) (sum selfplay.Summary, err error) {
	c.summary.Of, c.began = c.o.Config.Options.Games, c.o.Now()
	defer func() {
		c.mu.Lock() // a request may still be answered
		defer c.mu.Unlock()
		sum = c.summary
	}()
	if err := c.open(); err != nil {
		return sum, err
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closed = true
		c.count()
		err = cmp.Or(err, c.out.Close())
	}()
	if c.nc, err = c.server.connect(); err != nil {
		return sum, err
	}
	defer c.nc.Close()
	var results sync.WaitGroup
	subscribed, err := c.listen(&results)
	defer func() {
		for _, s := range subscribed {
			_ = s.Unsubscribe() // the connection may be closed
		}
		close(c.ended)
		results.Wait()
	}()
	if err != nil {
		return sum, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return c.play(ctx) })
	group.Go(func() error { return c.store(ctx) })
	if c.o.ready != nil {
		c.o.ready()
	}
	err = group.Wait()
	if again, failed := c.assign.PlayAgain(c.out, err); again {
		err = errPlayAgain
	} else {
		err = failed
	}
	c.announce()
	return sum, err
}

// errPlayAgain says that shards are to be played again, with other networks.
var errPlayAgain = errors.New("shards are played again")

// Play has all missing games of a run played, by one coordinator after the other where
// networks that are followed break.
func Play(ctx context.Context, server *Server, o CoordinatorOptions) (sum selfplay.Summary, err error) {
	for {
		sum, err = NewCoordinator(server, o).run(ctx)
		if !errors.Is(err, errPlayAgain) {
			return sum, err
		}
		o.Resume = true
	}
}

// open opens the run's directory and prepares what replays results.
func (c *Coordinator) open() (err error) {
	opts := c.o.Config.Options
	if c.plan, err = selfplay.Plan(c.o.Setup, opts); err != nil {
		return err
	}
	c.o.Config.Protocol = Protocol
	if c.o.Config.Digest, err = runDigest(c.o.Setup, opts); err != nil {
		return err
	}
	c.codecs = make(chan samples.Codec, runtime.GOMAXPROCS(0))
	for range cap(c.codecs) {
		header := c.plan.Header
		codec, err := c.o.Codec(&header)
		if err != nil {
			return err
		}
		c.codecs <- codec
	}
	c.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPayload))
	if err != nil {
		return err
	}
	if c.out, err = samples.Open(samples.Disk{}, c.o.Dir, c.plan, c.o.Resume, c.o.Manifest); err != nil {
		return err
	}
	c.assign = selfplay.NewAssigner(c.o.Setup, opts, c.out)
	c.o.Config.Broken = c.out.Networks().Broken()
	c.config, err = json.Marshal(c.o.Config)
	c.sum = disk.Sum(c.config)
	return err
}

// listen answers requests. results waits for the games that are being replayed.
func (c *Coordinator) listen(results *sync.WaitGroup) (list []*nats.Subscription, err error) {
	for _, r := range []struct {
		subject string
		handle  nats.MsgHandler
	}{
		{subjectConfig, func(msg *nats.Msg) { _ = msg.Respond(c.current()) }}, // the worker asks again
		{subjectNetwork, answered(c.piece)},
		{subjectWork, answered(c.onWork)},
		{subjectLeave, answered(c.onLeave)},
		{subjectBroken, answered(c.onBroken)},
		{subjectResult, func(msg *nats.Msg) {
			codec := <-c.codecs // one result for each processor
			results.Go(func() {
				respond(msg, c.onResult(msg, codec))
				c.codecs <- codec
			})
		}},
	} {
		s, err := c.nc.Subscribe(r.subject, r.handle)
		if err != nil {
			return list, err
		}
		list = append(list, s)
	}
	c.announce()
	return list, c.nc.FlushTimeout(shortly)
}

// answered answers requests in JSON. Others are ignored: they come from another program.
func answered[Request, Answer any](answer func(Request) Answer) nats.MsgHandler {
	return func(msg *nats.Msg) {
		var r Request
		if json.Unmarshal(msg.Data, &r) == nil {
			respond(msg, answer(r))
		}
	}
}

// respond sends an answer. If that fails, the worker asks again.
func respond(msg *nats.Msg, a any) {
	if data, err := json.Marshal(a); err == nil {
		_ = msg.Respond(data)
	}
}

// announce tells all workers to ask for the current configuration.
func (c *Coordinator) announce() {
	_ = c.nc.Publish(subjectNews, nil) // they ask anyway after a while
	_ = c.nc.FlushTimeout(shortly)
}

// current returns the configuration's text, nil once the run is over.
func (c *Coordinator) current() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil
	}
	return c.config
}

// piece is the request for a piece of a network, and its answer.
type piece struct {
	SHA256 string `json:"sha256"`
	From   int    `json:"from"` // offset
	Data   []byte `json:"data,omitempty"`
	Size   int    `json:"size,omitempty"` // of the network
	Failed string `json:"failed,omitempty"`
}

// Sizes in bytes.
const (
	pieceSize  = 4 << 20
	maxNetwork = 512 << 20
)

// piece answers with a piece of the run's network or of one that it has followed.
func (c *Coordinator) piece(p piece) piece {
	file := c.o.Network
	if p.SHA256 != c.o.Config.ModelSHA256 {
		networks := c.out.Networks()
		if networks == nil {
			return piece{Failed: fmt.Sprintf("the run has no network %.12s…", p.SHA256)}
		}
		var err error
		if file, err = disk.ReadFile(networks.Path(p.SHA256), maxNetwork); err != nil {
			return piece{Failed: err.Error()}
		}
	}
	p.Size = len(file)
	p.From = min(max(p.From, 0), p.Size)
	p.Data = file[p.From:min(p.From+pieceSize, p.Size)]
	return p
}

// play runs the worker inside the coordinator.
func (c *Coordinator) play(ctx context.Context) error {
	w, err := NewWorker(WorkerOptions{
		Name: "local", Kind: c.o.Kind, Workers: max(c.o.Workers, 1), AtOnce: c.o.AtOnce,
		Dir: c.o.Dir, Log: c.o.Log, spoil: c.o.spoil,
	})
	if err != nil {
		return err
	}
	news := make(chan *nats.Msg, 1)
	sub, err := c.nc.ChanSubscribe(subjectNews, news)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be closed
	r := &run{w: w, nc: c.nc, config: &c.o.Config, sum: c.sum, news: news, local: true, checksOnly: c.o.Workers == 0}
	if err = r.play(ctx, c.o.Setup); errors.Is(err, errOver) || errors.Is(err, errChanged) {
		return nil
	}
	return err
}

// arrival is a game that was replayed through the rules, and what its worker is told.
type arrival struct {
	session string
	record  *samples.Record
	bytes   []byte // of the record
	answer  chan answer
}

// maxBatch is how many games are stored with one sync.
const maxBatch = 32

// store stores games until the run is complete and the workers know.
func (c *Coordinator) store(ctx context.Context) error {
	tick := time.NewTicker(c.o.Silent / 8)
	defer tick.Stop()
	var end <-chan time.Time
	for {
		c.mu.Lock()
		if !c.over && c.out.Complete() == c.plan.Games {
			c.over, end = true, time.After(c.o.Silent)
			c.announce()
		}
		done := c.over && len(c.sessions) == 0
		c.mu.Unlock()
		if done {
			return nil
		}
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err = <-c.failed:
		case <-end:
			return nil
		case a := <-c.arrivals:
			err = c.storeAll(c.gather(a))
		case <-tick.C:
			c.dropSilent()
		}
		if err != nil {
			return err
		}
	}
}

// gather returns a and the other arrivals that wait, so that they share a sync.
func (c *Coordinator) gather(a arrival) []arrival {
	list := []arrival{a}
	for len(list) < maxBatch {
		select {
		case b := <-c.arrivals:
			list = append(list, b)
		default:
			return list
		}
	}
	return list
}

// storeAll writes games into the run and then tells their workers.
func (c *Coordinator) storeAll(list []arrival) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var records []*samples.Record
	answers, taken := make([]answer, len(list)), map[int]bool{}
	for i, a := range list {
		s, id := c.sessions[a.session], int(a.record.Game.ID)
		if answers[i] = c.accept(&a, s); !answers[i].good() {
			continue
		}
		s.stored++
		if !c.out.Done(id) && !taken[id] {
			taken[id] = true
			records = append(records, a.record)
		}
	}
	if err := c.out.AddAll(records); err != nil {
		return err
	}
	for _, r := range records {
		c.summary.Add(r)
	}
	for i, a := range list {
		if answers[i].good() {
			c.release(c.sessions[a.session], int(a.record.Game.ID))
		}
		a.answer <- answers[i]
	}
	c.count()
	c.o.Progress(c.summary)
	return nil
}

// count updates the summary.
func (c *Coordinator) count() {
	s := &c.summary
	s.OnDisk, s.Shards, s.Elapsed = c.out.Complete(), c.out.Shards(), c.o.Now().Sub(c.began)
}
