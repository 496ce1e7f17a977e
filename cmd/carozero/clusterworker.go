package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/front/cluster"
	"github.com/carozero/carozero/internal/support/option"
)

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
	addInt(cmd, &o.Workers, option.Workers.With(int64(runtime.NumCPU()), "goroutines that play"))
	addInt(cmd, &o.AtOnce, option.AtOnce.With(16, "games that a goroutine keeps under way"))
	addInt(cmd, &o.CacheMiB, option.Cache)
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
