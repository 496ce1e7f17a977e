package tactics

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Finder looks for problems in games. The zero value of its limits finds
// nothing; it belongs to one goroutine.
type Finder struct {
	Nodes    int // the solver's budget for a position
	MinPlies int // the shortest win that is worth keeping
	Wins     int // wins to keep per rule set, size and kind
	Nones    int // positions without a win to keep per rule set, size and kind

	solver *vcf.Solver
	kept   map[group]int
	seen   map[[2]uint64]bool
	found  []Problem
}

// group is what Wins and Nones are counted by.
type group struct {
	rule    string
	size    int
	kind    vcf.Kind
	outcome vcf.Outcome
}

// Found returns the problems found so far.
func (f *Finder) Found() []Problem { return f.found }

// Game looks at every position of a game, of which it keeps at most one of
// each kind and outcome. Wins are kept only if they hold against every legal defence.
func (f *Finder) Game(ctx context.Context, rules gomoku.Rules, size int, moves []game.Move) error {
	if f.solver == nil {
		f.solver, f.kept, f.seen = vcf.New(vcf.Options{}), map[group]int{}, map[[2]uint64]bool{}
	}
	b, err := gomoku.New(rules, size)
	if err != nil {
		return err
	}
	done := map[group]bool{}
	for i := 0; i < len(moves) && b.Outcome() == game.Undecided; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p, ok := f.position(ctx, b); ok && ctx.Err() == nil {
			g := group{rules.Name, size, p.Kind, p.Outcome}
			if !done[g] && f.kept[g] < f.limit(p.Outcome) {
				p.Position = gomoku.Notation{Size: size}.FormatMoves(moves[:i])
				f.kept[g]++
				f.found = append(f.found, p)
				done[g] = true
			}
		}
		b.Play(moves[i])
	}
	return ctx.Err()
}

func (f *Finder) limit(o vcf.Outcome) int {
	if o == vcf.Win {
		return f.Wins
	}
	return f.Nones
}

// leastNodes is how much a search without a win must have played for its
// position to be a problem.
const leastNodes = 20

// position returns the problem that a position is: a win by fours, else one by
// threats, else the proven lack of the latter, else of the former. Positions
// in which there is next to nothing to try are no problems.
func (f *Finder) position(ctx context.Context, b *gomoku.Board) (best Problem, ok bool) {
	if b.Ply() < 6 || f.seen[b.Key()] || len(b.Wins(nil)) > 0 {
		return best, false
	}
	f.seen[b.Key()] = true
	board := pattern.FromBoard(b)
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		r := f.solver.Solve(ctx, board, kind, f.Nodes)
		p := Problem{Rule: b.Rules().Name, Size: b.Size(), Kind: kind, Outcome: r.Outcome, Plies: r.Plies}
		switch {
		case r.Outcome == vcf.Win:
			p.Line = gomoku.Notation{Size: b.Size()}.FormatMoves(r.Line)
			if r.Plies < f.MinPlies || p.checkLineOf(b) != nil {
				return p, false
			}
			_, err := proof.Confirm(ctx, f.solver, b, kind, r.Plies, proof.Limits{Nodes: f.Nodes})
			return p, err == nil
		case r.Outcome == vcf.None && r.Nodes >= leastNodes:
			best, ok = p, true
		}
	}
	return best, ok
}
