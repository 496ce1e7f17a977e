package games

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
)

// Kinds returns the kinds of forced wins that Solve looks for.
func Kinds() []string { return []string{vcf.VCF.String(), vcf.VCT.String()} }

// Kind returns the kind of that name.
func Kind(name string) (vcf.Kind, error) {
	for _, k := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		if k.String() == name {
			return k, nil
		}
	}
	return vcf.VCF, fmt.Errorf("unknown kind %q: want %v", name, Kinds())
}

// Solve looks for a forced win of the side to move in an undecided position,
// playing at most nodes moves. It must not be asked of a game without HasProver.
func (v Variant) Solve(ctx context.Context, pos game.Position, kind vcf.Kind, nodes int) vcf.Result {
	return v.Prover(vcf.TableBytesFor(nodes)).Solve(ctx, pos, kind, nodes)
}
