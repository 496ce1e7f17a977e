package vcf

import (
	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/game"
)

// numbers are the proof and the disproof number of a position, for the attacker.
type numbers = proofnumber.Numbers

// edge is a move of a position that is being searched, and what is known of the
// position after it.
type edge struct {
	key  [2]uint64 // of the position after the move, in the table
	move game.Move
	wins uint8 // attacking moves of the proven win: those from there on
	numbers
}

// attacking sums up the edges from index from on, with the attacker to move: one win
// proves the position, and all moves must be refuted.
func (s *Solver) attacking(from int) proofnumber.Choice {
	sum := proofnumber.Sum(from)
	for i := from; i < len(s.edges); i++ {
		sum.Add(i, s.edges[i].numbers)
	}
	return sum.Choice()
}

// defending is attacking with the defender to move; the choice is the defender's, who
// aims at a disproof. Wins is the number of attacking moves from the defender's on, as far
// as its defences are proven.
func (s *Solver) defending(from int) (c proofnumber.Choice, wins uint8) {
	sum := proofnumber.Sum(from)
	for i := from; i < len(s.edges); i++ {
		e := &s.edges[i]
		sum.Add(i, e.Turned())
		if e.PN == 0 {
			wins = max(wins, e.wins)
		}
	}
	return sum.Choice(), wins
}
