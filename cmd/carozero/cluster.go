package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/front/cluster"
	"github.com/carozero/carozero/internal/support/limitio"
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
	data, err := limitio.ReadFile(path, mostSecret)
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
	data, err := limitio.ReadFile(path, mostToken)
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
	addInt(cmd, &f.logMiB, option.Int{Key: "log-size", Help: "size of one file of the log", Unit: "MiB", Default: 8, Min: 1, Max: 10_000})
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
