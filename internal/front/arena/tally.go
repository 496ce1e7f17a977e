package arena

// Tally counts the results of two players, seen from the first of them, A.
type Tally struct {
	Wins, Draws, Losses int

	// Pairs counts whole pairs by A's points in them: 0, 1/2, 1, 3/2, 2. A pair of games
	// that both equal earlier ones is left out: it says nothing new.
	Pairs [5]int

	open  int  // the score of a pair's first game, while its second is awaited
	stale bool // that game equals an earlier one
}

// Games returns the number of games counted.
func (t *Tally) Games() int { return t.Wins + t.Draws + t.Losses }

// add counts a game that A won (1), drew (0) or lost (-1), and the pair if the
// game is its second; again says that the game equals an earlier one.
func (t *Tally) add(value int, second, again bool) {
	switch value {
	case 1:
		t.Wins++
	case 0:
		t.Draws++
	default:
		t.Losses++
	}
	switch {
	case !second:
		t.open, t.stale = value+1, again
	case !t.stale || !again:
		t.Pairs[t.open+value+1]++
	}
}

// samples returns the counts that the statistics read: the pairs, or the
// losses, draws and wins of single games while there is no whole pair.
func (t *Tally) samples() []int {
	for _, n := range t.Pairs {
		if n > 0 {
			return t.Pairs[:]
		}
	}
	return []int{t.Losses, t.Draws, t.Wins}
}

// Elo returns [EstimateElo] of the pairs, and of the single games while there
// is no whole pair.
func (t *Tally) Elo() (elo, bound float64) { return EstimateElo(t.samples()) }
