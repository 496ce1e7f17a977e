package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/bookbuild"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record/book"
	"github.com/carozero/carozero/internal/support/option"
)

// provedTable bounds the table of the search for one win.
const provedTable = 256 << 20

// bookProveFlags say which positions are to be proven.
type bookProveFlags struct {
	positionFlags
	authorFlag
	opts  bookbuild.ProveOptions
	nodes int
	fours int
}

// newBookProve returns the command "book prove".
func newBookProve() *cobra.Command {
	var (
		flags  bookProveFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "prove FILE",
		Short: "Look for wins with quiet moves in positions of a book, and keep their certificates",
		Long: `Look for wins of the side to move in the positions to which moves near the best lead,
the most promising first, with proof-number search. Positions that are won by fours
within a few moves are noted and not counted. Every win is checked by the rules and kept
with its certificate.

--proofs counts the wins of earlier runs: a run that was interrupted or killed goes on
with the same command. The next "book build" carries the wins back to the positions
before.`,
		Example: "  carozero book prove caro.book --proofs 1000",
		Args:    oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := book.Open(args[0], book.ReadWrite)
			if err != nil {
				return err
			}
			sum, err := flags.run(cmd, b)
			if err != nil {
				_ = b.Close()
				return interrupted(err, "%d positions are proven, and in the book; go on with: %s", sum.Proven, again(cmd, args, nil))
			}
			return printBook(cmd, &output, b, func(r *report.Book) {
				r.Proved = &report.BookProved{Reached: sum.Reached, Tried: sum.Tried, Fours: sum.Fours, Proven: sum.Proven, Follows: sum.Follows, Done: sum.Done}
			})
		},
	}
	flags.positionFlags.register(cmd)
	flags.authorFlag.register(cmd)
	o := &flags.opts
	addInt(cmd, &o.Proofs, option.Count.Named("proofs").With(1000, "positions that are to be proven, in all"))
	addInt(cmd, &flags.nodes, option.Nodes.With(5_000_000, "most moves that the search for one win plays"))
	addInt(cmd, &flags.fours, option.Nodes.Named("fours").With(1000, "moves within which a win by fours leaves a position out"))
	addInt(cmd, &o.Follow, option.Int{Key: "follow", Help: "moves of the winner that are played on after each win: the positions that answers lead to, unless they are won by fours, are proven too", Default: 1, Min: 0, Max: 100})
	addFloat(cmd, &o.Near, option.Float{Key: "near", Help: "how much worse than the best each move on the way may be, of values from -1 to 1", Default: 0.1, Min: 0.001, Max: 2})
	addFloat(cmd, &o.Least, option.Float{Key: "least", Help: "value for the side to move from which a win is looked for", Default: 0.3, Min: -1, Max: 1})
	output.register(cmd)
	return cmd
}

// run proves positions of an open book.
func (f *bookProveFlags) run(cmd *cobra.Command, b *book.Book) (sum bookbuild.Proved, err error) {
	if f.opts.Root, err = settledBoard(cmd, b, &f.positionFlags); err != nil {
		return sum, err
	}
	if f.opts.Stamp, err = f.stamp(); err != nil {
		return sum, err
	}
	v, err := f.variant()
	if err != nil {
		return sum, err
	}
	f.opts.Build, f.opts.Nodes = version, int64(f.nodes)
	bar := newProgress(f.opts.Proofs, "positions proven")
	defer bar.Close()
	return bookbuild.Prove(cmd.Context(), b, f.opts, bookbuild.Provers{
		Fours: func(ctx context.Context, pos *gomoku.Board) (int, bool) {
			w, ok := v.Certify(ctx, pos, f.fours)
			return w.Plies, ok
		},
		Quiet: func(ctx context.Context, pos *gomoku.Board, nodes int64) (bookbuild.Win, error) {
			return proveQuietly(ctx, v, pos, nodes)
		},
		Answers:  answersTo,
		Progress: func(s bookbuild.Proved) { bar.at(s.Proven, f.opts.Proofs) },
	})
}

// answersTo plays a win on by its certificate.
func answersTo(ctx context.Context, data []byte) (after *gomoku.Board, answers []bookbuild.Answer, err error) {
	c, err := certificate.Decode(data)
	if err != nil {
		return nil, nil, err
	}
	strategy, err := c.Strategy(ctx)
	if err != nil {
		return nil, nil, err
	}
	b, err := c.Board()
	if err != nil {
		return nil, nil, err
	}
	m, ok := strategy(b)
	if !ok {
		return nil, nil, errors.New("the certificate begins with a win at once")
	}
	b.Play(m)
	after = b.Copy()
	for _, reply := range after.Moves(nil) {
		b.Play(reply)
		if b.Outcome() == game.Undecided && len(b.Wins(nil)) == 0 {
			part, err := certificate.New(ctx, b, c.Winner, len(c.Moves), strategy)
			if err != nil {
				return nil, nil, err
			}
			answers = append(answers, bookbuild.Answer{Position: b.Copy(), Win: bookbuild.Win{Certificate: part.Encode(), Plies: part.Plies}})
		}
		b.Undo()
	}
	return after, answers, nil
}

// proveQuietly looks for a win with quiet moves, and checks what it finds.
func proveQuietly(ctx context.Context, v games.Variant, pos *gomoku.Board, nodes int64) (w bookbuild.Win, err error) {
	prover := v.QuietProver(games.QuietOptions{TableBytes: provedTable})
	q, err := prover.Solve(ctx, pos, nodes)
	if err != nil || q.Outcome != vcf.Win {
		return bookbuild.Win{Nodes: q.Nodes}, err
	}
	if _, err := book.CheckCertificate(ctx, pos, q.Certificate); err != nil {
		return w, fmt.Errorf("a win that was found does not hold: %w", err)
	}
	facts, err := games.CheckCertificate(ctx, q.Certificate)
	return bookbuild.Win{Certificate: q.Certificate, Plies: facts.Plies, Nodes: q.Nodes}, err
}
