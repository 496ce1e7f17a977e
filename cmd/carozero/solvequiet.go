package main

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/lock"
	"github.com/carozero/carozero/internal/support/outfile"
)

const (
	// quietNodes is the default budget of a search for wins with quiet moves.
	quietNodes = 200_000_000

	// stateSlice is after how many moves a search of all moves is kept.
	stateSlice = 20_000_000

	// maxState bounds a file of a search that is read.
	maxState = 8 << 30
)

// solveQuietly looks for a win with quiet moves.
func (f *solveFlags) solveQuietly(cmd *cobra.Command, v games.Variant, pos game.Position) (*report.Solution, error) {
	bar := newProgress(f.nodes, "moves")
	var prover games.QuietProver
	save := func() error {
		if f.state == "" {
			return nil
		}
		return outfile.Write(f.state, prover.Save)
	}
	prover = v.QuietProver(games.QuietOptions{
		TableBytes: int64(f.memory) << 20, Round: save,
		Progress: func(nodes int64) { bar.at(int(nodes), f.nodes) },
	})
	if f.state != "" {
		held, err := f.takeState(prover, games.IsQuietState, pos)
		if err != nil {
			return nil, fmt.Errorf("--state: %w", err)
		}
		defer held.Close()
	}
	start := time.Now()
	q, err := prover.Solve(cmd.Context(), pos, int64(f.nodes))
	if err == nil {
		err = cmd.Context().Err()
	}
	if err == nil && q.Outcome != vcf.Unknown {
		err = save()
	}
	if err != nil {
		_ = bar.Close()
		return nil, interrupted(err, "%d moves were played; --state FILE lets a search go on", q.Nodes)
	}
	_ = bar.Close()
	r := report.NewQuietSolution(v, kindQuiet, q.Outcome.String(), q.Nodes, time.Since(start))
	if q.Outcome != vcf.Win {
		return r, nil
	}
	facts, err := games.CheckCertificate(cmd.Context(), q.Certificate)
	if err != nil {
		return nil, err
	}
	r.Plies, r.Line = facts.Plies, facts.Line
	if f.certificate != "" {
		err = f.write(cmd.Context(), q.Certificate, r)
	}
	return r, err
}

// stateful is a search that goes on from what it has saved.
type stateful interface {
	Load(data []byte, pos game.Position) error
}

// takeState locks the file of a search and goes on from it, if there is one.
func (f *solveFlags) takeState(p stateful, own func(head []byte) bool, pos game.Position) (*lock.Lock, error) {
	if err := outfile.Check(f.state, "no saved search of this kind", own); err != nil {
		return nil, err
	}
	held, err := lock.File(f.state)
	if err != nil {
		return nil, err
	}
	data, err := limitio.ReadFile(f.state, maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return held, nil
	case err == nil && len(data) > 0:
		err = p.Load(data, pos)
	}
	if err != nil {
		_ = held.Close()
		return nil, fmt.Errorf("%s: %w", f.state, err)
	}
	return held, nil
}
