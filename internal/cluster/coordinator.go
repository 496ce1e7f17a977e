package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// CoordinatorOptions say what a coordinator has played and how strictly it checks. The
// zero value of a field stands for the default that it names.
type CoordinatorOptions struct {
	Dir    string // of the run
	Resume bool   // continue the run in Dir
	Group  string // name of the cluster; "": main

	Config  Config         // without Run, which the coordinator computes
	Setup   selfplay.Setup // that the Config gives on this machine
	Network []byte         // file of the Config's network, nil where it has none
	Kit     samples.Opener // of what games are replayed with

	TaskGames int // games of a task; 0: 4

	// Audit is the share of units that are played again, NewAudit that of workers with
	// fewer than NewUnits good ones behind them; 0 for none: what passes the rules is
	// believed then.
	Audit, NewAudit float64
	NewUnits        int

	WindowUnits  int           // of one worker that one audit decides about; 0: 200
	WindowAge    time.Duration // after which one is audited in any case; 0: 10 minutes
	MostHeld     int           // games that may wait for audits before no more are dealt; 0: 20,000
	Auditors     int           // goroutines that play again; 0: 1
	AuditsAtOnce int           // games that each keeps under way; 0: 8

	Workers int           // that may be here at once; 0: 1000
	Silent  time.Duration // after which a worker's tasks are handed on; 0: 15 s
	Slow    time.Duration // after which an idle worker plays a task too that another has; 0: 2 min
	Trusted []string      // sessions of this process, whose games are only replayed

	MinFree int64                           // bytes that must be free for more games to be dealt
	Free    func(dir string) (int64, error) // nil: MinFree is of no account

	Files    samples.FS       // nil: the disk
	Now      func() time.Time // nil: time.Now
	Manifest func() time.Time // clock of the manifest; nil: one that stands still at the zero time
	Rand     *rand.Rand       // what peers must not be able to guess; required
	Log      *slog.Logger     // nil: none
	Progress func(selfplay.Summary)

	ready func() // is called once workers may come; nil: nobody waits for that
}

func (o CoordinatorOptions) withDefaults() CoordinatorOptions {
	o.Group = cmp.Or(o.Group, DefaultGroup)
	o.TaskGames = cmp.Or(o.TaskGames, 4)
	o.WindowUnits, o.WindowAge = cmp.Or(o.WindowUnits, 200), cmp.Or(o.WindowAge, 10*time.Minute)
	o.MostHeld, o.Auditors, o.AuditsAtOnce = cmp.Or(o.MostHeld, 20_000), cmp.Or(o.Auditors, 1), cmp.Or(o.AuditsAtOnce, 8)
	o.Workers, o.Silent, o.Slow = cmp.Or(o.Workers, 1000), cmp.Or(o.Silent, 15*time.Second), cmp.Or(o.Slow, 2*time.Minute)
	if o.Files == nil {
		o.Files = samples.Disk{}
	}
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

// DefaultGroup is the name of a cluster that was given none.
const DefaultGroup = "main"

// Coordinator deals the games of a run and takes them in. All its state belongs to the
// goroutine of Run; others hand it functions to call.
type Coordinator struct {
	o      CoordinatorOptions
	nc     *nats.Conn
	server *Server // nil: an existing one is used
	group  group
	m      *Metrics

	dir       string // of the cluster's own files
	run       samples.Run
	config    string // digest of the configuration
	out       *samples.Writer
	assign    *selfplay.Assigner
	ledger    *ledger
	book      *book
	queue     *queue
	published *store
	auditor   *auditor
	number    int // of the next window's file

	sessions map[string]*session
	peers    map[string]*peer
	leases   map[int]*lease // by task
	sum      selfplay.Summary
	began    time.Time
	crowded  string    // why nothing is dealt, "" if something is
	offered  string    // the network that was published last
	renewed  time.Time // when the queue was told last that the leases go on
	ctx      context.Context
	subs     []*nats.Subscription

	calls    chan func() error
	arrivals chan arrival
	ended    chan struct{} // is closed when nobody answers calls any more
	checks   chan *checker // one for each processor
	unpack   *zstd.Decoder
}

// NewCoordinator returns a coordinator that talks through nc. server is the embedded one
// behind nc, nil for an existing one.
func NewCoordinator(nc *nats.Conn, server *Server, m *Metrics, o CoordinatorOptions) *Coordinator {
	o = o.withDefaults()
	return &Coordinator{
		o: o, nc: nc, server: server, group: group(o.Group), m: m, dir: clusterDir(o.Dir),
		sessions: map[string]*session{}, peers: map[string]*peer{}, leases: map[int]*lease{},
		calls: make(chan func() error), arrivals: make(chan arrival), ended: make(chan struct{}),
	}
}

// Run has the games played that the run lacks and returns when all of them are in it. When
// the context ends, or something cannot be gone on with, what was taken in stays on disk
// and the error is returned. The Summary is valid in every case.
func (c *Coordinator) Run(ctx context.Context) (sum selfplay.Summary, err error) {
	defer close(c.ended)
	c.sum.Of, c.began = c.o.Config.Options.Games, c.o.Now()
	if err := c.openRun(); err != nil {
		return c.sum, err
	}
	defer func() {
		c.count()
		sum, err = c.sum, errors.Join(err, c.out.Close())
	}()
	if err := c.publish(ctx); err != nil {
		return c.sum, err
	}
	ctx, cancel := context.WithCancel(ctx)
	c.ctx = ctx // of those who call
	c.auditor = &auditor{stock: selfplay.NewStock(c.o.Config.Options.Selfplay())}
	ended, failed := make(chan struct{}), error(nil)
	go func() {
		defer close(ended)
		failed = c.audits(ctx)
	}()
	defer func() {
		cancel()
		<-ended
		if failed != nil && !errors.Is(failed, context.Canceled) {
			err = fmt.Errorf("playing games again: %w", failed)
		}
	}()
	if err := c.begin(ctx); err != nil {
		return c.sum, err
	}
	defer c.unsubscribe()
	c.o.Log.Info("the coordinator is ready", "games", c.book.games, "stored", c.book.count[stored], "held", c.book.count[held])
	return c.sum, c.loop(ctx, ended)
}

// audits runs the auditor, if anything is ever audited.
func (c *Coordinator) audits(ctx context.Context) error {
	if c.o.Audit == 0 && c.o.NewAudit == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	return c.auditor.serve(ctx, &c.o, func(r *samples.Record) {
		_ = c.do(func() error {
			if j := c.auditor.over(r); j != nil {
				return c.judge(j)
			}
			return nil
		})
	})
}

// openRun takes up the run's directory and what lies beside it.
func (c *Coordinator) openRun() (err error) {
	opts := c.o.Config.Options.Selfplay()
	if c.run, err = selfplay.Plan(c.o.Setup, opts); err != nil {
		return err
	}
	if err := c.o.Config.complete(c.o.Setup); err != nil {
		return err
	}
	open := samples.Create
	if c.o.Resume {
		open = samples.Resume
	}
	if c.out, err = open(c.o.Files, c.o.Dir, c.run, c.o.Manifest); err != nil {
		return err
	}
	c.assign = selfplay.NewAssigner(c.o.Setup, opts, c.out)
	c.book = newBook(c.run.Games, c.run.GamesPerShard, c.o.TaskGames, opts.ForkShare > 0, c.out.Done)
	if err = c.prepare(); err != nil {
		err = errors.Join(err, c.out.Close())
	}
	return err
}

// prepare makes what needs the run's directory to be locked.
func (c *Coordinator) prepare() (err error) {
	if err := c.o.Files.MkdirAll(c.dir); err != nil {
		return err
	}
	c.ledger = &ledger{c.o.Files, filepath.Join(c.dir, ledgerName), c.o.Now}
	bad, err := c.ledger.quarantined()
	if err != nil {
		return err
	}
	for name, why := range bad {
		c.peer(name).bad = why
	}
	c.checks = make(chan *checker, runtime.GOMAXPROCS(0))
	for range cap(c.checks) {
		header := c.run.Header
		kit, err := c.o.Kit(&header)
		if err != nil {
			return err
		}
		c.checks <- &checker{kit}
	}
	c.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxParcel), zstd.WithDecoderLowmem(true))
	return err
}

// publish puts the configuration and the network where workers find them.
func (c *Coordinator) publish(ctx context.Context) (err error) {
	if c.published, err = makeStore(ctx, c.nc, c.group); err != nil {
		return err
	}
	if c.o.Network != nil {
		if err := c.published.put(ctx, c.o.Network); err != nil {
			return err
		}
	}
	text, sum, err := c.o.Config.text()
	if err != nil {
		return err
	}
	c.config = sum
	return c.published.put(ctx, text)
}

// begin fills the queue, listens, and calls the workers.
func (c *Coordinator) begin(ctx context.Context) error {
	if err := c.recoverWindows(); err != nil {
		return err
	}
	if err := c.requeue(ctx); err != nil {
		return err
	}
	if err := c.look(); err != nil {
		return err
	}
	if err := c.subscribe(); err != nil {
		return err
	}
	_, err := c.published.keys.PutString(ctx, currentKey, c.config)
	if err == nil && c.o.ready != nil {
		c.o.ready()
	}
	return err
}

// requeue makes the queue anew, from what the run lacks.
func (c *Coordinator) requeue(ctx context.Context) (err error) {
	for _, l := range c.leases {
		l.msg = nil // of a queue that is no more
	}
	c.queue, err = makeQueue(ctx, c.nc, c.group)
	c.book.shelve()
	return err
}

// loop answers until the run is complete.
func (c *Coordinator) loop(ctx context.Context, audits <-chan struct{}) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		c.finishing()
		if c.out.Complete() == c.book.games {
			return c.dismiss(ctx)
		}
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-audits:
			return cmp.Or(ctx.Err(), errAuditor)
		case call := <-c.calls:
			err = call()
		case a := <-c.arrivals:
			err = c.arrived(c.gather(a))
		case <-tick.C:
			err = c.tick()
		}
		if err != nil {
			return err
		}
	}
}

// gather returns the arrivals that wait beside one: they share syncs.
func (c *Coordinator) gather(a arrival) []arrival {
	list := []arrival{a}
	for len(list) < releaseBatch {
		select {
		case b := <-c.arrivals:
			list = append(list, b)
		default:
			return list
		}
	}
	return list
}

// finishing has the last windows audited once no game is open.
func (c *Coordinator) finishing() {
	if c.book.count[open] > 0 || c.book.count[held] == 0 {
		return
	}
	for _, name := range c.names() {
		c.closeAll(c.peers[name])
	}
}

// names returns the names of all peers in order, so that chance is asked in order.
func (c *Coordinator) names() (list []string) {
	for name := range c.peers {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// dismiss tells the workers that nothing is played any more, and waits for a moment
// until they have heard it.
func (c *Coordinator) dismiss(ctx context.Context) error {
	if _, err := c.published.keys.PutString(ctx, currentKey, ""); err != nil {
		return err
	}
	patience := time.NewTimer(c.o.Silent)
	defer patience.Stop()
	for len(c.sessions) > 0 {
		select {
		case <-ctx.Done():
			return nil
		case <-patience.C:
			return nil
		case call := <-c.calls:
			if err := call(); err != nil {
				return err
			}
		case a := <-c.arrivals:
			if err := c.arrived(c.gather(a)); err != nil {
				return err
			}
		}
	}
	return nil
}

// do has the coordinator's goroutine call a function, whose error ends the coordinator,
// and waits until it was called.
func (c *Coordinator) do(call func() error) error {
	done := make(chan struct{})
	select {
	case c.calls <- func() error { defer close(done); return call() }:
		<-done
		return nil
	case <-c.ctx.Done():
		return errEnded
	case <-c.ended:
		return errEnded
	}
}

var errAuditor = errors.New("the auditor has ended")

var errEnded = errors.New("the coordinator has ended")

// store puts games into the run.
func (c *Coordinator) store(records []*samples.Record) error {
	if len(records) == 0 {
		return nil
	}
	if err := c.out.AddAll(records); err != nil {
		return err
	}
	for _, r := range records {
		c.sum.Add(r)
		c.book.set(int(r.Game.ID), stored)
		c.m.games.Inc()
		c.m.positions.Add(float64(r.Rows.Rows))
	}
	c.count()
	c.o.Progress(c.sum)
	return nil
}

// count brings the summary up to date.
func (c *Coordinator) count() {
	c.sum.OnDisk, c.sum.Shards = c.out.Complete(), c.out.Shards()
	c.sum.Elapsed = c.o.Now().Sub(c.began)
	c.sum.Stats.Evals, c.sum.Stats.Hits, c.sum.Nodes = c.m.counted()
}

// playedBy returns what plays a game, and decides it if that is still open.
func (c *Coordinator) playedBy(id int) (samples.PlayedBy, error) { return c.assign.Of(id) }

// peer returns a worker by its name.
func (c *Coordinator) peer(name string) *peer {
	p := c.peers[name]
	if p == nil {
		p = &peer{name: name}
		c.peers[name] = p
	}
	return p
}

// checker replays games; it belongs to who has taken it.
type checker struct{ kit samples.Kit }

// check returns the games of a result, which come from anywhere, or why they are none of
// the run's. It may be called by several goroutines.
func (c *Coordinator) check(packed []byte, by func(id int) samples.PlayedBy) (records []*samples.Record, err error) {
	k := <-c.checks
	defer func() {
		if broken := recover(); broken != nil {
			records, err = nil, fmt.Errorf("checking it has failed: %v", broken)
		}
		c.checks <- k
	}()
	if len(packed) > maxResult {
		return nil, fmt.Errorf("%d bytes: want at most %d", len(packed), maxResult)
	}
	parcel, err := c.unpack.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	records, err = samples.ReadParcel(parcel, c.run.Layout, 2)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, errors.New("it has no game")
	}
	unit := []int{}
	for _, r := range records {
		if r.Game.ID >= uint64(c.run.Games) {
			return nil, fmt.Errorf("game %d is not of this run", r.Game.ID)
		}
		unit = append(unit, int(r.Game.ID))
	}
	if !slices.Equal(unit, c.book.unit(unit[0])) {
		return nil, fmt.Errorf("games %v: want %v", unit, c.book.unit(unit[0]))
	}
	if found := samples.CheckRecords(&c.run, by(unit[0]), k.kit, records); len(found) > 0 {
		return records, fmt.Errorf("game %d: %s", unit[0], found[0])
	}
	return records, nil
}
