package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/report"
)

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
		Args:    someArgs("a file of a certificate"),
	}
	cmd.Flags().BoolVar(&show, "show", false, "show the position and the line of the longest defence, too")
	return define(cmd, func(cmd *cobra.Command, args []string) (report.Report, error) {
		var list report.Certificates
		refused := 0
		for _, file := range args {
			c, facts, err := checkCertificate(cmd.Context(), file)
			if err != nil {
				return nil, interrupted(err, "%d of %d certificates were looked at", len(list), len(args))
			}
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
