package vcf

import (
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The wins that a defender's sum tells are the longest of those that are proven, and edges
// before the first one count for nothing.
func TestSumsOfEdges(t *testing.T) {
	open := func(pn, dn uint32) edge { return edge{numbers: numbers{PN: pn, DN: dn}} }
	won := func(wins uint8) edge { return edge{numbers: proofnumber.Proven, wins: wins} }
	for _, c := range []struct {
		edges          []edge
		attack, defend numbers // for the attacker
		best, reply    int
		wins           uint8
	}{
		{nil, proofnumber.Disproven, proofnumber.Proven, 0, 0, 0},
		{[]edge{open(3, 4), open(2, 6), open(5, 1)}, numbers{PN: 2, DN: 8}, numbers{PN: 7, DN: 1}, 1, 2, 0},
		{[]edge{open(3, 4), won(9), won(5)}, proofnumber.Proven, numbers{PN: 3, DN: 4}, 1, 0, 9},
		{[]edge{won(4), won(6)}, proofnumber.Proven, proofnumber.Proven, 0, 0, 6},
	} {
		for _, before := range [][]edge{nil, {open(1, 1), won(200)}} {
			s := &Solver{edges: slices.Concat(before, c.edges)}
			if got := s.attacking(len(before)); got.Numbers != c.attack || got.Best != c.best+len(before) {
				t.Errorf("%v from %d: the attacker's sum is %v, want %v by %d", s.edges, len(before), got, c.attack, c.best)
			}
			got, wins := s.defending(len(before))
			if got.Turned() != c.defend || got.Best != c.reply+len(before) || wins != c.wins {
				t.Errorf("%v from %d: the defender's sum is %v and %d wins, want %v by %d and %d", s.edges, len(before), got, wins, c.defend, c.reply, c.wins)
			}
		}
	}
}

// A solver keeps nothing of its caller's between calls.
func TestSolversLetGo(t *testing.T) {
	rules, err := gomoku.Lookup("freestyle")
	if err != nil {
		t.Fatal(err)
	}
	board, err := gomoku.New(rules, 15)
	if err != nil {
		t.Fatal(err)
	}
	b := pattern.FromBoard(board)
	for i := range 3 {
		b.Play(game.Move(7*15 + 5 + i)) // three in a row
		b.Play(game.Move(14*15 + 3*i))
	}
	b.Play(game.Move(0)) // so that the three is a threat to who is to move
	s := New(Options{})
	for name, call := range map[string]func(){
		"Solve":          func() { s.Solve(t.Context(), b, VCT, 1000) },
		"Decide":         func() { s.Decide(t.Context(), b, VCF, 1000) },
		"Defences":       func() { s.Defences(t.Context(), b, 1000, nil) },
		"DefencesAtOnce": func() { s.DefencesAtOnce(b, nil) },
	} {
		if call(); s.board != nil || s.ctx != nil {
			t.Errorf("%s keeps the board or the context", name)
		}
	}
}
