package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/loophost"
	"github.com/carozero/carozero/selfplay/loop"
)

// runLoop continues a loop. It returns a status as well as an error if there is a
// loop.
func runLoop(cmd *cobra.Command, dir string, loader *networks.Loader, f *loopFlags) (status *loop.Status, err error) {
	ctx, messages := cmd.Context(), cmd.ErrOrStderr()
	config, file, err := f.read(dir)
	if err != nil {
		return nil, err
	}
	program, err := build()
	if err != nil {
		return nil, err
	}
	worker := &loophost.Worker{Loader: loader, Version: version, Commit: commit, Program: program}
	if f.cluster != "" {
		c := &loopCluster{cmd: cmd, dir: dir, addr: f.cluster, loader: loader}
		defer func() { err = errors.Join(err, c.close()) }()
		worker.Run = c.play
	}
	bar := &loopBar{}
	defer bar.close()
	host := worker.Host()
	host.Now, host.CPU = time.Now, processorTime
	host.Progress, host.Note = bar.show, noteTo(messages, bar)
	state, err := loop.Run(ctx, dir, &config, file, host)
	if state == nil {
		return nil, asLoopError(err)
	}
	st := state.Status(dir)
	st.Rounds = config.Rounds
	return st, err
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
