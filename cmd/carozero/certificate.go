package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/outfile"
)

// newCertificate returns the command "certificate".
func newCertificate() *cobra.Command {
	return group("certificate", "Check and show certificates of wins and draws, which solve, search and crosscheck write",
		newCertificateCheck(), newCertificateShow(), newCertificateExtract())
}

func newCertificateCheck() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check certificates of wins by the rules alone",
		Long: `Check certificates of wins: play the winner's moves against every legal defence,
by the rules alone, without any solver. A line for each file says what it proves or
why it is refused; the exit status is 3 if one of them is refused.`,
		Example: "  carozero certificate check win.cert\n  carozero certificate check --json *.cert",
		Args:    someArgs("a file of a certificate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var list report.Certificates
			refused := 0
			for _, file := range args {
				c, _, err := checkCertificate(cmd.Context(), file)
				if err != nil {
					return interrupted(err, "%d of %d certificates were looked at", len(list), len(args))
				}
				if !c.Holds {
					refused++
				}
				list = append(list, c)
			}
			return found(output.print(cmd, list), refused > 0, "certificate check: %d of %d refused", refused, len(list))
		},
	}
	output.register(cmd)
	return cmd
}

func newCertificateShow() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Show what a certificate proves: the position and the longest defence",
		Long: `Check a certificate of a win, and show its position and the line of the longest
defence.`,
		Example: "  carozero certificate show win.cert",
		Args:    oneArg("one file of a certificate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, facts, err := checkCertificate(cmd.Context(), args[0])
			switch {
			case err != nil:
				return interrupted(err, "nothing is said of the certificate")
			case !c.Holds:
				return fmt.Errorf("%s: %s", c.File, c.Refused)
			}
			return output.print(cmd, report.ShownCertificate{Certificate: c, Board: facts.Board, Line: facts.Line})
		},
	}
	output.register(cmd)
	return cmd
}

// checkCertificate reads a file and checks its certificate. A certificate that is refused
// is no error, and has no facts.
func checkCertificate(ctx context.Context, file string) (c report.Certificate, facts *games.Certified, err error) {
	data, err := limitio.ReadFile(file, games.MaxCertificateBytes)
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
	err := outfile.Check(file, "no certificate", games.IsCertificate)
	if err == nil {
		err = outfile.Try(file)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// writeWinCertificate looks for the certificate that a side wins an undecided position,
// and writes it to a file.
func writeWinCertificate(ctx context.Context, file string, v games.Variant, pos game.Position, winner game.Side) (*report.Certificate, error) {
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
		err = outfile.WriteBytes(file, data)
	}
	if err != nil {
		return nil, err
	}
	c := report.NewCertificate(file, len(data), facts, nil)
	return &c, nil
}
