package main

import (
	"context"
	crand "crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/cluster"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/selfplay"
)

// coordinatorFlags say how a coordinator is reached and how strictly it checks.
type coordinatorFlags struct {
	linkFlags
	watchFlags
	listen     string
	listenFlag string // by which the user has named it
	existing   bool   // --nats is given
	local      bool   // the coordinator plays too

	audit, auditNew  float64
	newUnits         int
	taskGames        int
	auditors         int
	maxWorkers       int
	silent, slow     time.Duration
	minFree, maxHeld int
}

// clusterCount is a number of things of a cluster.
var clusterCount = option.Int{Key: "count", Help: "how many", Default: 1, Min: 1, Max: 1_000_000}

// defaults sets the values for selfplay --cluster, which has none of these flags.
func (f *coordinatorFlags) defaults() {
	cmd := &cobra.Command{}
	f.register(cmd)
}

func (f *coordinatorFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.listenFlag = "--listen"
	fs.StringVar(&f.listen, "listen", "127.0.0.1:4222", "address of the server inside the coordinator, host:port; port 0 is any that is free")
	fs.StringVar(&f.link.URL, "nats", "", "use the NATS server at this URL, with JetStream, in place of the one inside")
	fs.StringVar(&f.tokenFile, "token-file", "", "file of the token that workers need (default: DIR/cluster/token, which is made)")
	f.registerGroup(cmd)
	f.registerTLS(cmd)
	f.watchFlags.register(cmd)
	addNum(cmd, &f.audit, option.Share.Named("audit").With(0.01, "share of games that are played again from their seeds; 0: only the rules are checked"))
	addNum(cmd, &f.auditNew, option.Share.Named("audit-new").With(0.1, "that share of a worker with fewer than --audit-first good ones"))
	addNum(cmd, &f.newUnits, clusterCount.Named("audit-first").With(10, "games played again after which a worker is no longer new"))
	addNum(cmd, &f.auditors, clusterCount.Named("auditors").With(1, "goroutines that play games again"))
	addNum(cmd, &f.taskGames, clusterCount.Named("task-games").With(4, "games that are dealt together"))
	addNum(cmd, &f.maxWorkers, clusterCount.Named("max-workers").With(1000, "workers that may be here at once"))
	patience := option.Duration{Key: "silent", Help: "after which the games of a worker that is not heard are dealt to others", Default: 15 * time.Second, Min: time.Second, Max: 24 * time.Hour}
	addNum(cmd, &f.silent, patience)
	patience.Key, patience.Help, patience.Default = "slow", "after which the games of a worker are dealt to an idle one too", 2*time.Minute
	addNum(cmd, &f.slow, patience)
	addNum(cmd, &f.minFree, option.Int{Key: "min-free", Help: "deal nothing while less is free on the disk", Unit: "MiB", Default: 1024, Min: 0, Max: 1 << 30})
	addNum(cmd, &f.maxHeld, clusterCount.Named("max-held").With(20_000, "deal nothing while more games wait to be played again"))
}

// settle checks the flags.
func (f *coordinatorFlags) settle(dir string) (err error) {
	f.existing = f.link.URL != ""
	switch {
	case !f.existing && f.creds != "":
		return usagef("--creds is for a server that --nats names")
	case !f.existing && f.ca != "" && f.cert == "":
		return usagef("--tls-ca: without --tls-cert and --tls-key the server inside speaks no TLS and asks workers for no certificate")
	}
	if f.tokenFile == "" && !f.existing {
		f.tokenFile = cluster.TokenFile(dir)
		if _, err := makeToken(f.tokenFile); err != nil {
			return err
		}
	}
	return f.finish()
}

// open starts the server, or connects to an existing one. close ends both.
func (f *coordinatorFlags) open(dir string, log *slog.Logger) (nc *nats.Conn, server *cluster.Server, err error) {
	if f.existing {
		if nc, err = f.link.Dial(func(text string) { log.Warn(text) }); err != nil {
			err = fmt.Errorf("--nats %s: %w", f.link.URL, err)
		}
		return nc, nil, err
	}
	o := cluster.ServerOptions{
		Dir: filepath.Join(dir, "cluster", "jetstream"), Addr: f.listen, Token: f.link.Token, Tokens: cluster.TokensFile(dir), Group: f.group, Workers: f.maxWorkers,
	}
	if f.cert != "" {
		o.TLS = f.link.TLS.Clone()
		if f.authorities != nil {
			o.TLS.ClientCAs, o.TLS.ClientAuth = f.authorities, tls.RequireAndVerifyClientCert
		}
	}
	if server, err = cluster.StartServer(o); err != nil {
		if !errors.Is(err, disk.ErrHeld) {
			err = fmt.Errorf("%s: %w", f.listenFlag, err)
		}
		return nil, nil, err
	}
	if nc, err = server.Connect(); err != nil {
		server.Close()
	}
	return nc, server, err
}

// secret returns a source that peers cannot guess.
func secret() *rand.Rand {
	var seed [32]byte
	_, _ = crand.Read(seed[:]) // never fails
	return rand.New(rand.NewChaCha8(seed))
}

// clusterHost is a server, and what else the coordinators of successive runs need.
type clusterHost struct {
	flags  *coordinatorFlags
	nc     *nats.Conn
	server *cluster.Server // nil: an existing one
	log    *slog.Logger
	m      *cluster.Metrics
	stop   []func() error
}

// host starts what coordinators need, with files in a directory.
func (f *coordinatorFlags) host(cmd *cobra.Command, dir string) (h *clusterHost, err error) {
	if err := f.settle(dir); err != nil {
		return nil, err
	}
	h = &clusterHost{flags: f, m: cluster.NewMetrics()}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	log, closeLog, err := f.watchFlags.open(cmd)
	if err != nil {
		return h, err
	}
	h.log, h.stop = log, append(h.stop, closeLog)
	if h.nc, h.server, err = f.open(dir, log); err != nil {
		return h, err
	}
	h.stop = append(h.stop, func() error {
		h.nc.Close()
		if h.server != nil {
			h.server.Close()
		}
		return nil
	})
	if h.server != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "carozero: workers may come: carozero cluster worker --connect %s --token-file %s\n", h.server.URL(), f.tokenFile)
	}
	stop, err := f.serve(h.m)
	if err != nil {
		return h, err
	}
	h.stop = append(h.stop, stop)
	return h, nil
}

// close ends everything that host has started, the last first.
func (h *clusterHost) close() (err error) {
	for i := len(h.stop) - 1; i >= 0; i-- {
		err = errors.Join(err, h.stop[i]())
	}
	return err
}

// clusterRun is a run that is played with a cluster.
type clusterRun struct {
	config   cluster.Config
	setup    selfplay.Setup
	net      *networks.Net    // nil with a teacher
	loader   *networks.Loader // of the worker inside; it may be nil with a teacher
	host     selfplay.Host
	cacheMiB int
}

// exact reports whether machines of different kinds play a game to the same bytes. The
// classical search does, and a tree search with an exact network; with a followed file the
// next network is unknown.
func (r *clusterRun) exact() bool {
	return r.net == nil || !r.config.Follow && r.net.Exact()
}

// coordinated plays the run of a setup with a cluster.
func coordinated(cmd *cobra.Command, variant games.VariantOptions, setup selfplay.Setup, f *selfplayFlags, cf *coordinatorFlags, host selfplay.Host) (sum selfplay.Summary, err error) {
	sum.Of = f.opts.Games
	if cf.local && f.follow != "" {
		return sum, usagef("--follow: a coordinator that follows a network plays no games itself: use 'cluster coordinator' without --workers")
	}
	h, err := cf.host(cmd, f.host.Dir)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	return h.play(cmd.Context(), clusterRun{
		config: f.published(variant, setup), setup: setup, net: f.opened, loader: f.loader, host: host, cacheMiB: f.cacheMiB,
	})
}

// play runs a coordinator, and beside it a worker where this process is to play.
func (h *clusterHost) play(ctx context.Context, r clusterRun) (sum selfplay.Summary, err error) {
	cf := h.flags
	o := cluster.CoordinatorOptions{
		Dir: r.host.Dir, Resume: r.host.Resume, Group: cf.group, Config: r.config, Setup: r.setup, Codec: generate.SampleCodec,
		TaskGames: cf.taskGames, Audit: cf.audit, NewAudit: cf.auditNew, NewUnits: cf.newUnits, Auditors: cf.auditors, AuditsAtOnce: r.host.AtOnce,
		MostHeld: cf.maxHeld, Workers: cf.maxWorkers, Silent: cf.silent, Slow: cf.slow,
		MinFree: int64(cf.minFree) << 20, Free: cluster.FreeBytes,
		Manifest: time.Now, Rand: secret(), Log: h.log, Progress: r.host.Progress,
	}
	if r.net != nil {
		o.Inexact = !r.exact()
		if o.Network, err = r.net.File(); err != nil {
			return sum, err
		}
	}
	if !cf.local {
		return cluster.NewCoordinator(h.nc, h.server, h.m, o).Run(ctx)
	}
	return h.playing(ctx, r, o)
}

// playing runs a coordinator with a worker of this process.
func (h *clusterHost) playing(ctx context.Context, r clusterRun, o cluster.CoordinatorOptions) (sum selfplay.Summary, err error) {
	own := cluster.NewSession()
	o.Trusted = []string{own}
	link := h.flags.link
	if h.server != nil {
		link = h.server.Link()
	}
	w, err := cluster.NewWorker(cluster.WorkerOptions{
		Link: link, Group: h.flags.group, Name: localName, Session: own, Workers: r.host.Workers, AtOnce: r.host.AtOnce, CacheMiB: r.cacheMiB,
		Version: version, Commit: commit, Loader: r.loader, Dir: r.host.Dir, Once: true, Log: h.log,
	})
	if err != nil {
		return sum, err
	}
	playing, end := context.WithCancel(ctx)
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	ended := make(chan error, 1)
	go func() {
		err := w.Run(playing)
		if err != nil && playing.Err() == nil {
			fail(err) // the worker of this process must not stop before the run ends
		}
		ended <- err
	}()
	sum, err = cluster.NewCoordinator(h.nc, h.server, h.m, o).Run(ctx)
	end()
	<-ended
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && !errors.Is(cause, context.Canceled) && !errors.Is(cause, errSignalled) {
		err = cause
	}
	return sum, err
}

// localName is the name of the worker inside a coordinator.
const localName = "local"

// published returns the configuration that the flags stand for.
func (f *selfplayFlags) published(variant games.VariantOptions, setup selfplay.Setup) cluster.Config {
	c := cluster.Config{
		Version: version, Commit: commit, Variant: variant, Options: f.opts.WithDefaults(), SolverNodes: f.tree.Solvers.Leaf,
		Model: setup.Header.Model, ModelSHA256: setup.Header.ModelSHA256, Follow: f.follow != "",
	}
	if f.teaching != nil {
		c.Player = f.player
	} else if t := f.tree.PolicyTemperature; t != 1 {
		c.PolicyTemperature = t
	}
	return c
}

// newClusterCoordinator returns the command "cluster coordinator".
func newClusterCoordinator() *cobra.Command {
	var (
		play        selfplayCommand
		coordinator coordinatorFlags
	)
	cmd := &cobra.Command{
		Use:   "coordinator",
		Short: "Deal the games of a self-play run to workers and check what they send",
		Long: `Deal the games of a self-play run to workers and check what they send. It takes the
flags of selfplay, and plays itself only where --workers is given. Interrupted or
killed, it goes on with --resume; workers wait for it.

Every game is replayed through the rules. A share, which chance picks, is played
again from its seed, and nothing that a worker sends since its last game that was
found true goes into the run before: a worker that is caught is quarantined, and all
of that is played again by others.`,
		Example: `  carozero cluster coordinator --listen 0.0.0.0:4222 --games 100000 --playouts 400 --out runs/big
  carozero cluster coordinator --nats tls://nats.example.org:4222 --creds coordinator.creds --games 100000 --out runs/big --resume`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			coordinator.local = cmd.Flags().Changed("workers")
			return play.run(cmd, &coordinator)
		},
	}
	play.register(cmd)
	coordinator.register(cmd)
	return cmd
}
