package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/cluster"
	"github.com/carozero/carozero/internal/front/loophost"
)

// loopCluster plays the games of a loop with a cluster: a coordinator for each run, one
// after the other, on a server that stays. Workers go from one run to the next.
type loopCluster struct {
	cmd    *cobra.Command
	dir    string // of the loop
	addr   string
	loader *networks.Loader
	host   *clusterHost // nil until the first run
}

// play plays one run of the loop.
func (c *loopCluster) play(ctx context.Context, p loophost.Played) error {
	if c.host == nil {
		flags := &coordinatorFlags{local: true}
		flags.defaults()
		flags.listen, flags.listenFlag, flags.quiet = c.addr, "--cluster", true
		host, err := flags.host(c.cmd, c.dir)
		if err != nil {
			return err
		}
		c.host = host
	}
	config := cluster.Config{
		Version: version, Commit: commit, Variant: p.Variant, Options: p.Options.WithDefaults(), SolverNodes: p.Tree.Solvers.Leaf,
		Model: p.Setup.Header.Model, ModelSHA256: p.Setup.Header.ModelSHA256,
	}
	if p.Net == nil {
		config.Player = p.Player
	} else if t := p.Tree.PolicyTemperature; t != 1 {
		config.PolicyTemperature = t
	}
	_, err := c.host.play(ctx, clusterRun{
		config: config, setup: p.Setup, net: p.Net, loader: c.loader, host: p.Host, cacheMiB: p.CacheMiB,
	})
	return err
}

// close ends the server.
func (c *loopCluster) close() error {
	if c.host == nil {
		return nil
	}
	return c.host.close()
}
