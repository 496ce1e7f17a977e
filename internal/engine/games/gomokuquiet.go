package games

import (
	"cmp"
	"context"
	"io"

	"github.com/carozero/carozero/alphabeta/pn"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
)

// quietTable is the memory of a prover's tables unless something else is asked for.
const quietTable = 256 << 20

// gomokuQuietProver implements [QuietProver] with proof-number search.
type gomokuQuietProver struct{ solver *pn.Solver }

func newGomokuQuietProver(o QuietOptions) QuietProver {
	p := &gomokuQuietProver{}
	p.solver = newAdvisedSolver(cmp.Or(o.TableBytes, quietTable), pn.Options{
		Certificate: MaxCertificateNodes, Round: o.Round,
		Progress: func(at pn.Progress) {
			if o.Progress != nil {
				o.Progress(at.Nodes)
			}
		},
	})
	return p
}

// Solve implements [QuietProver].
func (p *gomokuQuietProver) Solve(ctx context.Context, pos game.Position, nodes int64) (QuietResult, error) {
	r, err := p.solver.Solve(ctx, patterns(pos), nodes)
	q := QuietResult{Outcome: r.Outcome, Nodes: r.Nodes}
	if r.Outcome == vcf.Win {
		q.Certificate = r.Certificate.Encode()
	}
	return q, err
}

// Save implements [QuietProver].
func (p *gomokuQuietProver) Save(w io.Writer) error { return p.solver.Save(w) }

// Load implements [QuietProver].
func (p *gomokuQuietProver) Load(data []byte, pos game.Position) error {
	return p.solver.Load(data, patterns(pos))
}
