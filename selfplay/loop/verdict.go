package loop

import (
	"fmt"
	"math"

	"github.com/carozero/carozero/internal/front/arena"
)

// Verdict says whether a candidate was promoted, with the evidence.
type Verdict struct {
	Round     int    `json:"round"`
	Candidate string `json:"candidate"` // SHA-256; "": there was none
	Best      string `json:"best"`      // SHA-256 of its opponent; "": uniform
	BestRound int    `json:"best_round"`
	Promoted  bool   `json:"promoted"`
	Reason    string `json:"reason"` // in a line

	Broken   string       `json:"broken,omitempty"` // error of the candidate during its tests
	Match    *MatchReport `json:"match"`            // nil: none was played
	Tactics  *TacticsPair `json:"tactics"`
	Blunders *BlunderPair `json:"blunders"`

	// Elo is the candidate's advantage over the network that the loop began with, summed
	// along the chain of promoted networks, with the half width of its 95% interval. It
	// is valid only with a match.
	Elo      float64 `json:"elo"`
	EloError float64 `json:"elo_error"`
}

// MatchReport is the result of a candidate's match, from its side.
type MatchReport struct {
	Games    int           `json:"games"`
	Wins     int           `json:"wins"`
	Draws    int           `json:"draws"`
	Losses   int           `json:"losses"`
	Pairs    [5]int        `json:"pairs"` // two games of one opening: 0, 1/2, 1, 3/2, 2 points
	Elo      float64       `json:"elo"`
	EloError float64       `json:"elo_error"`
	LLR      float64       `json:"llr"`
	SPRT     arena.Verdict `json:"sprt"`
}

// add counts the games of one board.
func (m *MatchReport) add(t arena.Tally) {
	m.Games += t.Games()
	m.Wins += t.Wins
	m.Draws += t.Draws
	m.Losses += t.Losses
	for i, n := range t.Pairs {
		m.Pairs[i] += n
	}
}

// finish estimates the Elo difference and evaluates the test.
func (m *MatchReport) finish(test arena.SPRT) {
	m.Elo, m.EloError = arena.EstimateElo(m.Pairs[:])
	m.LLR = test.LLR(m.Pairs[:])
	m.SPRT = test.Decide(m.LLR)
}

// passed reports whether the candidate passes: the test accepted Elo1, or has not decided
// and the likelihood ratio favours Elo1.
func (m *MatchReport) passed() bool {
	return m.SPRT == arena.AcceptH1 || m.SPRT == arena.Continue && m.LLR > 0
}

// TacticsPair compares two networks on the suite.
type TacticsPair struct {
	Candidate TacticsScore `json:"candidate"`
	Best      TacticsScore `json:"best"`
	Worse     bool         `json:"worse"` // the candidate, beyond the tolerance
}

// BlunderPair compares two networks on the same positions, input by input.
type BlunderPair struct {
	Candidate []BlunderScore `json:"candidate"`
	Best      []BlunderScore `json:"best"`
	Only      [2]int         `json:"only"`  // positions in which only the candidate blunders, and only the best
	Worse     bool           `json:"worse"` // the candidate, beyond the standard errors
}

// compareTactics applies the rule for the suite.
func compareTactics(candidate, best TacticsScore, t *Tactics) *TacticsPair {
	return &TacticsPair{candidate, best, candidate.Unsolved() > best.Unsolved()+t.Tolerance}
}

// compareBlunders applies the rule for blunders. Both were given the same
// positions, so that those in which one alone blunders, b and c of them, decide:
// if neither blunders more, b-c has the standard error sqrt(b+c) (McNemar 1947).
func compareBlunders(candidate, best []BlunderScore, sigmas float64) *BlunderPair {
	p := &BlunderPair{Candidate: candidate, Best: best}
	for i := range candidate {
		b, c := apart(candidate[i].Blunders, best[i].Blunders)
		p.Only[0] += b
		p.Only[1] += c
	}
	b, c := float64(p.Only[0]), float64(p.Only[1])
	p.Worse = b > c && b-c > sigmas*math.Sqrt(b+c)
	return p
}

// apart returns how many numbers are only in a, and only in b. Both ascend.
func apart(a, b []int) (onlyA, onlyB int) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			onlyA++
			i++
		case i == len(a) || b[j] < a[i]:
			onlyB++
			j++
		default:
			i++
			j++
		}
	}
	return onlyA, onlyB
}

// Blunders returns how many of the positions are blunders.
func Blunders(list []BlunderScore) (blunders, positions int) {
	for _, s := range list {
		blunders += len(s.Blunders)
		positions += s.Positions
	}
	return blunders, positions
}

// decide sets Promoted and Reason by the evidence.
func (v *Verdict) decide() {
	m := v.Match
	switch {
	case v.Candidate == "":
		v.Reason = "no candidate"
	case v.Broken != "":
		v.Reason = v.Broken
	case m != nil && !m.passed():
		v.Reason = "the match: " + m.String()
	case v.Tactics != nil && v.Tactics.Worse:
		t := v.Tactics
		v.Reason = fmt.Sprintf("tactics: %d of %d missed, the best network %d", t.Candidate.Unsolved(), t.Candidate.Asked(), t.Best.Unsolved())
	case v.Blunders != nil && v.Blunders.Worse:
		b := v.Blunders
		v.Reason = fmt.Sprintf("blunders: %d where the best network makes none, %d the other way round", b.Only[0], b.Only[1])
	case m == nil:
		v.Promoted, v.Reason = true, "no match was asked for"
	default:
		v.Promoted, v.Reason = true, "the match: "+m.String()
	}
}

// String summarises the match.
func (m *MatchReport) String() string {
	text := fmt.Sprintf("+%d =%d -%d, Elo %+.0f +- %.0f", m.Wins, m.Draws, m.Losses, m.Elo, m.EloError)
	switch m.SPRT {
	case arena.AcceptH0, arena.AcceptH1:
		return fmt.Sprintf("%s, SPRT %s", text, m.SPRT)
	}
	return fmt.Sprintf("%s, LLR %+.2f at the last game", text, m.LLR)
}

// chain sets the Elo over the first network, from that of the opponent's verdict.
func (v *Verdict) chain(best *Verdict) {
	if v.Match == nil {
		return
	}
	v.Elo, v.EloError = v.Match.Elo, v.Match.EloError
	if best != nil {
		v.Elo += best.Elo
		v.EloError = math.Hypot(v.EloError, best.EloError)
	}
	v.Elo, v.EloError = rounded(v.Elo), rounded(v.EloError)
}
