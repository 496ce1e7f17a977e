package games

import (
	"context"

	onitamasearch "github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

// onitamaDecider implements [Decider]: each side's wins are looked for in turn, with budgets
// that double, so that a side that wins quickly does so whoever it is. It denies no wins, and
// so it finds no draws.
type onitamaDecider struct {
	sides    [2]*onitamasearch.Solver // of the side to move, and of the other
	progress func(int64)
}

// firstSlice is how many moves each side gets at first.
const firstSlice = 100_000

func newOnitamaDecider(o DecideOptions) Decider {
	d := &onitamaDecider{progress: o.Progress}
	if o.TableBytes == 0 {
		o.TableBytes = 256 << 20
	}
	for i := range d.sides {
		d.sides[i] = onitamasearch.NewSolver(o.TableBytes / 2)
	}
	return d
}

// Solve implements [Decider].
func (d *onitamaDecider) Solve(ctx context.Context, pos game.Position, nodes int64) (r Decision, err error) {
	b, ok := pos.(*onitama.Board)
	if !ok || b.Outcome() != game.Undecided {
		return Decision{Outcome: pos.Outcome()}, ctx.Err()
	}
	for most := int64(firstSlice); err == nil; most *= 2 {
		r.Nodes, r.Ended = 0, true
		for i, side := range []game.Side{b.ToMove(), b.ToMove().Other()} {
			var w onitamasearch.Win
			w, err = d.sides[i].Solve(ctx, b, side, int(min(most, nodes/2)))
			played := int64(d.sides[i].Moves())
			r.Nodes += played
			r.Ended = r.Ended && w.Ended
			if d.progress != nil {
				d.progress(played)
			}
			if w.Found {
				r.Outcome, r.Plies, r.Line, r.Ended = game.WinFor(side), w.Plies, w.Line, false
				return r, nil
			}
		}
		if r.Ended || most >= nodes/2 {
			break
		}
	}
	return r, err
}

// Certify implements [Decider]: there are no certificates.
func (d *onitamaDecider) Certify(context.Context, game.Position, Decision) ([]byte, error) {
	return nil, nil
}
