package samples

import (
	"math"
	"slices"

	"github.com/carozero/carozero/game"
)

// policy recomputes the policy target if it is the shares of the visits, and checks that a
// search without visits writes none.
func (r *replayer) policy(i int, row *Row) {
	visits := uint64(0)
	for _, n := range row.Counts {
		visits += uint64(n)
	}
	switch {
	case r.target == TargetScores && visits > 0:
		r.add(i, "visit_counts", "%d visits, where the target is of scores: want 0", visits)
	case r.target != TargetScores && visits == 0 && row.Proven == ProvenUnknown:
		r.add(i, "visit_counts", "no visits: only a proven root may have none")
	case r.ofVisits(row) && visits == 0 && len(row.Actions) != 1:
		r.add(i, "visit_counts", "no visits: only a proven root may have none, and has one entry then")
	}
	switch {
	case r.ofVisits(row):
		want := make([]float32, len(row.Counts))
		VisitTarget(want, row.Counts)
		if !slices.Equal(want, row.Target) {
			r.add(i, "policy_target", "differs from the visits' shares")
		}
	case r.target == TargetPruned:
		r.pruned(i, row)
	}
}

// ofVisits reports whether the target of a row is the visits' shares.
func (r *replayer) ofVisits(row *Row) bool {
	return r.target == TargetVisits || row.FullSearch == 0 && (r.target == TargetPruned || r.target == TargetImproved)
}

// wins checks that immediate wins in pos have all of the target, where the target's rule
// demands it.
func (r *replayer) wins(i int, row *Row, pos game.Position) {
	if row.FullSearch == 0 || r.target != TargetPruned && r.target != TargetImproved {
		return
	}
	if r.moves = pos.Wins(r.moves[:0]); len(r.moves) == 0 {
		return
	}
	r.actions = r.actions[:0]
	for _, m := range r.moves {
		r.actions = append(r.actions, r.codec.Encoder.Action(pos, m, 0))
	}
	for k, a := range row.Actions {
		if row.Target[k] > 0 && !slices.Contains(r.actions, int(a)) {
			r.add(i, "policy_target", "action %d has a share, where %s wins at once", a, r.codec.Notation.FormatMove(r.moves[0]))
		}
	}
}

// pruned checks that a target is the shares of integer numbers of visits, at most those of
// each move, and all visits of the move with the most. If moves win, they share equally
// instead.
func (r *replayer) pruned(i int, row *Row) {
	best := 0
	for k, share := range row.Target {
		if share > row.Target[best] {
			best = k
		}
	}
	top := float64(row.Target[best])
	for k, share := range row.Target {
		if share == 0 {
			continue
		}
		if row.Proven == ProvenWin {
			if share != row.Target[best] {
				r.add(i, "policy_target", "%v and %v, want equal shares of what wins", share, row.Target[best])
			}
			continue
		}
		kept := float64(share) / top * float64(row.Counts[best])
		if whole := math.Round(kept); math.Abs(kept-whole) > 1e-3*max(1, whole) || whole > float64(row.Counts[k]) {
			r.add(i, "policy_target", "action %d has %.3f visits left of %d", row.Actions[k], kept, row.Counts[k])
		}
	}
}
