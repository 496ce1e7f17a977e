package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/front/cluster"
	"github.com/carozero/carozero/internal/support/option"
)

// newCluster returns the command "cluster".
func newCluster() *cobra.Command {
	cmd := group("cluster", "Self-play on many machines, with results that are checked", newClusterCoordinator(), newClusterWorker(), newClusterStatus(), newClusterToken())
	cmd.Long = `Self-play on many machines. A coordinator owns the directory of a run, deals its
games, and checks what comes back: every game is replayed through the rules, and a
share is played again from its seed. Workers bring processors and take everything
else from it. The shards have the bytes that one machine alone would write.

docs/cluster.md tells how to set a cluster up and what it stands.`
	return cmd
}

// linkFlags configure the connection to a NATS server.
type linkFlags struct {
	link      cluster.Link
	tokenFile string
	group     string

	creds, ca, cert, key string // files

	authorities *x509.CertPool // of ca, nil: the system's
}

// registerGroup defines what both sides have in common.
func (f *linkFlags) registerGroup(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.group, "group", cluster.DefaultGroup, "name of the cluster, where one server carries several")
}

// registerTLS defines the flags of TLS and credentials, towards a server.
func (f *linkFlags) registerTLS(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.creds, "creds", "", "file of credentials of an existing NATS server")
	fs.StringVar(&f.ca, "tls-ca", "", "file of the authorities that the other side's certificate must be of (default: the system's)")
	fs.StringVar(&f.cert, "tls-cert", "", "file of the own certificate")
	fs.StringVar(&f.key, "tls-key", "", "file of its key")
}

// registerConnect defines the flags of commands that connect to a coordinator.
func (f *linkFlags) registerConnect(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.link.URL, "connect", "nats://127.0.0.1:4222", "where the coordinator is, or the NATS server that it uses; tls://… for TLS")
	fs.StringVar(&f.tokenFile, "token-file", "", "file of the token, a copy of DIR/cluster/token of the coordinator (required, but with --creds)")
	f.registerGroup(cmd)
	f.registerTLS(cmd)
}

// finish reads the files and checks that the flags fit together.
func (f *linkFlags) finish() (err error) {
	if err := cluster.CheckGroup(f.group); err != nil {
		return usagef("--group %w", err)
	}
	if (f.cert == "") != (f.key == "") {
		return usagef("--tls-cert and --tls-key go together")
	}
	if f.creds != "" {
		if f.link.Creds, err = readSecret("--creds", f.creds); err != nil {
			return err
		}
	}
	if err := f.readTLS(); err != nil {
		return err
	}
	if f.tokenFile == "" {
		return nil
	}
	token, err := readToken(f.tokenFile)
	if err != nil {
		return fmt.Errorf("--token-file: %w", err)
	}
	f.link.Token = token
	return nil
}

// readTLS reads authorities and certificate, if any are named.
func (f *linkFlags) readTLS() error {
	if f.ca == "" && f.cert == "" {
		return nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.cert != "" {
		cert, err := readSecret("--tls-cert", f.cert)
		if err != nil {
			return err
		}
		key, err := readSecret("--tls-key", f.key)
		if err != nil {
			return err
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return fmt.Errorf("--tls-cert, --tls-key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if f.ca != "" {
		pem, err := readSecret("--tls-ca", f.ca)
		if err != nil {
			return err
		}
		f.authorities = x509.NewCertPool()
		if !f.authorities.AppendCertsFromPEM(pem) {
			return fmt.Errorf("--tls-ca: %s holds no certificate", f.ca)
		}
		c.RootCAs = f.authorities
	}
	f.link.TLS = c
	return nil
}

// readSecret reads the file that a flag names.
func readSecret(flag, path string) ([]byte, error) {
	data, err := disk.ReadFile(path, mostSecret)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", flag, path, err)
	}
	return data, nil
}

// connects is finish for commands that connect to a coordinator.
func (f *linkFlags) connects() error {
	if f.tokenFile == "" && f.creds == "" && f.cert == "" {
		return usagef("--token-file: name a copy of the coordinator's DIR/cluster/token, or give --creds or --tls-cert")
	}
	return f.finish()
}

// Bounds of files.
const (
	leastToken = 16      // bytes of a token
	mostToken  = 1 << 10 // bytes of its file
	mostSecret = 1 << 20 // bytes of credentials, a certificate, a key, and authorities
)

// readToken returns the token in a file.
func readToken(path string) (string, error) {
	data, err := disk.ReadFile(path, mostToken)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", fmt.Errorf("%s %w: want one word of %d characters or more", path, errEmpty, leastToken)
	}
	if len(token) < leastToken || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("%s: want one word of %d characters or more", path, leastToken)
	}
	return token, nil
}

// errEmpty is wrapped by the error for a file of a token that holds nothing.
var errEmpty = errors.New("is empty")

// makeToken returns the token in a file. It makes the file if there is none or it is empty,
// as a full disk leaves it.
func makeToken(path string) (string, error) {
	token, err := readToken(path)
	if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errEmpty) {
		return token, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	token = cluster.NewSession()
	return token, cluster.WriteSecret(path, []byte(token+"\n"))
}

// watchFlags configure the logs and metrics of a process that runs for weeks.
type watchFlags struct {
	logFile string
	logMiB  int
	metrics string
	quiet   bool // only warnings are logged
}

func (f *watchFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.logFile, "log", "", "file of the log, which is cut into FILE.1 to FILE.4 as it grows (default: standard error)")
	addNum(cmd, &f.logMiB, option.Int{Key: "log-size", Help: "size of one file of the log", Unit: "MiB", Default: 8, Min: 1, Max: 10_000})
	fs.StringVar(&f.metrics, "metrics", "", "address at which Prometheus finds /metrics, as in 127.0.0.1:9464 (default: nowhere)")
}

// oldLogs is how many files of a log are kept beside the current one.
const oldLogs = 4

// open returns the log, and what closes it.
func (f *watchFlags) open(cmd *cobra.Command) (*slog.Logger, func() error, error) {
	if f.logFile == "" {
		var o slog.HandlerOptions
		if f.quiet {
			o.Level = slog.LevelWarn
		}
		return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &o)), func() error { return nil }, nil
	}
	file, err := cluster.OpenLog(f.logFile, int64(f.logMiB)<<20, oldLogs)
	if err != nil {
		return nil, nil, fmt.Errorf("--log: %w", err)
	}
	return slog.New(slog.NewTextHandler(file, nil)), file.Close, nil
}

// serve answers /metrics until the returned function is called.
func (f *watchFlags) serve(m *cluster.Metrics) (stop func() error, err error) {
	if f.metrics == "" {
		return func() error { return nil }, nil
	}
	listener, err := net.Listen("tcp", f.metrics)
	if err != nil {
		return nil, fmt.Errorf("--metrics %s: %w", f.metrics, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", m.Handler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	return func() error {
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}, nil
}

// newClusterStatus returns the command "cluster status".
func newClusterStatus() *cobra.Command {
	var (
		link   linkFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what a coordinator and its workers are at",
		Long:  "Show what a coordinator and its workers are at: games, tasks, audits, who is here and who is quarantined.",
		Example: `  carozero cluster status --token-file runs/big/cluster/token
  carozero cluster status --connect nats://trainer:4222 --token-file token --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := link.connects(); err != nil {
				return err
			}
			s, err := cluster.Ask(cmd.Context(), link.link, link.group)
			if err != nil {
				return err
			}
			return output.print(cmd, s)
		},
	}
	link.registerConnect(cmd)
	output.register(cmd)
	return cmd
}

// newClusterToken returns the command "cluster token".
func newClusterToken() *cobra.Command {
	cmd := group("token", "Give each worker a token of its own, and take it back", newClusterTokenAdd(), newClusterTokenList(), newClusterTokenRevoke())
	cmd.Long = `Give each worker a token of its own, and take it back. Without any, all workers share
the one in DIR/cluster/token. DIR/cluster/tokens.json holds a name and a SHA-256 of
each token; a coordinator that runs sees every change within a second.

A worker with a token of its own is known as NAME@TOKEN: it can take nobody's name,
and once it is quarantined its token is refused under every name. Where a token is
revoked its workers are sent away, and what they have sent since their last game that
was found true is played again by others.`
	return cmd
}

// runFolder defines the flag that names a run.
func runFolder(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "out", "", "directory of the coordinator's run, or of the loop (required)")
}

// checkRunFolder checks that flag.
func checkRunFolder(dir string) error {
	if dir == "" {
		return usagef("--out: name the directory of the coordinator's run")
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no directory", dir)
	}
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s is not there: make it, or begin the run", dir)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

func newClusterTokenAdd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "add NAME --out DIR",
		Short: "Make a token and print it",
		Long: `Make a token and print it. It is told this once: the coordinator keeps its SHA-256
only. Put it into a file of the worker's machine for 'cluster worker --token-file'. A
name is used once; that of a revoked token is not free again.`,
		Example: `  carozero cluster token add alice --out runs/big > alice.token`,
		Args:    oneArg("the name of one token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkRunFolder(dir); err != nil {
				return err
			}
			if err := cluster.CheckName(args[0]); err != nil {
				return usagef("name %w", err)
			}
			token, err := cluster.AddToken(cluster.TokensFile(dir), args[0], time.Now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), token)
			return err
		},
	}
	runFolder(cmd, &dir)
	return cmd
}

func newClusterTokenRevoke() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "revoke NAME --out DIR",
		Short: "Let a token's workers in no more",
		Long: `Let a token's workers in no more. A coordinator that runs sends them away within a
second and has what they sent since their last game that was found true played again.
The name "shared" stands for the token in DIR/cluster/token, which all workers have.`,
		Example: `  carozero cluster token revoke alice --out runs/big
  carozero cluster token revoke shared --out runs/big`,
		Args: oneArg("the name of one token"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkRunFolder(dir); err != nil {
				return err
			}
			return cluster.RevokeToken(cluster.TokensFile(dir), args[0], time.Now())
		},
	}
	runFolder(cmd, &dir)
	return cmd
}

func newClusterTokenList() *cobra.Command {
	var (
		dir    string
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "list --out DIR",
		Short: "List the names of the tokens",
		Long:  "List the names of the tokens, when they were added, and which were revoked. The tokens themselves are known to nobody but their workers.",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkRunFolder(dir); err != nil {
				return err
			}
			list, err := cluster.ReadTokens(cluster.TokensFile(dir))
			if err != nil {
				return err
			}
			return output.print(cmd, tokenList{list, cluster.TokenFile(dir)})
		},
	}
	runFolder(cmd, &dir)
	output.register(cmd)
	return cmd
}

// tokenList is a report of tokens. The file is of the token that workers without one of
// their own share.
type tokenList struct {
	tokens []cluster.Token
	shared string
}

// MarshalJSON implements [json.Marshaler].
func (l tokenList) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]cluster.Token{}, l.tokens...))
}

// Text implements [report.Report].
func (l tokenList) Text(w io.Writer) {
	if len(l.tokens) == 0 {
		fmt.Fprintln(w, "no worker has a token of its own: all share the one in", l.shared)
	}
	for _, t := range l.tokens {
		state := "added " + t.Added.Format(time.DateTime)
		if t.Revoked != nil {
			state = "revoked " + t.Revoked.Format(time.DateTime)
		}
		fmt.Fprintf(w, "%-24s %s\n", t.Name, state)
	}
}

// newClusterWorker returns the command "cluster worker".
func newClusterWorker() *cobra.Command {
	var (
		link  linkFlags
		watch watchFlags
		net   netFlags
		o     cluster.WorkerOptions
	)
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Play games for a coordinator",
		Long: `Play games for a coordinator, and wait for it and for its next run whenever it is
away, until interrupted. All that decides a game comes from there: the variant, the
options and the network, whose SHA-256 is checked. A program of another version is
refused and told why. It may be killed at any time.`,
		Example: `  carozero cluster worker --connect nats://trainer:4222 --token-file token
  carozero cluster worker --connect tls://trainer:4222 --tls-ca ca.pem --token-file token --workers 8 --metrics 127.0.0.1:9465`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := link.connects(); err != nil {
				return err
			}
			if err := named(&o); err != nil {
				return err
			}
			var m option.Memory
			addCache(&m, o.CacheMiB)
			if err := checkMemory(&m); err != nil {
				return err
			}
			o.Loader = net.loader()
			log, closeLog, err := watch.open(cmd)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, closeLog()) }()
			o.Link, o.Group, o.Version, o.Commit, o.Log = link.link, link.group, version, commit, log
			return runWorker(cmd, o, &watch)
		},
	}
	link.registerConnect(cmd)
	watch.register(cmd)
	net.registerRuntime(cmd)
	fs := cmd.Flags()
	fs.StringVar(&o.Name, "name", "", "name of this worker, unlike all others (default: the machine's and the number of the process)")
	fs.StringVar(&o.Dir, "networks", "", "folder where networks are kept (default: in the user's cache)")
	fs.BoolVar(&o.Once, "once", false, "end with the run; otherwise wait for the next one")
	addNum(cmd, &o.Workers, option.Workers.With(int64(runtime.NumCPU()), "goroutines that play"))
	addNum(cmd, &o.AtOnce, option.AtOnce.With(16, "games that a goroutine keeps under way"))
	addNum(cmd, &o.CacheMiB, option.Cache)
	return cmd
}

// named fills in the worker's name and folder where they were not given.
func named(o *cluster.WorkerOptions) (err error) {
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
		o.Name = defaultName(host, os.Getpid())
	}
	if err := cluster.CheckName(o.Name); err != nil {
		return usagef("--name %w", err)
	}
	return nil
}

// defaultName returns a name for a worker without one; two workers of a machine get
// different names.
func defaultName(host string, pid int) string {
	host, _, _ = strings.Cut(host, ".") // the domain is not needed
	number := fmt.Sprintf("-%d", pid)
	return host[:min(len(host), 40-len(number))] + number
}

// runWorker runs a worker until it is interrupted. An interrupt is not an error: a worker
// has nothing to resume.
func runWorker(cmd *cobra.Command, o cluster.WorkerOptions, watch *watchFlags) error {
	w, err := cluster.NewWorker(o)
	if err != nil {
		return err
	}
	stop, err := watch.serve(cluster.NewWorkerMetrics(w))
	if err != nil {
		return err
	}
	err = w.Run(cmd.Context())
	if signalled(cmd.Context()) {
		err = nil
	}
	return errors.Join(err, stop())
}
