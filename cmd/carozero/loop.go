package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/loop"
)

// newLoop returns the command "loop".
func newLoop() *cobra.Command {
	cmd := group("loop", "Learn: rounds of self-play, training and a gate", newLoopRun(), newLoopStatus(), newLoopConfig())
	cmd.Long = `Learn from games: rounds of self-play, training by an external command, and a
gate through which only a network comes that is not provably worse than the best
one so far. All of a loop is in one directory, and one file says what it does.`
	cmd.Example = `  carozero loop config > loop.toml
  carozero loop run runs/loop --config loop.toml
  carozero loop status runs/loop`
	return cmd
}

// newLoopConfig returns the command "loop config".
func newLoopConfig() *cobra.Command {
	return plain(&cobra.Command{
		Use:     "config",
		Short:   "Print a configuration with every key explained",
		Long:    "Print a configuration with every key explained, which works as it stands.",
		Example: "  carozero loop config > loop.toml",
	}, func(cmd *cobra.Command, _ []string) error {
		_, err := cmd.OutOrStdout().Write(loop.Example)
		return err
	})
}

// newLoopStatus returns the command "loop status".
func newLoopStatus() *cobra.Command {
	return define(&cobra.Command{
		Use:     "status DIR",
		Short:   "Show what the rounds of a loop came to",
		Long:    "Show what the rounds of a loop came to, while it runs or afterwards.",
		Example: "  carozero loop status runs/loop",
		Args:    takes(1, 1, "the directory of one loop"),
	}, func(_ *cobra.Command, args []string) (report.Report, error) {
		state, err := loop.Load(args[0])
		if err != nil {
			return nil, err
		}
		st := state.Status(args[0])
		if holder, held := disk.DirHolder(args[0]); held {
			st.Holder = holder
		}
		return st, nil
	})
}

// loopCommand holds the flags of the command "loop run".
type loopCommand struct {
	net     netFlags
	config  string
	rounds  int
	workers int
	cluster coordinatorFlags // of a coordinator, if it listens anywhere
}

// newLoopRun returns the command "loop run".
func newLoopRun() *cobra.Command {
	var l loopCommand
	return define(&cobra.Command{
		Use:   "run DIR",
		Short: "Begin a loop, or go on with one",
		Long: `Begin a loop in a directory, or go on with the one that is there, until its
rounds are over. However a loop ends before, it goes on where it was, and comes to
the same samples and the same decisions as one that was never disturbed.`,
		Example: `  carozero loop run runs/loop --config loop.toml
  carozero loop run runs/loop --rounds 20`,
		Args: takes(1, 1, "the directory of one loop"),
	}, l.run, l.net.registerRuntime, l.register)
}

func (l *loopCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&l.config, "config", "",
		"file of the configuration; 'carozero loop config' prints one (default: the one that the loop was begun with)")
	addNum(cmd, &l.rounds, option.Int{Key: "rounds", Help: "rounds in all", Min: 1, Max: 1_000_000,
		Zero: "as the configuration says"})
	addNum(cmd, &l.workers, option.Workers.With(0,
		"games and positions at once").ZeroMeans("as the configuration says"))
	l.cluster.registerHelped(cmd)
	cmd.Flags().Lookup("cluster").Usage = "be a coordinator of the loop's games too, at this address, host:port, to " +
		"which 'carozero cluster worker' may come and help"
}

// run continues a loop. It returns a status beside an error if there is a loop.
func (l *loopCommand) run(cmd *cobra.Command, args []string) (report.Report, error) {
	dir := args[0]
	config, err := l.read(dir)
	if err != nil {
		return nil, err
	}
	program, err := build()
	if err != nil {
		return nil, err
	}
	// Candidates meet the suite on boards that they were not trained for.
	l.net.messages = func() io.Writer { return io.Discard }
	worker := &loop.Worker{Loader: l.net.loader(), Version: version, Commit: commit, Program: program}
	if l.cluster.listen != "" {
		h := &clusterHost{coordinatorFlags: &l.cluster, cmd: cmd, dir: dir} // workers go from one run to the next
		defer h.close()
		worker.Run = func(ctx context.Context, p *selfplay.Playing, host selfplay.Host) error {
			_, err := h.play(ctx, p, worker.Loader.Provider(), host)
			return err
		}
	}
	var bar loopBar
	defer bar.close()
	host := loop.Host{Engine: worker, Now: time.Now, CPU: processorTime, Progress: bar.show, Note: func(line string) {
		bar.close()
		warn(cmd.ErrOrStderr(), line)
	}}
	state, err := loop.Run(cmd.Context(), dir, &config, host)
	if state == nil {
		if key := (*loop.KeyError)(nil); errors.As(err, &key) && !errors.Is(err, context.Canceled) {
			err = asUsage(err)
		}
		return nil, err
	}
	st := state.Status(dir)
	st.Rounds = config.Rounds
	return st, interrupted(err, "%d of %d rounds are over, and all that was finished is in %s; %s",
		st.Done, st.Rounds, dir, goOn(cmd))
}

// read returns the configuration of a loop in dir.
func (l *loopCommand) read(dir string) (loop.Config, error) {
	c, err := loop.Read(cmp.Or(l.config, filepath.Join(dir, loop.ConfigName)))
	if l.config == "" && errors.Is(err, os.ErrNotExist) {
		return c, usagef("--config: a new loop needs a configuration, and %s holds none; 'carozero loop config' prints one",
			dir)
	}
	c.Rounds, c.Workers = cmp.Or(l.rounds, c.Rounds), cmp.Or(l.workers, c.Workers)
	return c, asUsage(err)
}

// loopBar shows how far a loop is on a terminal: a bar for each step.
type loopBar struct {
	bar  *progress
	name string
}

// show draws where the loop is.
func (b *loopBar) show(p loop.Progress) {
	name := fmt.Sprintf("round %d of %d, %s", p.Round, p.Rounds, p.Step)
	if p.What != "" {
		name += " " + p.What
	}
	if name != b.name {
		b.close()
		total := p.Of
		if total == 0 {
			total = -1
		}
		b.bar, b.name = newProgress(total, name), name
	}
	if p.Of == 0 {
		return
	}
	text := name
	if p.Left > 0 {
		text += fmt.Sprintf(" (rounds left: about %v)", p.Left.Round(time.Minute))
	}
	b.bar.Describe(text)
	b.bar.at(p.Done, p.Of)
}

// close takes the bar away.
func (b *loopBar) close() {
	if b.bar != nil {
		_ = b.bar.Close()
		b.bar, b.name = nil, ""
	}
}
