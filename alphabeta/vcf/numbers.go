package vcf

import "github.com/carozero/carozero/game"

// numbers are the proof number pn and the disproof number dn of a position: an
// estimate of how many positions must be won to prove it, and how many must be
// refuted to disprove it. One of them is 0 once the position is decided, and
// the other one infinite.
type numbers struct{ pn, dn uint32 }

const infinite = 1 << 30

var (
	proven    = numbers{0, infinite}
	disproven = numbers{infinite, 0}
	unbounded = numbers{infinite, infinite} // thresholds that are never reached
)

// edge is a move of a position that is being searched, and what is known of the
// position after it.
type edge struct {
	key  [2]uint64 // of the position after the move, in the table
	move game.Move
	wins uint8 // attacking moves of the proven win: those from there on
	numbers
}

// choice is the sum of the edges of a position, and the one to search next.
type choice struct {
	numbers
	best int    // the most promising edge that is not decided
	next uint32 // pn, or dn for the defender, of the one after it
}

// attacking sums up the edges from index from on, with the attacker to move:
// one win proves the position, and all moves must be refuted. The moves
// transpose into one another so often that the sum of their disproof numbers
// counts most positions many times; the greatest stands for it, and each
// further move for one more (weak proof-number search: Ueda, Hashimoto,
// Hashimoto, Iida 2008).
func (s *Solver) attacking(from int) (c choice) {
	c = choice{numbers: disproven, best: from, next: infinite}
	var most, open uint32
	for i := from; i < len(s.edges); i++ {
		e := &s.edges[i]
		switch {
		case e.pn < c.pn:
			c.best, c.next, c.pn = i, c.pn, e.pn
		case e.pn < c.next:
			c.next = e.pn
		}
		if e.dn > 0 {
			most, open = max(most, e.dn), open+1
		}
	}
	if open > 0 {
		c.dn = min(infinite, most+open-1)
	}
	return c
}

// defending is attacking with the defender to move. Wins is the number of
// attacking moves from the defender's on, as far as its defences are proven.
func (s *Solver) defending(from int) (c choice, wins uint8) {
	c = choice{numbers: proven, best: from, next: infinite}
	var most, open uint32
	for i := from; i < len(s.edges); i++ {
		e := &s.edges[i]
		switch {
		case e.dn < c.dn:
			c.best, c.next, c.dn = i, c.dn, e.dn
		case e.dn < c.next:
			c.next = e.dn
		}
		if e.pn > 0 {
			most, open = max(most, e.pn), open+1
		} else {
			wins = max(wins, e.wins)
		}
	}
	if open > 0 {
		c.pn = min(infinite, most+open-1)
	}
	return c, wins
}

// reached reports whether a search to the thresholds th is over.
func (n numbers) reached(th numbers) bool { return n.pn >= th.pn || n.dn >= th.dn }

// slack is by how much a move may become worse than the next best one before
// the search turns to that: by this share of it, and one (the 1+epsilon trick:
// Pawlewicz and Lew 2007).
const slack = 4

func patience(next uint32) uint32 { return min(infinite, next+next/slack+1) }
