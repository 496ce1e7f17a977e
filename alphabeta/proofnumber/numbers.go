// Package proofnumber has the arithmetic of depth-first proof-number searches (df-pn: Nagai,
// "Df-pn Algorithm for Searching AND/OR Trees and Its Applications", thesis, 2002; after the
// proof numbers of Allis, 1994). It knows no game.
package proofnumber

// Numbers are the proof number PN and the disproof number DN of a position: an estimate
// of how many positions must be proven to prove it, and how many must be disproven to
// disprove it. One of them is 0 once the position is decided, and the other Infinite.
type Numbers struct{ PN, DN uint32 }

// Infinite is the greatest number.
const Infinite = 1 << 30

// Numbers of special positions.
var (
	Open      = Numbers{1, 1} // a position of which nothing is known
	Proven    = Numbers{0, Infinite}
	Disproven = Numbers{Infinite, 0}
	Unbounded = Numbers{Infinite, Infinite} // thresholds that are never reached
)

// Decided reports whether the position is proven or disproven.
func (n Numbers) Decided() bool { return n.PN == 0 || n.DN == 0 }

// Reached reports whether a search to the thresholds th is over.
func (n Numbers) Reached(th Numbers) bool { return n.PN >= th.PN || n.DN >= th.DN }

// Turned exchanges the two numbers: what is proven for one side is disproven for the
// other.
func (n Numbers) Turned() Numbers { return Numbers{n.DN, n.PN} }

// Choice is the sum of the moves of a position, for the side to move: PN is what it
// takes to prove that this side reaches its aim. Best is the move to search next.
type Choice struct {
	Numbers
	Best int
	next uint32 // the second-least proof number
}

// Choose sums up what each move is worth to the side to move.
func Choose(moves []Numbers) Choice {
	s := Sum(0)
	for i, n := range moves {
		s.Add(i, n)
	}
	return s.Choice()
}

// Adder sums up the moves of a position one after the other. The disproof numbers of
// transposing moves would count the same work again and again, so the greatest stands for
// their sum, with one for each of the others (weak proof numbers: Ueda, Hashimoto,
// Hashimoto and Iida, "Weak Proof-Number Search", CG 2008).
type Adder struct {
	choice     Choice
	most, open uint32
}

// Sum begins a sum, whose best move is first if there is none or all are disproven.
func Sum(first int) Adder {
	return Adder{choice: Choice{Numbers: Disproven, Best: first, next: Infinite}}
}

// Add adds the i-th move, which is worth n to the side to move.
func (s *Adder) Add(i int, n Numbers) {
	c := &s.choice
	switch {
	case n.PN < c.PN:
		c.Best, c.next, c.PN = i, c.PN, n.PN
	case n.PN < c.next:
		c.next = n.PN
	}
	if n.DN > 0 {
		s.most, s.open = max(s.most, n.DN), s.open+1
	}
}

// Choice returns the sum.
func (s *Adder) Choice() Choice {
	c := s.choice
	if s.open > 0 {
		c.DN = min(Infinite, s.most+s.open-1)
	}
	return c
}

// slack is by how much a move may become worse than the next best one before the search
// turns to that: by this share of it, and one (the 1+epsilon trick: Pawlewicz and Lew,
// "Improving Depth-First PN-Search: 1+epsilon Trick", CG 2006).
const slack = 4

// Thresholds returns the thresholds of the best move, for the side that chose it, where
// those of the position are th.
func (c Choice) Thresholds(th Numbers, best Numbers) Numbers {
	return Numbers{
		PN: min(th.PN, Infinite, c.next+c.next/slack+1),
		DN: min(Infinite, th.DN-c.DN+best.DN),
	}
}
