package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
)

// kindFull is the kind of solving that tries all moves of both sides.
const kindFull = "full"

// solveFully finds out who wins, or that nobody does.
func (f *solveFlags) solveFully(cmd *cobra.Command, v games.Variant, pos game.Position) (*report.Solution, error) {
	bar := newProgress(f.nodes, "moves")
	start := time.Now()
	d, err := v.Decide(cmd.Context(), pos, games.DecideOptions{
		Nodes: int64(f.nodes), TableBytes: int64(f.memory) << 20,
		Progress: func(nodes int64) { bar.at(int(nodes), f.nodes) },
	})
	_ = bar.Close()
	if err != nil {
		return nil, interrupted(err, "%d moves were played, and nothing is kept of them", d.Nodes)
	}
	r := report.NewDecided(v, kindFull, resultFor(d.Outcome, pos.ToMove()), d.Nodes, time.Since(start))
	if d.Certificate == nil {
		return r, nil
	}
	facts, err := games.CheckCertificate(cmd.Context(), d.Certificate)
	if err != nil {
		return nil, err
	}
	r.Plies, r.Line = facts.Plies, append(r.Line, facts.Line...)
	if f.certificate != "" {
		err = f.write(cmd.Context(), d.Certificate, r)
	}
	return r, err
}

// resultFor returns an outcome as the side to move sees it, in a word.
func resultFor(o game.Outcome, side game.Side) string {
	switch o {
	case game.Undecided:
		return "unknown"
	case game.Draw:
		return "draw"
	case game.WinFor(side):
		return "win"
	}
	return "loss"
}
