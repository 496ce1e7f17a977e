package alphabeta

// ProofNumbers are the proof number PN and the disproof number DN of a position: an estimate
// of how many positions must be proven to prove it, and how many must be disproven to
// disprove it. One of them is 0 once the position is decided, and the other InfiniteProof.
// They are what depth-first proof-number searches count (df-pn: Nagai, "Df-pn Algorithm for
// Searching AND/OR Trees and Its Applications", thesis, 2002; proof numbers: Allis, 1994).
type ProofNumbers struct{ PN, DN uint32 }

// InfiniteProof is the greatest number.
const InfiniteProof = 1 << 30

// Numbers of special positions.
var (
	Open      = ProofNumbers{1, 1} // a position of which nothing is known
	Proven    = ProofNumbers{0, InfiniteProof}
	Disproven = ProofNumbers{InfiniteProof, 0}
	Unbounded = ProofNumbers{InfiniteProof, InfiniteProof} // thresholds that are never reached
)

// Decided reports whether the position is proven or disproven.
func (n ProofNumbers) Decided() bool { return n.PN == 0 || n.DN == 0 }

// Reached reports whether a search to the thresholds th is over.
func (n ProofNumbers) Reached(th ProofNumbers) bool { return n.PN >= th.PN || n.DN >= th.DN }

// Turned exchanges the two numbers: what is proven for one side is disproven for the
// other.
func (n ProofNumbers) Turned() ProofNumbers { return ProofNumbers{n.DN, n.PN} }

// ProofChoice is the sum of the moves of a position, for the side to move: PN is what it
// takes to prove that this side reaches its aim. Best is the move to search next.
type ProofChoice struct {
	ProofNumbers
	Best int
	next uint32 // the second-least proof number
}

// ChooseProof sums up what each move is worth to the side to move.
func ChooseProof(moves []ProofNumbers) ProofChoice {
	s := SumProofs(0)
	for i, n := range moves {
		s.Add(i, n)
	}
	return s.Choice()
}

// ProofSum sums up the moves of a position one after the other. The disproof numbers of
// transposing moves would count the same work again and again, so the greatest stands for
// their sum, with one for each of the others (weak proof numbers: Ueda, Hashimoto,
// Hashimoto and Iida, "Weak Proof-Number Search", CG 2008).
type ProofSum struct {
	choice     ProofChoice
	most, open uint32
}

// SumProofs begins a sum, whose best move is first if there is none or all are disproven.
func SumProofs(first int) ProofSum {
	return ProofSum{choice: ProofChoice{ProofNumbers: Disproven, Best: first, next: InfiniteProof}}
}

// Add adds the i-th move, which is worth n to the side to move.
func (s *ProofSum) Add(i int, n ProofNumbers) {
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
func (s *ProofSum) Choice() ProofChoice {
	c := s.choice
	if s.open > 0 {
		c.DN = min(InfiniteProof, s.most+s.open-1)
	}
	return c
}

// slack is by how much a move may become worse than the next best one before the search
// turns to that: by this share of it, and one (the 1+epsilon trick: Pawlewicz and Lew,
// "Improving Depth-First PN-Search: 1+epsilon Trick", CG 2006).
const slack = 4

// Thresholds returns the thresholds of the best move, for the side that chose it, where
// those of the position are th.
func (c ProofChoice) Thresholds(th ProofNumbers, best ProofNumbers) ProofNumbers {
	return ProofNumbers{
		PN: min(th.PN, InfiniteProof, c.next+c.next/slack+1),
		DN: min(InfiniteProof, th.DN-c.DN+best.DN),
	}
}
