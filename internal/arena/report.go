package arena

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/carozero/carozero/game"
)

// Report is the state of a match. Its statistics read whole pairs alone: how often A made 0,
// 1/2, 1, 3/2 or 2 points of a pair's two games (five counts, the pentanomial model). An
// opening that favours one colour adds the same point to both players and so no variance,
// which is why pairs need fewer games than the counts of single games, whose error would not
// be the true one.
type Report struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Games int    `json:"games"`
	AWins int    `json:"a_wins"`
	BWins int    `json:"b_wins"`
	Draws int    `json:"draws"`
	// Pairs counts whole pairs by A's points: 0, 1/2, 1, 3/2, 2. A pair of games that both
	// equal earlier ones, as deterministic players play, says nothing new and is left out.
	Pairs     [5]int  `json:"pairs"`
	Elo       float64 `json:"elo"` // of A over B, of the single games while there is no whole pair
	EloError  float64 `json:"elo_error"`
	LLR       float64 `json:"llr"` // of the SPRT, 0 without one
	SPRT      Verdict `json:"sprt"`
	Forfeits  int     `json:"forfeits"` // games that were forfeited; they count as losses too
	AForfeits int     `json:"a_forfeits"`
	BForfeits int     `json:"b_forfeits"`
	FirstWins int     `json:"first_wins"` // games won by the side that moves first
	Repeats   int     `json:"repeats"`    // games that equal an earlier one move for move

	// The longest move of each player that has a clock, and how many moves
	// exceeded the limit, even within the margin.
	ASlowestMS int64 `json:"a_slowest_ms"`
	BSlowestMS int64 `json:"b_slowest_ms"`
	ALate      int   `json:"a_late"`
	BLate      int   `json:"b_late"`

	Forfeited []Forfeited `json:"forfeited"` // in game order

	test *SPRT
	seen map[gameDigest]bool // every game that was added

	open  int  // A's points in halves in a pair's first game, while its second is awaited
	stale bool // that game equals an earlier one
}

// Forfeited tells of a game that was forfeited.
type Forfeited struct {
	Game   int    `json:"game"` // its number in the match, from 1 as in its record
	Player string `json:"player"`
	Fault  Fault  `json:"fault"`
	Text   string `json:"text"`
}

// gameDigest tells games apart.
type gameDigest [sha256.Size]byte

// digestOf returns the digest of a game by its players and moves.
func digestOf(r *Result) gameDigest {
	text := []byte{byte(r.Players[0])}
	for _, m := range r.Moves {
		text = binary.LittleEndian.AppendUint16(text, uint16(m))
	}
	return sha256.Sum256(text)
}

func (m *Match) newReport() Report {
	r := Report{
		A: m.opts.Entrants[0].Name, B: m.opts.Entrants[1].Name, SPRT: NoTest, Forfeited: []Forfeited{},
		test: m.opts.SPRT, seen: map[gameDigest]bool{},
	}
	if r.test != nil {
		r.SPRT = Continue
	}
	r.estimate()
	return r
}

// decided reports whether the test has accepted a hypothesis.
func (r *Report) decided() bool { return r.SPRT == AcceptH0 || r.SPRT == AcceptH1 }

// add counts the next game in order.
func (r *Report) add(result *Result) {
	r.Games++
	a := game.Side(result.Game % 2) // of A
	value := result.Outcome.Value(a)
	switch value {
	case 1:
		r.AWins++
	case -1:
		r.BWins++
	default:
		r.Draws++
	}
	if result.Outcome == game.FirstWins {
		r.FirstWins++
	}
	ta, tb := result.Timing[a], result.Timing[a.Other()]
	r.ASlowestMS, r.ALate = max(r.ASlowestMS, ta.Slowest.Milliseconds()), r.ALate+ta.Late
	r.BSlowestMS, r.BLate = max(r.BSlowestMS, tb.Slowest.Milliseconds()), r.BLate+tb.Late
	if f := result.Forfeit; f != nil {
		lost := Forfeited{Game: result.Game + 1, Player: r.A, Fault: f.Fault, Text: f.Text}
		r.Forfeits++
		if f.Side == a {
			r.AForfeits++
		} else {
			r.BForfeits++
			lost.Player = r.B
		}
		r.Forfeited = append(r.Forfeited, lost)
	}
	digest := digestOf(result)
	again := r.seen[digest]
	r.seen[digest] = true
	if again {
		r.Repeats++
	}
	r.addPair(value, result.Game%2 == 1, again)
	r.estimate()
}

// addPair counts a pair with its second game. value is 1, 0 or -1 for A; again says that the
// game equals an earlier one.
func (r *Report) addPair(value int, second, again bool) {
	if !second {
		r.open, r.stale = value+1, again
		return
	}
	if !r.stale || !again {
		r.Pairs[r.open+value+1]++
	}
	if r.test != nil {
		r.LLR = r.test.LLR(r.Pairs[:])
		r.SPRT = r.test.Decide(r.LLR)
	}
}

// estimate sets the Elo difference.
func (r *Report) estimate() {
	samples := r.Pairs[:]
	if r.Pairs == [5]int{} {
		samples = []int{r.BWins, r.Draws, r.AWins}
	}
	r.Elo, r.EloError = EstimateElo(samples)
}

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

// SPRT is Wald's sequential test of the hypothesis that A is Elo1 points stronger than B (H1)
// against Elo0 points (H0), both logistic Elo. Each is accepted wrongly with a risk of 5%.
type SPRT struct{ Elo0, Elo1 float64 }

// Verdict is the result of an [SPRT].
type Verdict string

// The verdicts. NoTest is that of a match without a test.
const (
	NoTest   Verdict = "none"
	Continue Verdict = "continue"
	AcceptH0 Verdict = "h0"
	AcceptH1 Verdict = "h1"
)

// risk is that of accepting a hypothesis where the other one holds.
const risk = 0.05

// maxElo bounds the hypotheses' Elo.
const maxElo = 1000

// Validate returns an error if the test's numbers are invalid.
func (t SPRT) Validate() error {
	switch {
	case !(math.Abs(t.Elo0) <= maxElo && math.Abs(t.Elo1) <= maxElo):
		return fmt.Errorf("sprt: elo0 %g, elo1 %g: want both in -%d..%d", t.Elo0, t.Elo1, maxElo, maxElo)
	case !(t.Elo0 < t.Elo1):
		return fmt.Errorf("sprt: elo0 %g, elo1 %g: want elo0 < elo1", t.Elo0, t.Elo1)
	}
	return nil
}

// Decide returns the verdict at a log likelihood ratio, by the bounds of Wald, "Sequential
// Tests of Statistical Hypotheses", 1945: ln((1-risk)/risk) and its negative.
func (t SPRT) Decide(llr float64) Verdict {
	bound := math.Log((1 - risk) / risk)
	switch {
	case llr >= bound:
		return AcceptH1
	case llr <= -bound:
		return AcceptH0
	}
	return Continue
}

// emptyCount replaces a count of zero, so that every score stays possible.
const emptyCount = 1e-3

// LLR returns the generalised log likelihood ratio of H1 to H0, given counts
// as in [EstimateElo]: N times the mean, over the observed distribution, of
// ln(p1/p0), where p0 and p1 are the likeliest distributions with the scores
// that H0 and H1 expect. It is 0 where nothing is counted. The counts and their substitute
// for zero are those of Fishtest, the testing framework of Stockfish.
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
// observed p (Van den Bergh, "The maximum likelihood estimator for multinomial
// distributions with a given expectation value", Proposition 1.1). All p are positive and s lies
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
