package games

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/alphabeta/pn"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/certificate"
)

// gomokuDecider implements [KeptDecider] with proof-number search.
type gomokuDecider struct{ decider *pn.Decider }

func newGomokuDecider(o DecideOptions) Decider {
	return &gomokuDecider{pn.NewDecider(pn.Options{
		TableBytes: o.TableBytes, Certificate: MaxCertificateNodes,
		Progress: func(at pn.Progress) {
			if o.Progress != nil {
				o.Progress(at.Nodes)
			}
		},
	})}
}

// Solve implements [Decider].
func (d *gomokuDecider) Solve(ctx context.Context, pos game.Position, nodes int64) (Decision, error) {
	r, err := d.decider.Solve(ctx, patterns(pos), nodes)
	return Decision{Outcome: r.Outcome, Holds: r.Holds, Nodes: r.Nodes}, err
}

// Certify implements [Decider].
func (d *gomokuDecider) Certify(ctx context.Context, pos game.Position, r Decision) ([]byte, error) {
	of := pn.Decision{Outcome: r.Outcome, Holds: r.Holds, Nodes: r.Nodes}
	if !of.Found() || pos.Outcome() != game.Undecided {
		return nil, nil
	}
	c, err := d.decider.Certify(ctx, patterns(pos), of)
	if errors.Is(err, certificate.ErrNodes) {
		err = fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	if err != nil {
		return nil, err
	}
	return c.Encode(), nil
}

// Save implements [KeptDecider].
func (d *gomokuDecider) Save(w io.Writer) error { return d.decider.Save(w) }

// Load implements [KeptDecider].
func (d *gomokuDecider) Load(data []byte, pos game.Position) error {
	return d.decider.Load(data, patterns(pos))
}
