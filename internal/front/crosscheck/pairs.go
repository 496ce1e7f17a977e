package crosscheck

import "math"

// nameThird names a third player in rows.
const nameThird = "third"

// ThirdSummary counts what was found of a third player.
type ThirdSummary struct {
	Weighing

	// Blunders are proven ones in the positions in which the three did not all play the
	// same move, Unproven what looks like one.
	Blunders Counted `json:"blunders"`
	Unproven Counted `json:"unproven"`

	Pairs []Pair `json:"pairs"` // third and mcts, third and alphabeta, mcts and alphabeta
}

// Counted is a number for each player.
type Counted struct {
	MCTS      int `json:"mcts"`
	AlphaBeta int `json:"alphabeta"`
	Third     int `json:"third"`
}

// Pair says who of two players is right where their moves differ.
type Pair struct {
	A       string `json:"a"`
	B       string `json:"b"`
	Differ  int    `json:"differ"`
	Proof   Right  `json:"proof"`     // by a proof that only the other's move is a blunder
	MCTS    Right  `json:"mcts"`      // by searches with many times the budget
	Alpha   Right  `json:"alphabeta"` // likewise
	Unclear int    `json:"unclear"`   // neither a proof nor both searches say who
}

// Right says how often each of two is right.
type Right struct {
	A int `json:"a"`
	B int `json:"b"`
}

// evenWithin is the difference of two values, -1..1, up to which moves count as equally
// good.
const evenWithin = 0.05

func newThirdSummary(w Weighing) *ThirdSummary {
	return &ThirdSummary{Weighing: w, Pairs: []Pair{{A: nameThird, B: nameMCTS}, {A: nameThird, B: nameAlphaBeta}, {A: nameMCTS, B: nameAlphaBeta}}}
}

// add takes in a row with a third player.
func (s *ThirdSummary) add(r *Row) {
	t := r.Third
	mcts, alphaBeta := r.MCTSBlunder, r.AlphaBetaBlunder
	mctsUnproven, alphaUnproven := r.MCTSUnproven, r.AlphaBetaUnproven
	if r.MCTS.Move == r.AlphaBeta.Move {
		mcts, alphaBeta = t.OthersBlunder, t.OthersBlunder
		mctsUnproven, alphaUnproven = t.OthersUnproven, t.OthersUnproven
	}
	s.Blunders.add(mcts, alphaBeta, t.Blunder)
	s.Unproven.add(mctsUnproven, alphaUnproven, t.Unproven)
	moves := map[string]string{nameMCTS: r.MCTS.Move, nameAlphaBeta: r.AlphaBeta.Move, nameThird: t.Move}
	blunders := map[string]string{nameMCTS: mcts, nameAlphaBeta: alphaBeta, nameThird: t.Blunder}
	worth := map[string]Weighed{}
	for _, w := range t.Weighed {
		worth[w.Move] = w
	}
	for i := range s.Pairs {
		p := &s.Pairs[i]
		a, b := moves[p.A], moves[p.B]
		if a == b {
			continue
		}
		p.Differ++
		proven := p.Proof.better(bad(blunders[p.B])-bad(blunders[p.A]), 0)
		tree := p.MCTS.better(worth[a].MCTS-worth[b].MCTS, evenWithin)
		classical := p.Alpha.better(worth[a].AlphaBeta-worth[b].AlphaBeta, evenWithin)
		if proven == 0 && (tree == 0 || tree != classical) {
			p.Unclear++
		}
	}
}

// bad is 1 for a proven blunder.
func bad(kind string) float64 {
	if kind == "" {
		return 0
	}
	return 1
}

// better counts by how much A is better, if that is more than even; it returns the sign.
func (r *Right) better(by, even float64) int {
	switch {
	case math.Abs(by) <= even:
		return 0
	case by > 0:
		r.A++
		return 1
	}
	r.B++
	return -1
}

func (c *Counted) add(mcts, alphaBeta, third string) {
	c.MCTS += int(bad(mcts))
	c.AlphaBeta += int(bad(alphaBeta))
	c.Third += int(bad(third))
}
