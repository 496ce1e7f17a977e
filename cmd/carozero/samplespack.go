package main

import (
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/cluster"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record/archive"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/selfplay/samples"
)

func newSamplesPack() *cobra.Command {
	var (
		output  outputFlags
		out     string
		columns bool
	)
	cmd := &cobra.Command{
		Use:   "pack PATH... --out FILE",
		Short: "Pack whole runs into one file, to keep or send",
		Long: `Pack whole runs into one file. It holds what is needed to play them again from
their seeds, about a byte a position: 'samples unpack' plays them, with the same
version of the program and the same networks, and holds them to the digests of
their shards. With --columns it also holds what only the search knew, 11 to 37
bytes a position, and unpacks at once. Either way the shards come back byte for
byte. What is packed is unpacked once for proof.

A PATH is a run's directory, or a directory of runs, all of which are packed.
Runs that are under way or not whole are refused, and so is what was merged or
filtered of runs.`,
		Example: `  carozero samples pack runs/one runs/two --out games.czpack
  carozero samples pack --columns runs/teacher --out teacher.czpack`,
		Args: someArgs("a run's directory, or one of runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("--out is missing: name a new file")
			}
			o := archive.PackOptions{Plan: (&generate.Again{Loader: networks.NewLoader(networks.LoaderOptions{}), Naming: flagOf}).Plan, Naming: flagOf}
			if columns {
				o.Kind = archive.Columns
			}
			bar := newProgress(1, cmd.Name())
			packed, err := archive.Pack(cmd.Context(), samples.Disk{}, generate.SampleCodec, o, out, bar.at, args...)
			_ = bar.Finish()
			if err != nil {
				return interrupted(err, "nothing is kept; run it again")
			}
			return output.print(cmd, report.Packed{Packed: packed, Out: out})
		},
	}
	output.register(cmd)
	cmd.Flags().StringVar(&out, "out", "", "new file (required)")
	cmd.Flags().BoolVar(&columns, "columns", false, "keep visits, values and targets, so that no game is played again")
	return cmd
}

// unpackCommand holds the flags of "samples unpack".
type unpackCommand struct {
	output outputFlags
	net    netFlags
	out    string
	list   bool
	again  generate.Again
	opts   archive.UnpackOptions
}

func newSamplesUnpack() *cobra.Command {
	var c unpackCommand
	cmd := &cobra.Command{
		Use:   "unpack FILE --out DIR",
		Short: "Unpack the runs of an archive, byte for byte",
		Long: `Unpack the runs of an archive, each into a directory of its name below DIR, with
the bytes that it had. An archive of columns unpacks at once. The runs of an
archive of games are played again: that takes as long as playing them did, and the
program must search as the one did that played them, whose version --list tells.
Their networks are found by their digests among the shipped ones and those of
--model. The first game that is another one ends the work.

A run is there as a whole or not at all. After an interruption the same command
goes on; after any other error nothing is kept.`,
		Example: `  carozero samples unpack games.czpack --list
  carozero samples unpack games.czpack --out runs --model net.onnx`,
		Args: someArgs("an archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch err := noArgs(cmd, args[1:]); {
			case err != nil:
				return err
			case c.list:
				return c.show(cmd, args[0])
			case c.out == "":
				return usagef("--out is missing: name a new or empty directory, or --list to see what is inside")
			}
			return c.unpack(cmd, args[0])
		},
	}
	c.output.register(cmd)
	c.net.registerRuntime(cmd)
	fs := cmd.Flags()
	fs.StringVar(&c.out, "out", "", "new or empty directory, made if it does not exist (required without --list)")
	fs.BoolVar(&c.list, "list", false, "say what is inside, and unpack nothing")
	fs.StringArrayVar(&c.again.Models, "model", nil, "file of a network that is not shipped; given again: more of them")
	addInt(cmd, &c.opts.Host.Workers, option.Workers.With(int64(runtime.NumCPU()), "goroutines that play games again; changes no byte of the samples"))
	addInt(cmd, &c.opts.Host.AtOnce, option.AtOnce.With(16, "games that a worker keeps under way; changes no byte of the samples"))
	addInt(cmd, &c.again.CacheMiB, option.Cache)
	return cmd
}

// show says what is inside an archive.
func (c *unpackCommand) show(cmd *cobra.Command, path string) error {
	l, err := archive.List(cmd.Context(), samples.Disk{}, path)
	if err != nil {
		return interrupted(err, "nothing is said of what was not looked at; run it again")
	}
	return c.output.print(cmd, report.Archive{Listing: l, File: path})
}

// unpack unpacks an archive.
func (c *unpackCommand) unpack(cmd *cobra.Command, path string) (err error) {
	c.again.Loader = c.net.loader()
	defer c.again.Close()
	c.again.Naming = flagOf
	c.again.Workers, c.again.AtOnce = c.opts.Host.Workers, c.opts.Host.AtOnce
	c.opts.Player, c.opts.Now, c.opts.Free, c.opts.Naming = &c.again, time.Now, cluster.FreeBytes, flagOf
	bar := newProgress(1, cmd.Name())
	unpacked, err := archive.Unpack(cmd.Context(), samples.Disk{}, generate.SampleCodec, c.opts, path, c.out, bar.at)
	_ = bar.Finish()
	if err != nil {
		return interrupted(err, "%d runs are whole in %s; the same command goes on", unpacked.Runs, c.out)
	}
	return c.output.print(cmd, report.Unpacked{Unpacked: unpacked, Out: c.out})
}
