package games

import (
	"context"

	"github.com/carozero/carozero/alphabeta/pn"
	"github.com/carozero/carozero/game"
)

// gomokuDecide implements [Variant.Decide].
func gomokuDecide(ctx context.Context, pos game.Position, o DecideOptions) (Decision, error) {
	d, err := pn.Decide(ctx, patterns(pos), pn.Options{
		TableBytes: o.TableBytes, Certificate: MaxCertificateNodes,
		Progress: func(at pn.Progress) {
			if o.Progress != nil {
				o.Progress(at.Nodes)
			}
		},
	}, o.Nodes)
	r := Decision{Outcome: d.Outcome, Nodes: d.Nodes}
	if d.Certificate != nil {
		r.Certificate = d.Certificate.Encode()
		_, err = CheckCertificate(ctx, r.Certificate)
	}
	if err != nil {
		return Decision{Nodes: d.Nodes}, err
	}
	return r, nil
}
