package crosscheck

import "slices"

// Summary counts the rows of a run.
type Summary struct {
	Positions        int `json:"positions"`
	Of               int `json:"of"` // positions of the input; more than Positions if the run was interrupted
	Agree            int `json:"agree"`
	Differ           int `json:"differ"`
	Unproven         int `json:"unproven"` // rows in which nothing is proven, but a move looks like a blunder
	MCTSBlunders     int `json:"mcts_blunders"`
	AlphaBetaBlunder int `json:"alphabeta_blunders"` // of alpha-beta alone
	BothBlunders     int `json:"both_blunders"`      // of the MCTS blunders, those where alpha-beta blundered too

	MCTSLoses       int `json:"mcts_loses"`
	MCTSMisses      int `json:"mcts_misses"`
	AlphaBetaLoses  int `json:"alphabeta_loses"`
	AlphaBetaMisses int `json:"alphabeta_misses"`

	MCTSUnproven      int `json:"mcts_unproven"` // moves that look like blunders and are not shown to be
	AlphaBetaUnproven int `json:"alphabeta_unproven"`

	Calibration []Calibration `json:"calibration"` // empty where no result is known
}

// maxShown bounds the disagreements that are kept for the report.
const maxShown = 400

// tally gathers a Summary and the rows worth showing.
type tally struct {
	sum   Summary
	judge [3]calibrator // network, MCTS, alpha-beta
	shown []Row         // blunders and differences in order; at most maxShown, blunders first to stay
	left  int           // differences that are not shown
}

func newTally(total int) *tally {
	return &tally{
		sum:   Summary{Of: total},
		judge: [3]calibrator{{of: "network"}, {of: nameMCTS}, {of: nameAlphaBeta}},
	}
}

// add takes in a row.
func (t *tally) add(r *Row) {
	s := &t.sum
	s.Positions++
	switch r.Verdict {
	case Agree:
		s.Agree++
	case Differ:
		s.Differ++
	case Unproven:
		s.Unproven++
	case MCTSBlunder:
		s.MCTSBlunders++
		if r.AlphaBetaBlunder != "" {
			s.BothBlunders++
		}
	case AlphaBetaBlunder:
		s.AlphaBetaBlunder++
	}
	countKind(r.MCTSBlunder, &s.MCTSLoses, &s.MCTSMisses)
	countKind(r.AlphaBetaBlunder, &s.AlphaBetaLoses, &s.AlphaBetaMisses)
	if r.MCTSUnproven != "" {
		s.MCTSUnproven++
	}
	if r.AlphaBetaUnproven != "" {
		s.AlphaBetaUnproven++
	}
	if result, ok := resultOf(r.Outcome); ok {
		for i, value := range []float64{r.MCTS.NetValue, r.MCTS.Value, r.AlphaBeta.Value} {
			t.judge[i].add(value, result)
		}
	}
	t.keep(r)
}

func countKind(kind string, loses, misses *int) {
	switch kind {
	case Loses:
		*loses++
	case Misses:
		*misses++
	}
}

// keep keeps a disagreement for the report. When there is no room, the last
// difference makes way for a blunder.
func (t *tally) keep(r *Row) {
	if r.Verdict == Agree {
		return
	}
	if len(t.shown) < maxShown {
		t.shown = append(t.shown, *r)
		return
	}
	t.left++
	if r.Verdict == Differ {
		return
	}
	for i := len(t.shown) - 1; i >= 0; i-- {
		if t.shown[i].Verdict == Differ {
			t.shown = append(slices.Delete(t.shown, i, i+1), *r)
			return
		}
	}
}

func (t *tally) summary() Summary {
	s := t.sum
	s.Calibration = []Calibration{}
	for i := range t.judge {
		if c := t.judge[i].calibration(); c.N > 0 {
			s.Calibration = append(s.Calibration, c)
		}
	}
	return s
}
