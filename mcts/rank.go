package mcts

import (
	"cmp"
	"slices"
)

// comparison returns the comparison that orders the given children.
func comparison(children []Child) func(a, b Child) int {
	if slices.ContainsFunc(children, isDraw) {
		return compareAboveDraw
	}
	return compareChildren
}

// compareChildren is negative if a is better than b, as Result orders them
// without a proven draw.
func compareChildren(a, b Child) int { return compareRanked(a, b, rank(a.Proven), rank(b.Proven)) }

// compareAboveDraw is compareChildren where some child is a proven draw, which is
// better than open moves of negative value.
func compareAboveDraw(a, b Child) int {
	return compareRanked(a, b, rankAboveDraw(a), rankAboveDraw(b))
}

// compareRanked compares by rank, by the length of proofs (losses of equal length by
// resistance), by visits, and by prior.
func compareRanked(a, b Child, rankA, rankB int) int {
	plies := 0
	switch a.Proven {
	case Win:
		plies = cmp.Compare(a.Plies, b.Plies)
	case Loss:
		plies = cmp.Or(cmp.Compare(b.Plies, a.Plies), cmp.Compare(b.Resistance, a.Resistance))
	}
	return cmp.Or(cmp.Compare(rankA, rankB),
		plies,
		cmp.Compare(b.Visits, a.Visits),
		cmp.Compare(b.Prior, a.Prior),
		cmp.Compare(a.Move, b.Move))
}

// rank orders proofs: wins, open or drawn moves, losses.
func rank(p Proof) int {
	switch p {
	case Win:
		return 0
	case Loss:
		return 3
	}
	return 1
}

// rankAboveDraw is rank with open moves of negative value behind the draws.
func rankAboveDraw(c Child) int {
	if c.Proven == Unknown && c.Q < 0 {
		return 2
	}
	return rank(c.Proven)
}

// isDraw reports whether c is a proven draw.
func isDraw(c Child) bool { return c.Proven == Draw }
