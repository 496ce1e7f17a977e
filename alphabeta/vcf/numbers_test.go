package vcf

import (
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The next best move may be overtaken by a quarter of its number and one.
func TestPatience(t *testing.T) {
	for next, want := range map[uint32]uint32{0: 1, 1: 2, 3: 4, 4: 6, 7: 9, 8: 11, 100: 126, infinite - 1: infinite, infinite: infinite} {
		if got := patience(next); got != want {
			t.Errorf("%d: %d, want %d", next, got, want)
		}
	}
}

// A search is over when either number is as large as its threshold.
func TestReached(t *testing.T) {
	th := numbers{5, 7}
	for n, want := range map[numbers]bool{{4, 6}: false, {5, 6}: true, {4, 7}: true, {9, 9}: true, proven: true, disproven: true} {
		if got := n.reached(th); got != want {
			t.Errorf("%v: %t, want %t", n, got, want)
		}
	}
	if (numbers{infinite - 1, infinite - 1}).reached(unbounded) {
		t.Error("a threshold that is never reached is")
	}
}

// The attacker's number is its least, the defender's its greatest and one for each
// other move that is open; the best move and the number of the one after it are told.
func TestSumsOfNumbers(t *testing.T) {
	open := func(pn, dn uint32) edge { return edge{numbers: numbers{pn, dn}} }
	won := func(wins uint8) edge { return edge{numbers: proven, wins: wins} }
	for _, c := range []struct {
		edges  []edge
		attack choice
		defend choice
		wins   uint8
	}{
		{nil, choice{disproven, 0, infinite}, choice{proven, 0, infinite}, 0},
		{[]edge{open(3, 4)}, choice{numbers{3, 4}, 0, infinite}, choice{numbers{3, 4}, 0, infinite}, 0},
		{[]edge{open(3, 4), open(2, 6), open(5, 1)}, choice{numbers{2, 8}, 1, 3}, choice{numbers{7, 1}, 2, 4}, 0},
		{[]edge{open(2, 6), open(2, 6)}, choice{numbers{2, 7}, 0, 2}, choice{numbers{3, 6}, 0, 6}, 0},
		{[]edge{open(3, 4), won(9), won(5)}, choice{numbers{0, infinite}, 1, 0}, choice{numbers{3, 4}, 0, infinite}, 9},
		{[]edge{{numbers: disproven}, open(7, 2)}, choice{numbers{7, 2}, 1, infinite}, choice{numbers{infinite, 0}, 0, 2}, 0},
		{[]edge{won(4), won(6)}, choice{numbers{0, infinite}, 0, 0}, choice{proven, 0, infinite}, 6},
	} {
		s := &Solver{edges: c.edges}
		if got := s.attacking(0); got != c.attack {
			t.Errorf("%v: the attacker's sum is %v, want %v", c.edges, got, c.attack)
		}
		if got, wins := s.defending(0); got != c.defend || wins != c.wins {
			t.Errorf("%v: the defender's sum is %v and %d wins, want %v and %d", c.edges, got, wins, c.defend, c.wins)
		}
		s.edges = append([]edge{open(1, 1), won(200)}, c.edges...)
		c.attack.best, c.defend.best = c.attack.best+2, c.defend.best+2
		if got := s.attacking(2); got != c.attack {
			t.Errorf("%v from 2: %v, want %v", s.edges, got, c.attack)
		}
		if got, wins := s.defending(2); got != c.defend || wins != c.wins {
			t.Errorf("%v from 2: %v and %d wins, want %v and %d", s.edges, got, wins, c.defend, c.wins)
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
