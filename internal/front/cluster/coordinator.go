package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/semaphore"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// Coordinator deals the games of a run to workers and stores their results. All its state
// belongs to the goroutine of Run; other goroutines send it functions to call.
type Coordinator struct {
	o      CoordinatorOptions
	nc     *nats.Conn
	server *Server // nil: an existing one is used
	group  group
	m      *Metrics

	dir     string // the cluster's own folder
	run     samples.Run
	config  string // digest of the configuration
	out     *samples.Writer
	assign  *selfplay.Assigner
	ledger  *ledger
	table   *taskTable
	queue   *queue
	library *library
	auditor *auditor
	number  int // of the next window's file

	sessions  map[string]*session
	peers     map[string]*peer
	badPeers  []string          // names of the latest quarantined workers
	badTokens map[string]string // tokens of quarantined workers, and why
	leases    map[int]*lease    // by task
	sum       selfplay.Summary
	began     time.Time
	crowded   string    // why no games are dealt, "" if they are
	renewed   time.Time // when the queue's leases were last renewed
	starved   time.Time // since when the queue is empty although it should not be; zero if it is not
	repaired  time.Time // when the queue was last made anew, or that was tried
	ctx       context.Context

	tokensSaid string // last logged error of the token file

	inlet     *inlet
	parts     *assembler
	unfolding *semaphore.Weighted // mostUnfolded
	readBytes rate                // bytes sent in answer to reads; owned by the goroutine that sends them
	calls     chan func() error
	arrivals  chan arrival
	ended     chan struct{} // closed when calls are no longer answered
	checks    chan *checker // one for each processor
	unpack    *zstd.Decoder
}

// NewCoordinator returns a coordinator that talks through nc. server is the embedded server
// behind nc, or nil for an external one.
func NewCoordinator(nc *nats.Conn, server *Server, m *Metrics, o CoordinatorOptions) *Coordinator {
	o = o.withDefaults()
	c := &Coordinator{
		o: o, nc: nc, server: server, group: group(o.Group), m: m, dir: clusterDir(o.Dir),
		sessions: map[string]*session{}, peers: map[string]*peer{}, badTokens: map[string]string{}, leases: map[int]*lease{},
		parts: &assembler{now: o.Now, most: mostParts, by: map[string]*partial{}}, unfolding: semaphore.NewWeighted(mostUnfolded),
		readBytes: rate{perSecond: readBytesRate, burst: readBytesBurst},
		calls:     make(chan func() error), arrivals: make(chan arrival), ended: make(chan struct{}),
	}
	c.inlet = newInlet(c)
	return c
}

// Run has all missing games played and returns when the run is complete. When the context
// ends or an error occurs, accepted games stay on disk and the error is returned. The
// Summary is valid in every case.
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
	if err := c.publish(); err != nil {
		return c.sum, err
	}
	c.auditor = &auditor{stock: selfplay.NewGameQueue(c.o.Config.Options)}
	if err := c.recoverWindows(); err != nil {
		return c.sum, err
	}
	ctx, cancel := context.WithCancel(ctx)
	c.ctx = ctx // the context of callers of do
	audited := c.o.Audit > 0 || c.o.NewAudit > 0 || len(c.auditor.jobs) > 0
	ended, failed := make(chan struct{}), error(nil)
	go func() {
		defer close(ended)
		failed = c.audits(ctx, audited)
	}()
	defer func() {
		cancel()
		<-ended
		c.inlet.serving.Wait()
		if failed != nil && !errors.Is(failed, context.Canceled) {
			err = fmt.Errorf("playing games again: %w", failed)
		}
	}()
	defer c.inlet.end()
	if err := c.begin(ctx); err != nil {
		return c.sum, err
	}
	c.o.Log.Info("the coordinator is ready", "games", c.table.games, "stored", c.table.count[stored], "held", c.table.count[held])
	return c.sum, c.loop(ctx, ended)
}

// audits runs the auditor if there is anything to audit.
func (c *Coordinator) audits(ctx context.Context, audited bool) error {
	if !audited {
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

// openRun opens the run's directory and the files beside it.
func (c *Coordinator) openRun() (err error) {
	opts := c.o.Config.Options
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
	c.table = newTaskTable(c.run.Games, c.run.GamesPerShard, c.o.TaskGames, c.out.Done)
	if err = c.prepare(); err != nil {
		err = errors.Join(err, c.out.Close())
	}
	return err
}

// prepare sets up what needs the lock on the run's directory.
func (c *Coordinator) prepare() (err error) {
	if err := c.o.Files.MkdirAll(c.dir); err != nil {
		return err
	}
	c.ledger = &ledger{c.o.Files, filepath.Join(c.dir, ledgerName), c.o.Now}
	bad, err := c.ledger.quarantined()
	if err != nil {
		return err
	}
	for _, e := range bad {
		c.condemned(c.peer(e.Worker), e.Why)
	}
	c.checks = make(chan *checker, runtime.GOMAXPROCS(0))
	for range cap(c.checks) {
		header := c.run.Header
		codec, err := c.o.Codec(&header)
		if err != nil {
			return err
		}
		c.checks <- &checker{codec}
	}
	c.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxParcel),
		zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
	return err
}

// publish sets what workers read: the configuration and the network.
func (c *Coordinator) publish() error {
	text, sum, err := c.o.Config.text()
	if err != nil {
		return err
	}
	c.config = sum
	c.library = newLibrary(c.o.Dir, c.out.Networks() != nil, text, c.o.Network)
	return nil
}

// begin fills the queue, listens, and calls the workers.
func (c *Coordinator) begin(ctx context.Context) error {
	if err := c.alone(ctx); err != nil {
		return err
	}
	if err := c.requeue(ctx); err != nil {
		return err
	}
	if err := c.look(); err != nil {
		return err
	}
	c.library.set(c.config)
	if err := c.inlet.begin(); err != nil {
		return err
	}
	err := c.announce()
	if err == nil && c.o.ready != nil {
		c.o.ready()
	}
	return err
}

// alone returns an error if another coordinator of the group uses the same existing server: each
// would delete the other's queue and answer its workers.
func (c *Coordinator) alone(ctx context.Context) error {
	if c.server != nil {
		return nil // which is locked
	}
	other, err := query(ctx, c.nc, strings.TrimPrefix(c.nc.Opts.InboxPrefix, inbox("")), c.group)
	if err != nil {
		return ctx.Err() // nobody answers
	}
	return fmt.Errorf("a coordinator of the group %q is on the server already, with the run %s: end that, or give this one another --group", c.group, other.Dir)
}

// announce tells all workers to ask for the current configuration.
func (c *Coordinator) announce() error {
	if err := c.nc.Publish(c.group.news(), nil); err != nil {
		return err
	}
	return c.nc.FlushTimeout(shortly)
}

// shortly limits requests that are answered at once or not at all.
const shortly = 10 * time.Second

// requeue recreates the queue and fills it with what the run lacks. After an error there is
// none, and the next session that asks for games has it tried again.
func (c *Coordinator) requeue(ctx context.Context) (err error) {
	for _, l := range c.leases {
		l.msg = nil // it belonged to the old queue
	}
	c.queue, err = makeQueue(ctx, c.nc, c.group)
	c.table.refill()
	return err
}

// loop serves calls until the run is complete.
func (c *Coordinator) loop(ctx context.Context, audits <-chan struct{}) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		c.finishing()
		if c.out.Complete() == c.table.games {
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

// gather returns a and all other waiting arrivals, so that they share syncs.
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

// finishing closes the last windows once no game is open.
func (c *Coordinator) finishing() {
	if c.table.count[open] > 0 || c.table.count[held] == 0 {
		return
	}
	for _, name := range c.names() {
		c.closeAll(c.peers[name])
	}
}

// names returns the names of all peers, sorted, so that random draws happen in a fixed
// order.
func (c *Coordinator) names() (list []string) {
	for name := range c.peers {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// dismiss tells the workers that the run has ended and gives them a moment to receive it.
func (c *Coordinator) dismiss(ctx context.Context) error {
	c.library.set("")
	if err := c.announce(); err != nil {
		c.o.Log.Warn("the workers were not told of the end", "error", err) // the run is complete all the same
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

// do calls a function on the coordinator's goroutine and waits for it. An error of the
// function ends the coordinator.
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

// store writes games into the run, but for those that it has.
func (c *Coordinator) store(records []*samples.Record) error {
	if len(records) == 0 {
		return nil
	}
	for _, r := range records {
		c.table.set(int(r.Game.ID), stored)
	}
	records = slices.DeleteFunc(slices.Clone(records), func(r *samples.Record) bool { return c.out.Done(int(r.Game.ID)) })
	if err := c.out.AddAll(records); err != nil {
		return err
	}
	for _, r := range records {
		c.sum.Add(r)
		c.m.games.Inc()
		c.m.positions.Add(float64(r.Rows.Rows))
	}
	c.count()
	c.o.Progress(c.sum)
	return nil
}

// count updates the summary.
func (c *Coordinator) count() {
	c.sum.OnDisk, c.sum.Shards = c.out.Complete(), c.out.Shards()
	c.sum.Elapsed = c.o.Now().Sub(c.began)
	c.sum.Stats.Evals, c.sum.Stats.Hits, c.sum.Nodes = c.m.counted()
}

// playedBy returns which network plays a game, and decides it if that is still open.
func (c *Coordinator) playedBy(id int) (samples.PlayedBy, error) { return c.assign.Of(id) }

// peer returns a worker by its name, which includes the name of its token.
func (c *Coordinator) peer(name string) *peer {
	p := c.peers[name]
	if p == nil {
		p = &peer{name: name}
		c.peers[name] = p
	}
	return p
}

// forget removes a worker that has no state worth keeping.
func (c *Coordinator) forget(p *peer) {
	if p.session == nil && p.bad == "" && len(p.windows) == 0 && p.games == 0 {
		delete(c.peers, p.name)
	}
}

// condemned records that a worker is quarantined, with all workers that share its own
// token. Of workers with the shared token only the latest are remembered, because anybody
// with that token can use any number of names.
func (c *Coordinator) condemned(p *peer, why string) {
	p.bad = why
	if t := tokenOf(p.name); t != "" {
		c.badTokens[t] = quarantinedText(why)
	}
	if c.badPeers = append(c.badPeers, p.name); len(c.badPeers) > mostBad {
		if old := c.peers[c.badPeers[0]]; old != nil && old.session == nil {
			delete(c.peers, old.name)
		}
		c.badPeers = c.badPeers[1:]
	}
}

// mostBad is how many quarantined workers are remembered.
const mostBad = 10_000
