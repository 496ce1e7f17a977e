package games

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
)

// ErrUncertified: no certificate was found within the budget. The win that was asked for
// may still be one.
var ErrUncertified = errors.New("no certificate was found")

// CertifyNodes is a budget of WinCertificate: a few seconds.
const CertifyNodes = 2_000_000

// HasCertificates reports whether wins of the game can be certified.
func (v Variant) HasCertificates() bool { return v.game.WinCertificate != nil }

// WinCertificate looks for a proof that a side wins an undecided position, whoever is to
// move, and returns its certificate, which has been checked. It plays about so many moves
// at most. pos is the same afterwards. The error wraps ErrUncertified, or is that of ctx.
func (v Variant) WinCertificate(ctx context.Context, pos game.Position, winner game.Side, nodes int) ([]byte, error) {
	if !v.HasCertificates() {
		return nil, fmt.Errorf("%w: there are none in %s", ErrUncertified, v.Game)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return v.game.WinCertificate(ctx, pos, winner, nodes)
}
