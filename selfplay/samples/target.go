package samples

// The header's search map names the rule that made the policy target.
const (
	TargetKey    = "policy_target"
	TargetVisits = "visits" // VisitTarget
	TargetScores = "scores" // a softmax over the scores of a search that counts no visits

	// TargetPruned and TargetImproved are those of full searches; rows of cheap ones
	// have VisitTarget.
	TargetPruned   = "pruned"   // shares of the visits without the forced ones
	TargetImproved = "improved" // of completed values, over all moves
)

// VisitTarget writes the share of each count in their sum to target.
// With no visits at all the single entry is the proven move and gets 1.
func VisitTarget(target []float32, counts []uint32) {
	var sum uint64
	for _, n := range counts {
		sum += uint64(n)
	}
	for i, n := range counts {
		if sum == 0 {
			target[i] = 1
		} else {
			target[i] = float32(float64(n) / float64(sum))
		}
	}
}
