package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/report"
)

// newCertificate returns the command "certificate".
func newCertificate() *cobra.Command {
	return group("certificate", "Check and extract certificates of wins and draws, which solve, search and "+
		"crosscheck write",
		newCertificateCheck(), newCertificateExtract())
}

func newCertificateCheck() *cobra.Command {
	var (
		output outputFlags
		show   bool
	)
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check certificates of wins by the rules alone",
		Long: `Check certificates of wins: play the winner's moves against every legal defence,
by the rules alone, without any solver. A line for each file says what it proves or
why it is refused; the exit status is 3 if one of them is refused.`,
		Example: "  carozero certificate check win.cert\n  carozero certificate check --show --json *.cert",
		Args:    someArgs("a file of a certificate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var list report.Certificates
			refused := 0
			for _, file := range args {
				c, facts, err := checkCertificate(cmd.Context(), file)
				if err != nil {
					return interrupted(err, "%d of %d certificates were looked at", len(list), len(args))
				}
				if !c.Holds {
					refused++
				} else if show {
					c.Board, c.Line = facts.Board, facts.Line
				}
				list = append(list, c)
			}
			return found(output.print(cmd, list), refused > 0, "certificate check: %d of %d refused", refused, len(list))
		},
	}
	cmd.Flags().BoolVar(&show, "show", false, "show the position and the line of the longest defence, too")
	output.register(cmd)
	return cmd
}

// checkCertificate reads a file and checks its certificate. A certificate that is refused
// is no error, and has no facts.
func checkCertificate(ctx context.Context, file string) (c report.Certificate, facts *games.Certified, err error) {
	data, err := disk.ReadFile(file, games.MaxCertificateBytes)
	if err != nil {
		return c, nil, fmt.Errorf("%s: %w", file, err)
	}
	facts, err = games.CheckCertificate(ctx, data)
	if errors.Is(err, context.Canceled) {
		return c, nil, err
	}
	return report.NewCertificate(file, len(data), facts, err), facts, nil
}

// checkCertificateFile refuses a file, named by a flag, that is no certificate, or that
// cannot be written.
func checkCertificateFile(flag, file string) error {
	err := disk.Check(file, "no certificate", games.IsCertificate)
	if err == nil {
		err = disk.Try(file)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// writeWinCertificate looks for the certificate that a side wins an undecided position,
// and writes it to a file.
func writeWinCertificate(ctx context.Context, file string, v games.Variant, pos game.Position,
	winner game.Side) (*report.Certificate, error) {
	data, err := v.WinCertificate(ctx, pos, winner, games.CertifyNodes)
	if err != nil {
		return nil, err
	}
	return writeCertificate(ctx, file, data)
}

// writeCertificate checks a certificate and writes it to a file.
func writeCertificate(ctx context.Context, file string, data []byte) (*report.Certificate, error) {
	facts, err := games.CheckCertificate(ctx, data)
	if err == nil {
		err = disk.WriteBytes(file, data)
	}
	if err != nil {
		return nil, err
	}
	c := report.NewCertificate(file, len(data), facts, nil)
	return &c, nil
}

// newCertificateExtract returns the command "certificate extract".
func newCertificateExtract() *cobra.Command {
	var (
		output outputFlags
		out    string
	)
	cmd := &cobra.Command{
		Use:   "extract ROWS",
		Short: "Write the certificates in the rows of a cross-check as files",
		Long: `Check the certificates of blunders in a rows file of crosscheck, and write each into a
folder: row-N.cert, and row-N-alphabeta.cert where both engines blunder in row N. If one
of them does not hold, nothing is written.`,
		Example: "  carozero certificate extract rows.jsonl --out certificates",
		Args:    oneArg("the rows file of a cross-check"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("--out: name the folder for the certificates")
			}
			list, files, err := readRowCertificates(cmd.Context(), args[0], out)
			if err != nil {
				return interrupted(err, "nothing was written")
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return fmt.Errorf("--out: %w", disk.Cause(err))
			}
			for _, c := range list {
				if err := checkCertificateFile("--out", c.File); err != nil {
					return err
				}
			}
			for i, c := range list {
				if _, err := writeCertificate(cmd.Context(), c.File, files[i]); err != nil {
					return err
				}
			}
			return output.print(cmd, list)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder of the certificates")
	output.register(cmd)
	return cmd
}

// rowProof is a proof of a row, and how the name of its file ends.
type rowProof struct {
	suffix string
	proof  *crosscheck.ProofView
}

// readRowCertificates reads and checks the certificates in a rows file; their names are
// those in the folder out.
func readRowCertificates(ctx context.Context, path, out string) (list report.Certificates, files [][]byte, err error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	defer file.Close()
	list = report.Certificates{} // null is no list
	lines := disk.NewLines(file, crosscheck.MaxRow, math.MaxInt)
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		row, err := crosscheck.ParseRow([]byte(line))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: line %d: %w", path, lines.Number(), err)
		}
		for _, p := range []rowProof{{"", row.Proof}, {"-alphabeta", row.AlphaBetaProof}} {
			if p.proof == nil || p.proof.Certificate == nil {
				continue
			}
			data := p.proof.Certificate
			facts, err := row.Certified(ctx, p.proof)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: line %d: %w", path, lines.Number(), err)
			}
			name := filepath.Join(out, fmt.Sprintf("row-%d%s.cert", row.Index, p.suffix))
			list, files = append(list, report.NewCertificate(name, len(data), facts, nil)), append(files, data)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, files, nil
}
