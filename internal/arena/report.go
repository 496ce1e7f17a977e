package arena

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
)

// Report is the state of a match.
type Report struct {
	Names    []string    // the entrants
	Pairings []Pairing   // in the order 0-1, 0-2, ..., 1-2, ...
	Forfeits []Forfeited // in game order
	LLR      float64     // of the SPRT, 0 without one
	Verdict  Verdict

	schedule schedule
	test     *SPRT
	seen     map[gameDigest]struct{} // every game that was added
}

// gameDigest tells the games of the same two players apart.
type gameDigest [sha256.Size]byte

// digestOf returns the digest of a game by its players and moves.
func digestOf(r *Result) gameDigest {
	text := binary.LittleEndian.AppendUint64(nil, uint64(r.Players[0]))
	text = binary.LittleEndian.AppendUint64(text, uint64(r.Players[1]))
	for _, m := range r.Moves {
		text = binary.LittleEndian.AppendUint16(text, uint16(m))
	}
	return sha256.Sum256(text)
}

// Forfeited tells of a game that was forfeited.
type Forfeited struct {
	Game   int    `json:"game"` // its number in the match, from 1 as in its record
	Player string `json:"player"`
	Fault  Fault  `json:"fault"`
	Text   string `json:"text"`
}

// Pairing is the record of two entrants against each other.
type Pairing struct {
	A, B int // the entrants, A < B
	Tally
	Repeats   int    // games that equal an earlier one move for move
	Forfeits  [2]int // by A and by B; they count as losses too
	FirstWins int    // games won by the side that moves first, the colours' balance
	Timing    [2]Timing
}

// Summary is a pairing in the form in which it is printed.
type Summary struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Games int    `json:"games"`
	AWins int    `json:"a_wins"`
	BWins int    `json:"b_wins"`
	Draws int    `json:"draws"`
	// whole pairs by A's points: 0, 1/2, 1, 3/2, 2; without pairs that only repeat earlier games
	Pairs     [5]int  `json:"pairs"`
	Elo       float64 `json:"elo"` // of A over B
	EloError  float64 `json:"elo_error"`
	LLR       float64 `json:"llr"`
	SPRT      Verdict `json:"sprt"`
	Forfeits  int     `json:"forfeits"`
	AForfeits int     `json:"a_forfeits"`
	BForfeits int     `json:"b_forfeits"`
	FirstWins int     `json:"first_wins"`
	Repeats   int     `json:"repeats"` // games equal to an earlier one, which add no information

	// The longest move of each player that has a clock, and how many moves
	// exceeded the limit, even within the margin.
	ASlowestMS int64 `json:"a_slowest_ms"`
	BSlowestMS int64 `json:"b_slowest_ms"`
	ALate      int   `json:"a_late"`
	BLate      int   `json:"b_late"`
}

// Standing is an entrant's place in a round robin.
type Standing struct {
	Name   string  `json:"name"`
	Games  int     `json:"games"`
	Points float64 `json:"points"` // 1 for a win, 1/2 for a draw
}

func (m *Match) newReport() Report {
	r := Report{schedule: m.schedule, test: m.opts.SPRT, Verdict: NoTest, seen: map[gameDigest]struct{}{}}
	if r.test != nil {
		r.Verdict = Continue
	}
	for _, e := range m.opts.Entrants {
		r.Names = append(r.Names, e.Name)
	}
	for i := range m.schedule.pairings() {
		a, b := m.schedule.pairing(i)
		r.Pairings = append(r.Pairings, Pairing{A: a, B: b})
	}
	return r
}

// decided reports whether the test has accepted a hypothesis.
func (r *Report) decided() bool { return r.Verdict == AcceptH0 || r.Verdict == AcceptH1 }

// add counts the next game in order.
func (r *Report) add(result *Result) {
	f := r.schedule.at(result.Game)
	p := &r.Pairings[f.pairing]
	sideOfA := game.First
	if f.second {
		sideOfA = game.Second
	}
	digest := digestOf(result)
	_, again := r.seen[digest]
	r.seen[digest] = struct{}{}
	if again {
		p.Repeats++
	}
	p.Tally.add(result.Outcome.Value(sideOfA), f.second, again)
	if result.Outcome == game.FirstWins {
		p.FirstWins++
	}
	for side, t := range result.Timing {
		p.Timing[game.Side(side)^sideOfA].add(t)
	}
	if lost := result.Forfeit; lost != nil {
		p.Forfeits[lost.Side^sideOfA]++
		r.Forfeits = append(r.Forfeits, Forfeited{
			Game: result.Game + 1, Player: r.Names[result.Players[lost.Side]], Fault: lost.Fault, Text: lost.Text,
		})
	}
	if r.test != nil && f.second {
		r.LLR = r.test.LLR(p.Pairs[:])
		r.Verdict = r.test.Decide(r.LLR)
	}
}

// clone returns a copy that further games do not change.
func (r *Report) clone() Report {
	c := *r
	c.seen = nil
	c.Pairings = slices.Clone(r.Pairings)
	c.Forfeits = slices.Clone(r.Forfeits)
	return c
}

// Games returns the number of games counted.
func (r *Report) Games() int {
	n := 0
	for i := range r.Pairings {
		n += r.Pairings[i].Games()
	}
	return n
}

// Summary returns the summary of the first pairing, the match of two players.
func (r *Report) Summary() Summary { return r.summary(&r.Pairings[0]) }

// Summaries returns the summary of every pairing.
func (r *Report) Summaries() []Summary {
	all := make([]Summary, len(r.Pairings))
	for i := range r.Pairings {
		all[i] = r.summary(&r.Pairings[i])
	}
	return all
}

func (r *Report) summary(p *Pairing) Summary {
	elo, bound := p.Elo()
	return Summary{
		A:         r.Names[p.A],
		B:         r.Names[p.B],
		Games:     p.Games(),
		AWins:     p.Wins,
		BWins:     p.Losses,
		Draws:     p.Draws,
		Pairs:     p.Pairs,
		Elo:       elo,
		EloError:  bound,
		LLR:       r.LLR,
		SPRT:      r.Verdict,
		Forfeits:  p.Forfeits[0] + p.Forfeits[1],
		AForfeits: p.Forfeits[0],
		BForfeits: p.Forfeits[1],
		FirstWins: p.FirstWins,
		Repeats:   p.Repeats,

		ASlowestMS: p.Timing[0].Slowest.Milliseconds(),
		BSlowestMS: p.Timing[1].Slowest.Milliseconds(),
		ALate:      p.Timing[0].Late,
		BLate:      p.Timing[1].Late,
	}
}

// Standings returns the entrants by their points, equal ones in the order in
// which they entered.
func (r *Report) Standings() []Standing {
	all := make([]Standing, len(r.Names))
	for i, name := range r.Names {
		all[i].Name = name
	}
	for _, p := range r.Pairings {
		all[p.A].Games += p.Games()
		all[p.B].Games += p.Games()
		all[p.A].Points += float64(p.Wins) + float64(p.Draws)/2
		all[p.B].Points += float64(p.Losses) + float64(p.Draws)/2
	}
	slices.SortStableFunc(all, func(a, b Standing) int { return cmp.Compare(b.Points, a.Points) })
	return all
}

// Tally counts the results of two players, seen from the first of them, A.
type Tally struct {
	Wins, Draws, Losses int

	// Pairs counts whole pairs by A's points in them: 0, 1/2, 1, 3/2, 2. A pair of games
	// that both equal earlier ones is left out: it says nothing new.
	Pairs [5]int

	open  int  // the score of a pair's first game, while its second is awaited
	stale bool // that game equals an earlier one
}

// Games returns the number of games counted.
func (t *Tally) Games() int { return t.Wins + t.Draws + t.Losses }

// add counts a game that A won (1), drew (0) or lost (-1), and the pair if the
// game is its second; again says that the game equals an earlier one.
func (t *Tally) add(value int, second, again bool) {
	switch value {
	case 1:
		t.Wins++
	case 0:
		t.Draws++
	default:
		t.Losses++
	}
	switch {
	case !second:
		t.open, t.stale = value+1, again
	case !t.stale || !again:
		t.Pairs[t.open+value+1]++
	}
}

// samples returns the counts that the statistics read: the pairs, or the
// losses, draws and wins of single games while there is no whole pair.
func (t *Tally) samples() []int {
	for _, n := range t.Pairs {
		if n > 0 {
			return t.Pairs[:]
		}
	}
	return []int{t.Losses, t.Draws, t.Wins}
}

// Elo returns [EstimateElo] of the pairs, and of the single games while there
// is no whole pair.
func (t *Tally) Elo() (elo, bound float64) { return EstimateElo(t.samples()) }

// scoreEdge is how near an estimated score may come to 0 and 1, where the Elo
// difference is about 1200.
const scoreEdge = 1e-3

// normal95 is the 97.5% quantile of the normal distribution.
var normal95 = math.Sqrt2 * math.Erfinv(0.95)

// Score returns the expected score, in 0..1, of a player that is elo points
// stronger than its opponent.
func Score(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// EloOf returns the Elo difference at which a score in 0..1 is expected, with
// the score kept scoreEdge away from 0 and 1. It is the inverse of [Score].
func EloOf(score float64) float64 {
	score = min(max(score, scoreEdge), 1-scoreEdge)
	return 400 * math.Log10(score/(1-score))
}

// EstimateElo returns the Elo difference that the samples show and the half
// width of its 95% interval, (Elo(hi) - Elo(lo)) / 2 where lo and hi are the
// ends of the normal interval of the mean score. counts[i] is the number of
// samples that scored i/(len(counts)-1): losses, draws and wins of games, or
// the five scores of pairs.
//
// Samples that are all alike show no spread from which an error could be
// read, and no samples show nothing at all. Then one more sample is counted,
// half of it one step above and half one step below (both halves on the one
// side that there is at an end of the scale), so that the error is wide and
// finite.
func EstimateElo(counts []int) (elo, bound float64) {
	weights := make([]float64, len(counts))
	for i, n := range counts {
		weights[i] = float64(n)
	}
	if at, alike := soleScore(counts); alike {
		last := len(counts) - 1
		above, below := at+1, at-1
		if at == 0 {
			below = above
		}
		if at == last {
			above = below
		}
		weights[above] += 0.5
		weights[below] += 0.5
	}
	mean, variance, n := moments(weights)
	half := normal95 * math.Sqrt(variance/n)
	return EloOf(mean), (EloOf(mean+half) - EloOf(mean-half)) / 2
}

// soleScore returns the index of the only count that is not zero, the middle
// one if all are, and false if there are several.
func soleScore(counts []int) (at int, alike bool) {
	at = len(counts) / 2
	found := 0
	for i, n := range counts {
		if n > 0 {
			at = i
			found++
		}
	}
	return at, found <= 1
}

// moments returns the mean and variance of the scores under weights, which
// are counts as in [EstimateElo], and the sum of the weights.
func moments(weights []float64) (mean, variance, n float64) {
	top := float64(len(weights) - 1)
	for i, w := range weights {
		n += w
		mean += float64(w * float64(i) / top)
	}
	mean /= n
	for i, w := range weights {
		d := float64(i)/top - mean
		variance += float64(w * d * d)
	}
	return mean, variance / n, n
}

// SPRT is a sequential test of the hypothesis that A is Elo1 points stronger
// than B (H1) against Elo0 points (H0), both logistic Elo.
type SPRT struct {
	Elo0, Elo1 float64
	Alpha      float64 // the risk of accepting H1 where H0 holds; 0 means 0.05
	Beta       float64 // the risk of accepting H0 where H1 holds; 0 means 0.05
}

// Verdict is the result of an [SPRT].
type Verdict string

// The verdicts. NoTest is that of a match without a test.
const (
	NoTest   Verdict = "none"
	Continue Verdict = "continue"
	AcceptH0 Verdict = "h0"
	AcceptH1 Verdict = "h1"
)

// defaultRisk is the risk that a zero Alpha or Beta means.
const defaultRisk = 0.05

// maxElo bounds the hypotheses' Elo.
const maxElo = 1000

// Validate returns an error if the test's numbers are invalid.
func (t SPRT) Validate() error {
	t = t.withDefaults()
	switch {
	case !(math.Abs(t.Elo0) <= maxElo && math.Abs(t.Elo1) <= maxElo):
		return fmt.Errorf("sprt: elo0 %g, elo1 %g: want both in -%d..%d", t.Elo0, t.Elo1, maxElo, maxElo)
	case !(t.Elo0 < t.Elo1):
		return fmt.Errorf("sprt: elo0 %g, elo1 %g: want elo0 < elo1", t.Elo0, t.Elo1)
	case !(t.Alpha > 0 && t.Beta > 0 && t.Alpha < 0.5 && t.Beta < 0.5):
		return fmt.Errorf("sprt: alpha %g, beta %g: want both over 0 and under 0.5", t.Alpha, t.Beta)
	}
	return nil
}

func (t SPRT) withDefaults() SPRT {
	if t.Alpha == 0 {
		t.Alpha = defaultRisk
	}
	if t.Beta == 0 {
		t.Beta = defaultRisk
	}
	return t
}

// Bounds returns the log likelihood ratios at which H0 and H1 are accepted,
// Wald's ln(beta/(1-alpha)) and ln((1-beta)/alpha).
func (t SPRT) Bounds() (lower, upper float64) {
	t = t.withDefaults()
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// Decide returns the verdict at a log likelihood ratio.
func (t SPRT) Decide(llr float64) Verdict {
	lower, upper := t.Bounds()
	switch {
	case llr >= upper:
		return AcceptH1
	case llr <= lower:
		return AcceptH0
	}
	return Continue
}

// emptyCount replaces a count of zero, so that every score stays possible.
const emptyCount = 1e-3

// LLR returns the generalised log likelihood ratio of H1 to H0, given counts
// as in [EstimateElo]: N times the mean, over the observed distribution, of
// ln(p1/p0), where p0 and p1 are the likeliest distributions with the scores
// that H0 and H1 expect. It is 0 where nothing is counted.
func (t SPRT) LLR(counts []int) float64 {
	observed := make([]float64, len(counts))
	games, n := 0, 0.0
	for i, c := range counts {
		games += c
		observed[i] = max(float64(c), emptyCount)
		n += observed[i]
	}
	if games == 0 {
		return 0
	}
	for i := range observed {
		observed[i] /= n
	}
	s0, s1 := Score(t.Elo0), Score(t.Elo1)
	x0, x1 := multiplier(observed, s0), multiplier(observed, s1)
	sum := 0.0
	for i, p := range observed {
		a := float64(i) / float64(len(observed)-1)
		// p1/p0, the observed frequency cancelled.
		ratio := (1 + float64(x0*(a-s0))) / (1 + float64(x1*(a-s1)))
		sum += float64(p * math.Log(ratio))
	}
	return n * sum
}

// multiplier returns the x for which p[i] / (1 + x*(a[i]-s)) has the mean s,
// where a[i] = i/(len(p)-1): the likeliest distribution of mean s, given the
// observed p (Van den Bergh, Proposition 1.1). All p are positive and s lies
// between 0 and 1, so that the one solution lies between the two poles, where
// the sum below falls from +Inf to -Inf.
func multiplier(p []float64, s float64) float64 {
	const halvings = 100
	low, high := -1/(1-s), 1/s
	for range halvings {
		x := low + (high-low)/2
		sum := 0.0
		for i, pi := range p {
			d := float64(i)/float64(len(p)-1) - s
			sum += pi * d / (1 + float64(x*d))
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
	return low + (high-low)/2
}
