package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/internal/support/outfile"
	"github.com/carozero/carozero/mcts"
)

// newSolve returns the command "solve".
func newSolve() *cobra.Command {
	var (
		position positionFlags
		output   outputFlags
		kindName string
		nodes    int
		file     string
		endgames endgamesFlag
	)
	cmd := &cobra.Command{
		Use:   "solve",
		Short: "Find a forced win by fours, or by fours and threes; look up an endgame of Onitama",
		Long: `Find a forced win of the side to move: by continuous fours (vcf), or by
continuous fours and threes (vct). The result is win with its line, none if
there is none of that kind, or unknown if the budget was spent. The win is the
shortest of its kind unless the answer says otherwise, as it may for long ones.

A three here is a move that threatens an open or a double four with the next one
(under school42 also a capture). None says nothing of wins with a quieter move in
them, such as one that threatens a longer row of fours.

--certificate writes a file that proves the win to anybody who knows the rules: it
has an answer to every defence, and "certificate check" takes nothing else on trust.
Without a win no file is written.

In Onitama --bitbase answers from solved endgames: win, loss or draw, with the plies
to the end and a line.`,
		Example: `  carozero solve --rule freestyle --position h8a1i8a2j8a15 --kind vct
  carozero solve --board position.txt --kind vcf --json
  carozero solve --rule freestyle --position h8a1i8a2j8a15 --certificate win.cert
  carozero solve --game onitama --board position.txt --bitbase five.bitbase`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kind, err := games.Kind(kindName)
			if err != nil {
				return usagef("--kind: %w", err)
			}
			v, pos, err := position.open(cmd)
			if err != nil {
				return err
			}
			if endgames.file != "" {
				r, err := lookUp(cmd, &endgames, v, pos)
				if err = endgames.close(err); err != nil {
					return err
				}
				return output.print(cmd, r)
			}
			if !v.Of().HasProver() {
				return usagef("--game %s: there is no solver of forced wins", v.Game)
			}
			if file != "" {
				if err := outfile.Check(file, "no certificate", games.IsCertificate); err != nil {
					return fmt.Errorf("--certificate: %w", err)
				}
			}
			start := time.Now()
			prover := v.Prover(vcf.TableBytesFor(nodes))
			s := prover.Solve(cmd.Context(), pos, kind, nodes)
			if err := cmd.Context().Err(); err != nil && s.Outcome == vcf.Unknown {
				return interrupted(err, "nothing was found within %d nodes; give --nodes to bound the search", s.Nodes)
			}
			r := report.NewSolution(v, kind, &s, time.Since(start))
			if file != "" && s.Outcome == vcf.Win {
				c, err := writeCertificate(cmd.Context(), prover, pos, kind, nodes, file)
				if err != nil {
					return output.printAfter(cmd, interrupted(err, "the win was found, and no certificate was written"), r)
				}
				r.Certificate = &c
			} else if file != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "carozero: %s was not written: no win was found\n", oneLine(file))
			}
			return output.print(cmd, r)
		},
	}
	position.register(cmd)
	output.register(cmd)
	cmd.Flags().StringVar(&kindName, "kind", "vcf", "what the win is made of: "+strings.Join(games.Kinds(), " or "))
	addInt(cmd, &nodes, option.Nodes.With(1_000_000, "most moves that the solver plays"))
	cmd.Flags().StringVar(&file, "certificate", "", "file to write the certificate of the win to")
	complete(cmd, "kind", games.Kinds()...)
	endgames.register(cmd)
	for _, other := range []string{"kind", "nodes", "certificate"} {
		cmd.MarkFlagsMutuallyExclusive("bitbase", other)
	}
	return cmd
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
	if result == mcts.Draw {
		line = []game.Move{solved.Best(pos)}
	}
	return report.NewEndgame(v, pos, result, plies, line), nil
}

// writeCertificate writes the certificate of the win that the prover has found last, and
// checks it.
func writeCertificate(ctx context.Context, p games.Prover, pos game.Position, kind vcf.Kind, nodes int, file string) (report.Certificate, error) {
	data, err := p.WriteCertificate(ctx, pos, kind, nodes, games.MaxCertificateNodes)
	if err != nil {
		return report.Certificate{}, fmt.Errorf("--certificate: nothing was written: %w", err)
	}
	facts, err := games.CheckCertificate(ctx, data)
	if err == nil {
		err = outfile.WriteBytes(file, data)
	}
	if err != nil {
		return report.Certificate{}, fmt.Errorf("--certificate: %w", err)
	}
	return report.NewCertificate(file, len(data), facts, nil), nil
}
