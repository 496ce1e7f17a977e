package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
)

// kindQuiet is the kind of wins that package pn looks for.
const kindQuiet = "pn"

// solveFlags say how forced wins are looked for.
type solveFlags struct {
	kind        string
	nodes       int
	certificate string
	memory      int
	state       string
}

// newSolve returns the command "solve".
func newSolve() *cobra.Command {
	var (
		position positionFlags
		output   outputFlags
		flags    solveFlags
		endgames endgamesFlag
	)
	kinds := append(games.Kinds(), kindQuiet, kindFull)
	cmd := &cobra.Command{
		Use:   "solve",
		Short: "Find a forced win by fours, by threes or with quiet moves, or who wins, in Onitama too",
		Long: `Find a forced win of the side to move: by continuous fours (vcf), by continuous
fours and threes (vct), or with quiet moves that threaten such wins (pn); or find out by
all moves of both sides who wins, or that nobody does (full). The result of the others is
win with its line, none if there is none of that kind, or unknown if the budget was
spent. The win is the shortest of its kind unless the answer says otherwise, as it may
for long ones.

A three here is a move that threatens an open or a double four with the next one
(under school42 also a capture). None says nothing of wins with a quieter move in
them, such as one that threatens a longer row of fours.

pn searches for these by proof numbers, which takes seconds where vct takes
milliseconds, and asks the classical search which moves to look into. Every
win that it finds has been checked by the rules.

full asks whether either side can be beaten, with half of --nodes for each, and answers
win, loss, draw or unknown. It is for small boards and full ones: a side is held where
every line that it could win by has a pair of cells of which the other side gets one (not
where stones are captured).

With --state these two keep what they know in a file: full every 20 million moves, pn
before each of its rounds, which end after 2, 11, 47 and 191 million moves and then every
576 million. The same command goes on there, also with more --nodes.

--certificate writes a file that proves the win to anybody who knows the rules: it
has an answer to every defence, and "certificate check" takes nothing else on trust.
With full it proves a draw too, or that one side does not lose. Where nothing was proven
no file is written.

In Onitama the kind is full, which proves wins of either side there, with a line, and
plays them against every reply before it says so; it proves no draws. --bitbase answers
from solved endgames: win, loss or draw, with the plies to the end and a line.`,
		Example: `  carozero solve --rule freestyle --position h8a1i8a2j8a15 --kind vct
  carozero solve --board position.txt --kind vcf --json
  carozero solve --rule freestyle --position h8a1i8a2j8a15 --certificate win.cert
  carozero solve --board position.txt --kind pn --nodes 600000000 --state runs/pn.state
  carozero solve --rule caro --size 5 --position "" --kind full --certificate draw.cert
  carozero solve --size 7 --position "" --kind full --nodes 9000000000 --memory 1000 --state runs/seven.state
  carozero solve --game onitama --position "Crane,Rooster/Tiger,Ox/Horse:rooster c1d2"
  carozero solve --game onitama --board position.txt --bitbase five.bitbase`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(kinds, flags.kind) {
				return usagef("--kind: unknown kind %q: want %v", flags.kind, kinds)
			}
			v, pos, err := position.open(cmd)
			if err != nil {
				return err
			}
			if err := flags.suit(cmd, v); err != nil && endgames.file == "" {
				return err
			}
			quiet, full := flags.kind == kindQuiet, flags.kind == kindFull
			for _, name := range []string{"memory", "state"} {
				if !quiet && !full && cmd.Flags().Changed(name) {
					return usagef("--%s goes with --kind %s and %s", name, kindQuiet, kindFull)
				}
			}
			if endgames.file != "" {
				r, err := lookUp(cmd, &endgames, v, pos)
				if err = endgames.close(err); err != nil {
					return err
				}
				return output.print(cmd, r)
			}
			if flags.certificate != "" {
				if err := checkCertificateFile("--certificate", flags.certificate); err != nil {
					return err
				}
			}
			if quiet || full {
				var m option.Memory
				m.Add(fmt.Sprintf("--memory %d", flags.memory), int64(flags.memory)<<20)
				if err := checkMemory(&m); err != nil {
					return err
				}
				if !cmd.Flags().Changed("nodes") {
					flags.nodes = quietNodes
				}
			}
			var r *report.Solution
			switch {
			case quiet:
				r, err = flags.solveQuietly(cmd, v, pos)
			case full:
				r, err = flags.solveFully(cmd, v, pos)
			default:
				r, err = flags.solve(cmd, v, pos)
			}
			switch {
			case err != nil && r == nil:
				return err
			case err != nil:
				return output.printAfter(cmd, err, r)
			case flags.certificate != "" && r.Certificate == nil:
				fmt.Fprintf(cmd.ErrOrStderr(), "carozero: %s was not written: %s\n", oneLine(flags.certificate),
					map[bool]string{false: "no win was found", true: "nothing was proven"}[full])
			}
			return output.print(cmd, r)
		},
	}
	position.register(cmd)
	output.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&flags.kind, "kind", "vcf", "what the win is made of: vcf, vct or pn; full: all moves")
	addNum(cmd, &flags.nodes,
		option.Nodes.With(1_000_000,
			fmt.Sprintf("most moves that the solver plays, and as many again for the line of a win by fours or threes; %d "+
				"for pn and full", quietNodes)))
	fs.StringVar(&flags.certificate, "certificate", "", "file to write the certificate of the win to")
	addNum(cmd, &flags.memory, option.ProofMemory)
	fs.StringVar(&flags.state, "state", "", "pn, full: file that the search is kept in, and goes on from")
	complete(cmd, "kind", kinds...)
	endgames.register(cmd)
	for _, other := range []string{"kind", "nodes", "certificate", "memory", "state"} {
		cmd.MarkFlagsMutuallyExclusive("bitbase", other)
	}
	return cmd
}

// suit makes the flags those of a game, and says which are not: one without kinds of forced
// wins has all moves, and the certificates are gomoku's.
func (f *solveFlags) suit(cmd *cobra.Command, v games.Variant) error {
	_, solved := v.Rules.(games.Solved)
	switch {
	case disk.Same(f.state, f.certificate):
		return usagef("--certificate %s: --state names the same file; name another", f.certificate)
	case v.Proofs() != nil:
	case !solved:
		return usagef("--game %s: there is no solver", v.Game)
	case cmd.Flags().Changed("kind") && f.kind != kindFull:
		return usagef("--kind %s: of gomoku; %s has %s", f.kind, v.Game, kindFull)
	default:
		f.kind = kindFull
	}
	if f.certificate != "" && v.Proofs() == nil {
		return usagef("--certificate: there are none in %s", v.Game)
	}
	return nil
}

// lookUp answers from solved endgames, which must have the position.
func lookUp(cmd *cobra.Command, f *endgamesFlag, v games.Variant, pos game.Position) (*report.Endgame, error) {
	solved, err := f.openFor(cmd, v, pos)
	if err != nil {
		return nil, err
	}
	if err := solved.Covers(pos); err != nil {
		return nil, usagef("--bitbase: %w", err)
	}
	result, plies := solved.Probe(pos)
	line := games.BestLine(solved, pos)
	if result == game.Drawn {
		line = []game.Move{solved.Best(pos)}
	}
	return report.NewEndgame(v, pos, result, plies, line), nil
}

// solve looks for a win by fours, or by fours and threes. With an error the report, unless
// nil, is to be shown nevertheless.
func (f *solveFlags) solve(cmd *cobra.Command, v games.Variant, pos game.Position) (*report.Solution, error) {
	kind, err := games.Kind(f.kind)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	prover := v.Prover(vcf.TableBytesFor(f.nodes))
	s := prover.Solve(cmd.Context(), pos, kind, f.nodes)
	if err := cmd.Context().Err(); err != nil && s.Outcome == vcf.Unknown {
		return nil, interrupted(err, "nothing was found within %d nodes; give --nodes to bound the search", s.Nodes)
	}
	r := report.NewSolution(v, kind, &s, time.Since(start))
	if f.certificate == "" || s.Outcome != vcf.Win {
		return r, nil
	}
	data, err := prover.WriteCertificate(cmd.Context(), pos, kind, f.nodes, games.MaxCertificateNodes)
	if err == nil {
		err = f.write(cmd.Context(), data, r)
	} else {
		err = fmt.Errorf("--certificate: nothing was written: %w", err)
	}
	return r, interrupted(err, "the win was found, and no certificate was written")
}

// write checks a certificate and writes it to its file.
func (f *solveFlags) write(ctx context.Context, data []byte, r *report.Solution) error {
	c, err := writeCertificate(ctx, f.certificate, data)
	if err != nil {
		return fmt.Errorf("--certificate: %w", err)
	}
	r.Certificate = c
	return nil
}

// kindFull is the kind of solving that tries all moves of both sides.
const kindFull = "full"

// solveFully finds out who wins, or that nobody does.
func (f *solveFlags) solveFully(cmd *cobra.Command, v games.Variant, pos game.Position) (*report.Solution, error) {
	bar := newProgress(f.nodes, "moves")
	decider, err := v.Decider(games.DecideOptions{
		TableBytes: int64(f.memory) << 20,
		Progress:   func(nodes int64) { bar.at(int(nodes), f.nodes) },
	})
	if err != nil {
		return nil, err
	}
	kept, _ := decider.(games.KeptDecider)
	if f.state != "" {
		if kept == nil {
			return nil, usagef("--state: the search in %s is not kept", v.Game)
		}
		held, err := f.takeState(kept, games.IsDeciderState, pos)
		if err != nil {
			return nil, fmt.Errorf("--state: %w", err)
		}
		defer held.Close()
	}
	start := time.Now()
	var d games.Decision
	for budget := int64(0); d.Outcome == game.Undecided && !d.Ended && budget < int64(f.nodes); {
		budget = min(max(budget, d.Nodes)+stateSlice, int64(f.nodes))
		d, err = decider.Solve(cmd.Context(), pos, budget)
		if f.state != "" && (err == nil || cmd.Context().Err() != nil) { // what an interrupted search has found is kept too
			if unsaved := disk.Write(f.state, kept.Save); unsaved != nil {
				_ = bar.Close()
				return nil, fmt.Errorf("--state: nothing new was kept after %d moves: %w", d.Nodes, unsaved)
			}
		}
		if err != nil {
			_ = bar.Close()
			advice := ""
			if kept != nil {
				advice = "; with --state FILE the same command goes on"
			}
			return nil, interrupted(err, "%d moves were played%s", d.Nodes, advice)
		}
	}
	_ = bar.Close()
	r := report.NewDecided(v, kindFull, resultFor(d.Outcome, pos.ToMove()), &d, time.Since(start))
	data, err := decider.Certify(cmd.Context(), pos, d)
	switch {
	case err != nil && cmd.Context().Err() == nil && !errors.Is(err, games.ErrTooLarge):
		return nil, err // what was found does not hold
	case err != nil || data == nil:
		return r, interrupted(err, "no certificate was written")
	}
	facts, err := games.CheckCertificate(cmd.Context(), data)
	if err != nil {
		return nil, err
	}
	r.Plies, r.Line = facts.Plies, append(r.Line, facts.Line...)
	if f.certificate != "" {
		err = f.write(cmd.Context(), data, r)
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
	var prover *games.QuietProver
	save := func() error {
		if f.state == "" {
			return nil
		}
		return disk.Write(f.state, prover.Save)
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
func (f *solveFlags) takeState(p stateful, own func(head []byte) bool, pos game.Position) (*disk.Lock, error) {
	if err := disk.Check(f.state, "no saved search of this kind", own); err != nil {
		return nil, err
	}
	held, err := disk.LockFile(f.state)
	if err != nil {
		return nil, err
	}
	data, err := disk.ReadFile(f.state, maxState)
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
