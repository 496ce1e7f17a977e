package engine

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
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

// Solution is the answer of Solve.
type Solution struct {
	Result string // "win", "none" (exhausted) or "unknown" (budget spent, or cancelled)
	Line   []game.Move
	Plies  int
	Nodes  int
	// Shortest says that no win of the kind takes fewer plies.
	Shortest bool
}

// Solve looks for a forced win of the side to move in an undecided position,
// playing at most nodes moves. It must not be asked of a game without HasSolver.
func (v Variant) Solve(ctx context.Context, pos game.Position, kind vcf.Kind, nodes int) (Solution, error) {
	return v.game.solve(ctx, pos, kind, nodes)
}

// solveGomoku looks for a forced win of the side to move in an undecided position
// of gomoku, playing at most nodes moves.
func solveGomoku(ctx context.Context, pos game.Position, kind vcf.Kind, nodes int) (Solution, error) {
	board, ok := pos.(*gomoku.Board)
	if !ok {
		return Solution{}, fmt.Errorf("forced wins are found in gomoku only")
	}
	solver := vcf.New(vcf.Options{TableBytes: vcf.TableBytesFor(nodes)})
	r := solver.Solve(ctx, pattern.FromBoard(board), kind, nodes)
	return Solution{
		Result:   r.Outcome.String(),
		Line:     append([]game.Move(nil), r.Line...),
		Plies:    r.Plies,
		Nodes:    r.Nodes,
		Shortest: r.Shortest,
	}, nil
}
