package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
)

// kindQuiet is the kind of wins that package pn looks for.
const kindQuiet = "pn"

// solveCommand holds the flags of the command "solve".
type solveCommand struct {
	position    positionFlags
	endgames    endgamesFlag
	kind        string
	nodes       int
	certificate string
	memory      int
}

// newSolve returns the command "solve".
func newSolve() *cobra.Command {
	var f solveCommand
	return define(&cobra.Command{
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
milliseconds. Every win that it finds has been checked by the rules.

full asks whether either side can be beaten, with half of --nodes for each, and answers
win, loss, draw or unknown. It is for small boards and full ones.

--certificate writes a file that proves the win to anybody who knows the rules: it
has an answer to every defence, and "certificate check" takes nothing else on trust.
With full it proves a draw too, or that one side does not lose. Where nothing was proven
no file is written.

In Onitama the kind is full, which proves wins of either side there, with a line, and
plays them against every reply before it says so; it proves no draws. --bitbase answers
from solved endgames: win, loss or draw, with the plies to the end and a line.`,
		Example: `  carozero solve --rule freestyle --position h8a1i8a2j8a15 --kind vct
  carozero solve --rule freestyle --position h8a1i8a2j8a15 --certificate win.cert
  carozero solve --rule caro --size 5 --position "" --kind full --certificate draw.cert
  carozero solve --game onitama --board position.txt --bitbase five.bitbase`,
	}, f.run, f.position.register, f.endgames.register, f.register)
}

func (f *solveCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	addWord(cmd, &f.kind, "kind", "vcf", "what the win is made of: vcf, vct or pn; full: all moves",
		vcf.VCF.String(), vcf.VCT.String(), kindQuiet, kindFull)
	addNum(cmd, &f.nodes,
		option.Nodes.With(1_000_000,
			fmt.Sprintf("most moves that the solver plays, and as many again for the line of a win by fours or threes; %d "+
				"for pn and full", quietNodes)))
	fs.StringVar(&f.certificate, "certificate", "", "file to write the certificate of the win to")
	addNum(cmd, &f.memory, option.ProofMemory)
	for _, other := range []string{"kind", "nodes", "certificate", "memory"} {
		cmd.MarkFlagsMutuallyExclusive("bitbase", other)
	}
	goesWith(cmd, "--kind pn and full", func() bool {
		return f.kind == kindQuiet || f.kind == kindFull || f.position.opts.Game != games.GameNames()[0]
	}, "memory")
}

func (f *solveCommand) run(cmd *cobra.Command, _ []string) (report.Report, error) {
	v, pos, err := f.position.undecided(cmd)
	if err != nil {
		return nil, err
	}
	if f.endgames.file != "" {
		return f.lookUp(cmd, v, pos)
	}
	if err := f.suit(cmd, v); err != nil {
		return nil, err
	}
	if f.certificate != "" {
		err := disk.Check(f.certificate, "no certificate", games.IsCertificate)
		if err == nil {
			err = disk.Try(f.certificate)
		}
		if err != nil {
			return nil, about("--certificate", err)
		}
	}
	solve := f.solve
	switch f.kind {
	case kindQuiet:
		solve = f.solveQuietly
	case kindFull:
		solve = f.solveFully
	}
	r, certificate, err := solve(cmd, v, pos)
	switch {
	case r == nil:
		return nil, err
	case err == nil && certificate != nil:
		err = f.certify(cmd.Context(), certificate, r)
	case err == nil && f.certificate != "":
		noteOf(cmd)(f.certificate + " was not written: " +
			map[bool]string{false: "no win was found", true: "nothing was proven"}[f.kind == kindFull])
	}
	return r, err
}

// certify checks a certificate, tells what it proves and writes it to its file, if one is named.
func (f *solveCommand) certify(ctx context.Context, data []byte, r *report.Solution) error {
	facts, err := games.CheckCertificate(ctx, data)
	if err != nil {
		return about("--certificate", err)
	}
	if f.kind == kindQuiet || f.kind == kindFull {
		r.Plies, r.Line = facts.Plies, append(r.Line, facts.Line...)
	}
	if f.certificate == "" {
		return nil
	}
	if err := disk.WriteBytes(f.certificate, data); err != nil {
		return about("--certificate", err)
	}
	c := report.NewCertificate(f.certificate, len(data), facts, nil)
	r.Certificate = &c
	return nil
}

// suit makes the flags those of a game, and says which are not: one without kinds of forced
// wins has all moves, and the certificates are gomoku's.
func (f *solveCommand) suit(cmd *cobra.Command, v games.Variant) error {
	_, solved := v.Rules.(games.Solved)
	switch {
	case v.Lines() != nil:
	case !solved:
		return usagef("--game %s: there is no solver", v.Game)
	case cmd.Flags().Changed("kind") && f.kind != kindFull:
		return usagef("--kind %s: of gomoku; %s has %s", f.kind, v.Game, kindFull)
	default:
		f.kind = kindFull
	}
	if f.certificate != "" && v.Lines() == nil {
		return usagef("--certificate: there are none in %s", v.Game)
	}
	if f.kind == kindQuiet || f.kind == kindFull {
		if err := checkMemory(need{fmt.Sprintf("--memory %d", f.memory), int64(f.memory) << 20, 1}); err != nil {
			return err
		}
		if !cmd.Flags().Changed("nodes") {
			f.nodes = quietNodes
		}
	}
	return nil
}

// lookUp answers from solved endgames, which must have the position.
func (f *solveCommand) lookUp(cmd *cobra.Command, v games.Variant, pos game.Position) (_ report.Report, err error) {
	if err := f.endgames.open(cmd, v, pos); err != nil {
		return nil, err
	}
	defer func() { err = f.endgames.close(err) }()
	solved := f.endgames.solved
	if err := solved.Covers(pos); err != nil {
		return nil, usagef("--bitbase: %w", err)
	}
	result, plies := solved.Probe(pos)
	line := games.BestLine(solved, pos)
	if result == game.Drawn {
		line = []game.Move{solved.Best(pos)}
	}
	return &report.Endgame{
		ToMove: pos.ToMove().String(), Result: result, Plies: plies, Line: game.Texts(v.Notation(), line),
	}, nil
}

// solve looks for a win by fours, or by fours and threes, and returns its certificate where one is
// asked for. With an error the report, unless nil, is to be shown nevertheless.
func (f *solveCommand) solve(cmd *cobra.Command, v games.Variant, pos game.Position) (*report.Solution, []byte, error) {
	kind := vcf.VCF
	if f.kind == vcf.VCT.String() {
		kind = vcf.VCT
	}
	start := time.Now()
	prover := v.Prover(vcf.TableBytesFor(f.nodes))
	s := prover.Solve(cmd.Context(), pos, kind, f.nodes)
	if err := cmd.Context().Err(); err != nil && s.Outcome == vcf.Unknown {
		return nil, nil, interrupted(err, "nothing was found within %d nodes; give --nodes to bound the search", s.Nodes)
	}
	r := report.NewSolution(v, kind.String(), s.Outcome.String(), int64(s.Nodes), time.Since(start))
	r.Plies, r.Shortest, r.Line = s.Plies, s.Shortest, game.Texts(v.Notation(), s.Line)
	if f.certificate == "" || s.Outcome != vcf.Win {
		return r, nil, nil
	}
	data, err := prover.WriteCertificate(cmd.Context(), pos, kind, f.nodes, games.MaxCertificateNodes)
	return r, data, interrupted(about("--certificate: nothing was written", err),
		"the win was found, and no certificate was written")
}

// kindFull is the kind of solving that tries all moves of both sides.
const kindFull = "full"

// solveFully finds out who wins, or that nobody does.
func (f *solveCommand) solveFully(
	cmd *cobra.Command, v games.Variant, pos game.Position,
) (*report.Solution, []byte, error) {
	bar := newProgress(f.nodes, "moves")
	defer bar.Close()
	decider, err := v.Decider(games.ProofOptions{
		TableBytes: int64(f.memory) << 20,
		Progress:   func(nodes int64) { bar.at(int(nodes), f.nodes) },
	})
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	var d games.Decision
	for budget := int64(0); d.Outcome == game.Undecided && !d.Ended && budget < int64(f.nodes); {
		budget = min(max(budget, d.Nodes)+fullSlice, int64(f.nodes))
		if d, err = decider.Solve(cmd.Context(), pos, budget); err != nil {
			return nil, nil, interrupted(err, "%d moves were played", d.Nodes)
		}
	}
	r := report.NewSolution(v, kindFull, resultFor(d.Outcome, pos.ToMove()), d.Nodes, time.Since(start))
	r.Plies, r.Line, r.Ended = d.Plies, game.Texts(v.Notation(), d.Line), d.Ended
	data, err := decider.Certify(cmd.Context(), pos, d)
	if err != nil && cmd.Context().Err() == nil && !errors.Is(err, games.ErrTooLarge) {
		return nil, nil, err // what was found does not hold
	}
	return r, data, interrupted(err, "no certificate was written")
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

// quietNodes is the default budget of a search for wins with quiet moves. A search of all
// moves turns to the other side's wins after half of fullSlice.
const (
	quietNodes = 200_000_000
	fullSlice  = 20_000_000
)

// solveQuietly looks for a win with quiet moves.
func (f *solveCommand) solveQuietly(
	cmd *cobra.Command, v games.Variant, pos game.Position,
) (*report.Solution, []byte, error) {
	bar := newProgress(f.nodes, "moves")
	defer bar.Close()
	prover := v.Lines().QuietProver(games.ProofOptions{
		TableBytes: int64(f.memory) << 20,
		Progress:   func(nodes int64) { bar.at(int(nodes), f.nodes) },
	})
	start := time.Now()
	q, err := prover.Solve(cmd.Context(), pos, int64(f.nodes))
	if err == nil {
		err = cmd.Context().Err()
	}
	if err != nil {
		return nil, nil, interrupted(err, "%d moves were played", q.Nodes)
	}
	r := report.NewSolution(v, kindQuiet, q.Outcome.String(), q.Nodes, time.Since(start))
	if q.Outcome != vcf.Win {
		return r, nil, nil
	}
	return r, q.Certificate, nil
}

// newCertificate returns the command "certificate".
func newCertificate() *cobra.Command {
	return group("certificate", "Check certificates of wins and draws, which solve writes",
		newCertificateCheck())
}

func newCertificateCheck() *cobra.Command {
	var show bool
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check certificates of wins by the rules alone",
		Long: `Check certificates of wins: play the winner's moves against every legal defence,
by the rules alone, without any solver. A line for each file says what it proves or
why it is refused; the exit status is 3 if one of them is refused.`,
		Example: "  carozero certificate check win.cert\n  carozero certificate check --show --json *.cert",
		Args:    takes(1, many, "a file of a certificate"),
	}
	cmd.Flags().BoolVar(&show, "show", false, "show the position and the line of the longest defence, too")
	return define(cmd, func(cmd *cobra.Command, args []string) (report.Report, error) {
		var list report.Certificates
		refused := 0
		for _, file := range args {
			data, err := disk.ReadFile(file, games.MaxCertificateBytes)
			if err != nil {
				return nil, about(file, err)
			}
			facts, err := games.CheckCertificate(cmd.Context(), data)
			if errors.Is(err, context.Canceled) {
				return nil, interrupted(err, "%d of %d certificates were looked at", len(list), len(args))
			}
			c := report.NewCertificate(file, len(data), facts, err)
			if !c.Holds {
				refused++
			} else if show {
				c.Board, c.Line = facts.Board, facts.Line
			}
			list = append(list, c)
		}
		return list, found(refused > 0, "certificate check: %d of %d refused", refused, len(list))
	})
}

// bitbaseCommand holds the flags of the command "bitbase".
type bitbaseCommand struct {
	cards, out   string
	men, threads int
}

// newBitbase returns the command "bitbase".
func newBitbase() *cobra.Command {
	var b bitbaseCommand
	return define(&cobra.Command{
		Use:   "bitbase --cards CARDS --out FILE | bitbase FILE",
		Short: "Solve the endgames of Onitama for five cards",
		Long: `Solve all endgames of Onitama with five cards and few men, and write them to a
file: who wins each position of each deal of the cards, in how many plies, or that
neither side can force a win.

Five men take minutes, 253 MB and 0.4 GB of memory; six ten times that. The needs are
told before it begins. The bytes depend on nothing but the cards and the men.

With a FILE it reads all of that, checks its sums, and tells what is in it. Damage gives
status 3.`,
		Example: `  carozero bitbase --cards Crab,Crane,Dragon,Monkey,Tiger --men 5 --out five.bitbase
  carozero bitbase five.bitbase`,
		Args: takes(0, 1, "a file of solved endgames"),
	}, b.run, b.register)
}

func (b *bitbaseCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&b.cards, "cards", "", "five cards in any order, as in Crab,Crane,Dragon,Monkey,Tiger (required)")
	fs.StringVar(&b.out, "out", "", "file of the solved endgames (required)")
	addNum(cmd, &b.men, option.EndgameMen)
	addNum(cmd, &b.threads, option.Workers.Named("threads").With(int64(runtime.NumCPU()),
		"threads that solve; changes no byte"))
	goesWith(cmd, "--cards and --out", func() bool { return fs.NArg() == 0 }, "men", "threads")
}

// run builds a table, or reads all of one, and returns what is in it.
func (b *bitbaseCommand) run(cmd *cobra.Command, args []string) (report.Report, error) {
	start, file := time.Now(), b.out
	if len(args) > 0 {
		if b.cards != "" || b.out != "" {
			return nil, usagef("bitbase: want --cards and --out, or one file to check")
		}
		file = args[0]
	} else if err := b.build(cmd); err != nil {
		return nil, interrupted(err, "the table is not whole; run it again")
	}
	t, err := bitbase.Open(cmd.Context(), file)
	if errors.Is(err, bitbase.ErrDamaged) {
		return nil, found(true, "%v", err)
	}
	if err != nil {
		return nil, interrupted(err, "the table is not whole; run it again")
	}
	defer t.Close()
	r := &report.Bitbase{File: file, Men: t.Men(), Seconds: time.Since(start).Seconds()}
	for _, c := range t.Cards() {
		r.Cards = append(r.Cards, c.String())
	}
	for _, s := range t.Summaries() {
		r.Positions += s.Size()
		r.Classes = append(r.Classes, report.BitbaseClass{
			Own: s.Own, Opponent: s.Opp, Positions: s.Size(), Wins: s.Wins, Draws: s.Draws, Losses: s.Losses, Longest: s.Longest,
		})
	}
	return r, nil
}

// build builds the table.
func (b *bitbaseCommand) build(cmd *cobra.Command) error {
	switch {
	case b.cards == "":
		return usagef("--cards is missing: name five, as in Crab,Crane,Dragon,Monkey,Tiger")
	case b.out == "":
		return usagef("--out is missing: name the file of the solved endgames")
	}
	five, err := bitbase.ParseCards(b.cards)
	if err != nil {
		return usagef("--cards: %w", err)
	}
	needs, err := bitbase.NeedsOf(b.men)
	if err != nil {
		return usagef("--men: %w", err)
	}
	if err := checkMemory(need{fmt.Sprintf("--men %d", b.men), needs.Memory, 1}); err != nil {
		return err
	}
	if err := disk.Check(b.out, "no bitbase", bitbase.Begins); err != nil {
		return about("--out", err)
	}
	held, err := disk.LockFile(b.out)
	if err != nil {
		return about("--out", err)
	}
	defer held.Close()
	noteOf(cmd)(fmt.Sprintf("%d positions: a file of %s, and %s of memory", needs.Positions,
		disk.FormatSize(needs.Positions), disk.FormatSize(needs.Memory)))
	bar := newProgress(1, "positions")
	defer bar.Close()
	return bitbase.Build(cmd.Context(), b.out, five, b.men, bitbase.Options{
		Threads:  b.threads,
		Progress: func(done, total int64) { bar.at(int(done), int(total)) },
	})
}
