package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/front/crosscheck"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/limitio"
)

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
folder: row-N.cert, row-N-alphabeta.cert where both engines blunder in row N, and with a
third player row-N-third.cert of its move alone and row-N-others.cert of that in which the
two agree. If one of them does not hold, nothing is written.`,
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
				return fmt.Errorf("--out: %w", limitio.Cause(err))
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
	file, err := limitio.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	defer file.Close()
	list = report.Certificates{} // null is no list
	lines := limitio.NewLines(file, crosscheck.MaxRow, math.MaxInt)
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		row, err := crosscheck.ParseRow([]byte(line))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: line %d: %w", path, lines.Number(), err)
		}
		proofs := []rowProof{{"", row.Proof}, {"-alphabeta", row.AlphaBetaProof}}
		if t := row.Third; t != nil {
			proofs = append(proofs, rowProof{"-third", t.Proof}, rowProof{"-others", t.OthersProof})
		}
		for _, p := range proofs {
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
