package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/cluster"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/selfplay"
)

// newCluster returns the command "cluster".
func newCluster() *cobra.Command {
	cmd := group("cluster", "Self-play on many machines of yours", newClusterCoordinator(), newClusterWorker())
	cmd.Long = `Self-play on many machines of yours. A coordinator owns the directory of a run,
deals its games and replays what comes back through the rules. Workers bring
processors and take everything else from it. The shards have the bytes that one
machine alone would write. docs/cluster.md tells how to set a cluster up.`
	return cmd
}

// minToken is the length of the shortest token, in bytes.
const minToken = 16

// readToken returns the token in a file.
func readToken(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	if len(token) < minToken || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("%s: want one word of %d characters or more", path, minToken)
	}
	return token, nil
}

// makeToken returns the token in a file. It makes the file if there is none.
func makeToken(path string) (string, error) {
	token, err := readToken(path)
	if !errors.Is(err, os.ErrNotExist) {
		return token, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	token = rand.Text()
	return token, os.WriteFile(path, []byte(token+"\n"), 0o600)
}

// coordinatorFlags say how a coordinator is reached and how patient it is.
type coordinatorFlags struct {
	listen, listenFlag   string // the flag by which the user has named the address
	tokenFile, cert, key string
	silent, slow         time.Duration
	quiet                bool // only warnings are logged
	plays                bool // the coordinator plays too
}

// registerHelped declares the flag of commands that play, with workers if they come.
func (f *coordinatorFlags) registerHelped(cmd *cobra.Command) {
	f.register(&cobra.Command{})
	f.listenFlag, f.quiet, f.plays = "--cluster", true, true
	cmd.Flags().StringVar(&f.listen, "cluster", "",
		"be a coordinator too, at this address, host:port, to which 'carozero cluster worker' may come and help")
}

func (f *coordinatorFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.listenFlag = "--listen"
	fs.StringVar(&f.listen, "listen", "127.0.0.1:4222", "address for workers, host:port; port 0 is any that is free")
	fs.StringVar(&f.tokenFile, "token-file", "",
		"file of the token that workers need (default: DIR/cluster/token, which is made)")
	fs.StringVar(&f.cert, "tls-cert", "", "file of a certificate, with which workers connect by TLS")
	fs.StringVar(&f.key, "tls-key", "", "file of its key")
	patience := option.Duration{
		Key: "silent", Help: "after which the games of a worker that is not heard are dealt to others",
		Default: 15 * time.Second, Min: time.Second, Max: 24 * time.Hour,
	}
	addNum(cmd, &f.silent, patience)
	patience.Key, patience.Default = "slow", 2*time.Minute
	patience.Help = "after which a game is dealt to an idle worker too"
	addNum(cmd, &f.slow, patience)
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
}

// clusterHost is what the coordinators of successive runs need, with files in a directory.
type clusterHost struct {
	*coordinatorFlags
	cmd    *cobra.Command
	dir    string
	server *cluster.Server // nil before the first run
}

// start starts the server.
func (h *clusterHost) start() error {
	path, read := h.tokenFile, readToken
	if path == "" {
		path, read = filepath.Join(h.dir, "cluster", "token"), makeToken
	}
	token, err := read(path)
	if err != nil {
		return about("--token-file", err)
	}
	var secure *tls.Config
	if h.cert != "" {
		pair, err := tls.LoadX509KeyPair(h.cert, h.key)
		if err != nil {
			return about("--tls-cert, --tls-key", err)
		}
		secure = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	}
	if h.server, err = cluster.StartServer(h.listen, token, secure); err != nil {
		return about(h.listenFlag, err)
	}
	warn(h.cmd.ErrOrStderr(), fmt.Sprintf("workers may come: carozero cluster worker --connect %s --token-file %s",
		h.server.URL(), path))
	return nil
}

// close ends the server.
func (h *clusterHost) close() {
	if h.server != nil {
		h.server.Close()
	}
}

// clusterLog returns a log to standard error.
func clusterLog(cmd *cobra.Command, quiet bool) *slog.Logger {
	o := &slog.HandlerOptions{}
	if quiet {
		o.Level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), o))
}

// play runs a coordinator of a run, which plays too unless it has no workers.
func (h *clusterHost) play(
	ctx context.Context, p *selfplay.Playing, provider string, host selfplay.Host,
) (sum selfplay.Summary, err error) {
	if h.server == nil {
		if err := h.start(); err != nil {
			return sum, err
		}
	}
	o := cluster.CoordinatorOptions{
		Dir: host.Dir, Resume: host.Resume, Setup: p.Setup, Codec: selfplay.SampleCodec,
		Config: cluster.Config{
			Run: p.Run, Model: p.Setup.Header.Model, ModelSHA256: p.Setup.Header.ModelSHA256, Exact: p.Exact(),
			Device: p.Setup.Device,
		},
		Workers: host.Workers, AtOnce: host.AtOnce, Silent: h.silent, Slow: h.slow,
		Manifest: time.Now, Log: clusterLog(h.cmd, h.quiet), Progress: host.Progress,
	}
	if !h.plays {
		o.Workers = 0
	}
	if p.Net != nil {
		o.Kind = cluster.MachineKind(provider)
		if o.Network, err = p.Net.File(); err != nil {
			return sum, err
		}
	}
	return cluster.Play(ctx, h.server, o)
}

// newClusterCoordinator returns the command "cluster coordinator".
func newClusterCoordinator() *cobra.Command {
	var s selfplayCommand
	return define(&cobra.Command{
		Use:   "coordinator",
		Short: "Deal the games of a self-play run to workers",
		Long: `Deal the games of a self-play run to workers, replay what they send through the
rules, and write the run. It takes the flags of selfplay, and plays itself only where
--workers is given. Interrupted or killed, it goes on with --resume; workers wait for
it. The first game of each worker is played again on another machine of its kind, and
a worker whose game differs there is refused.`,
		Example: `  carozero cluster coordinator --listen 0.0.0.0:4222 --games 100000 --playouts 400 --out runs/big`,
	}, func(cmd *cobra.Command, args []string) (report.Report, error) {
		s.cluster.plays = cmd.Flags().Changed("workers")
		return s.run(cmd, args)
	}, s.register, s.cluster.register)
}

// workerCommand holds the flags of the command "cluster worker".
type workerCommand struct {
	net           netFlags
	o             cluster.WorkerOptions
	tokenFile, ca string
}

// newClusterWorker returns the command "cluster worker".
func newClusterWorker() *cobra.Command {
	var w workerCommand
	return plain(&cobra.Command{
		Use:   "worker",
		Short: "Play games for a coordinator",
		Long: `Play games for a coordinator, and wait for it and for its next run whenever it is
away, until interrupted. All that decides a game comes from there: the variant, the
options and the network, whose SHA-256 is checked. A program of another version is
refused. It may be killed at any time.`,
		Example: `  carozero cluster worker --connect nats://trainer:4222 --token-file token
  carozero cluster worker --connect tls://trainer:4222 --tls-ca ca.pem --token-file token --workers 8`,
	}, w.run, w.net.registerRuntime, w.register)
}

func (w *workerCommand) register(cmd *cobra.Command) {
	fs, o := cmd.Flags(), &w.o
	fs.StringVar(&o.Link.URL, "connect", "nats://127.0.0.1:4222", "where the coordinator is; tls://… for TLS")
	fs.StringVar(&w.tokenFile, "token-file", "",
		"file of the token, a copy of DIR/cluster/token of the coordinator (required)")
	fs.StringVar(&w.ca, "tls-ca", "",
		"file of the authorities that the coordinator's certificate must be of (default: the system's)")
	needs(cmd, "token-file", "a copy of the coordinator's DIR/cluster/token")
	fs.StringVar(&o.Name, "name", "", "name of this worker (default: the machine's and the number of the process)")
	fs.StringVar(&o.Kind, "kind", "",
		"kind of this machine: residual networks compute the same bytes on all machines of a kind "+
			"(default: from processor and provider)")
	fs.StringVar(&o.Dir, "networks", "", "folder where networks are kept (default: in the user's cache)")
	fs.BoolVar(&o.Once, "once", false, "end with the run; otherwise wait for the next one")
	addNum(cmd, &o.Workers, option.Workers.With(int64(runtime.NumCPU()), "goroutines that play"))
	addNum(cmd, &o.AtOnce, option.AtOnce)
	addNum(cmd, &o.CacheMiB, option.Cache)
}

func (w *workerCommand) run(cmd *cobra.Command, _ []string) (err error) {
	o := &w.o
	if o.Link.Token, err = readToken(w.tokenFile); err != nil {
		return about("--token-file", err)
	}
	if w.ca != "" {
		pem, err := os.ReadFile(w.ca)
		if err != nil {
			return about("--tls-ca", err)
		}
		o.Link.TLS = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool()}
		if !o.Link.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("--tls-ca: %s holds no certificate", w.ca)
		}
	}
	if o.Dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return usagef("--networks: name a folder: %w", err)
		}
		o.Dir = filepath.Join(cache, "carozero", "networks")
	}
	if o.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return usagef("--name: give the worker a name: %w", err)
		}
		o.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if err := checkMemory(cacheNeed(o.CacheMiB)); err != nil {
		return err
	}
	o.Loader = w.net.loader()
	o.Kind = cmp.Or(o.Kind, cluster.MachineKind(o.Loader.Provider()))
	o.Version, o.Commit, o.Log = version, commit, clusterLog(cmd, false)
	worker, err := cluster.NewWorker(*o)
	if err != nil {
		return err
	}
	if err = worker.Run(cmd.Context()); signalled(cmd.Context()) {
		return nil // there is nothing to resume
	}
	return err
}
