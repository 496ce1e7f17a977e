package pn

// numbers are the proof number pn and the disproof number dn of a position: an estimate
// of how many positions must be proven to prove it, and how many must be disproven to
// disprove it. One of them is 0 once the position is decided, and the other infinite.
type numbers struct{ pn, dn uint32 }

const infinite = 1 << 30

var (
	proven    = numbers{0, infinite}
	disproven = numbers{infinite, 0}
	unbounded = numbers{infinite, infinite} // thresholds that are never reached
)

// decided reports whether the position is proven or disproven.
func (n numbers) decided() bool { return n.pn == 0 || n.dn == 0 }

// reached reports whether a search to the thresholds th is over.
func (n numbers) reached(th numbers) bool { return n.pn >= th.pn || n.dn >= th.dn }

// turned exchanges the two numbers: what is proven for one side is disproven for the
// other.
func (n numbers) turned() numbers { return numbers{n.dn, n.pn} }

// choice is the sum of the moves of a position, for the side to move: pn is what it
// takes to prove that this side reaches its aim. best is the move to search next, and
// next the second-least proof number.
type choice struct {
	numbers
	best int
	next uint32
}

// choose sums up what each move is worth to the side to move. The disproof numbers of
// transposing moves would count the same work again and again, so the greatest stands for
// their sum, with one for each of the others (weak proof numbers: Ueda, Hashimoto,
// Hashimoto and Iida, "Weak Proof-Number Search", CG 2008).
func choose(moves []numbers) choice {
	c := choice{numbers: disproven, next: infinite}
	var most, open uint32
	for i, n := range moves {
		switch {
		case n.pn < c.pn:
			c.best, c.next, c.pn = i, c.pn, n.pn
		case n.pn < c.next:
			c.next = n.pn
		}
		if n.dn > 0 {
			most, open = max(most, n.dn), open+1
		}
	}
	if open > 0 {
		c.dn = min(infinite, most+open-1)
	}
	return c
}

// slack is by how much a move may become worse than the next best one before the search
// turns to that: by this share of it, and one (the 1+epsilon trick: Pawlewicz and Lew,
// "Improving Depth-First PN-Search: 1+epsilon Trick", CG 2006).
const slack = 4

// thresholds returns the thresholds of the best move, for the side that chose it, where
// those of the position are th.
func (c choice) thresholds(th numbers, best numbers) numbers {
	return numbers{
		pn: min(th.pn, infinite, c.next+c.next/slack+1),
		dn: min(infinite, th.dn-c.dn+best.dn),
	}
}
