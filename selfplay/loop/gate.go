package loop

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/disk"
)

// gate compares a round's candidate with the best network.
func (l *loop) gate(ctx context.Context, r *Round) error {
	bestRound := l.state.best(r.Number)
	best, g := l.network(bestRound), &l.config.Gate
	v := &Verdict{Round: r.Number, Candidate: r.Training.Candidate, Best: best.SHA256, BestRound: bestRound}
	if v.Candidate != "" && g.Games > 0 && (best.Path != Uniform || g.First != WithNothing) {
		var err error
		if v.Match, err = l.match(ctx, r, best); err != nil {
			return fmt.Errorf("match: %w", err)
		}
	}
	v.decide()
	var before *Verdict
	if bestRound > 0 {
		before = l.state.Rounds[bestRound-1].Verdict
	}
	v.chain(before)
	if err := l.writeJSON(filepath.Join(l.roundDir(r.Number), "verdict.json"), v); err != nil {
		return err
	}
	r.Verdict = v
	if v.Candidate != "" {
		l.note(r, "%s: %s", map[bool]string{true: "promoted", false: "not promoted"}[v.Promoted], v.Reason)
	}
	return nil
}

// match plays batches until the test has decided or all games have been played. Only
// complete batches count, so the result does not depend on workers or interruptions.
func (l *loop) match(ctx context.Context, r *Round, best Network) (*MatchReport, error) {
	g, boards := &l.config.Gate, l.config.MatchBoards()
	dir := filepath.Join(l.roundDir(r.Number), "gate")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	batches := max(1, g.Games/(g.Batch*len(boards)))
	m := &MatchReport{}
	for batch := 1; batch <= batches && (batch == 1 || m.SPRT == arena.Continue); batch++ {
		before := m.Games
		m = &MatchReport{}
		for i, b := range boards {
			tally, err := l.host.Engine.Match(ctx, MatchJob{
				MatchBoard: b, Candidate: l.network(r.Number), Best: best, Playouts: g.Playouts,
				Games: batch * g.Batch, Seed: l.config.seed(r.Number, seedMatch, i),
				Journal: filepath.Join(dir, fmt.Sprintf("match-%02d.jsonl", i+1)),
				Workers: workers(l.config.Workers), Cache: l.config.Cache,
				Progress: func(done int) {
					l.progress(r, StepGate, "match", max(before, i*batch*g.Batch+done), batches*g.Batch*len(boards))
				},
			})
			if err != nil {
				return nil, err
			}
			m.add(tally)
		}
		test := arena.SPRT{Elo0: g.Elo0, Elo1: g.Elo1}
		m.Elo, m.EloError = arena.EstimateElo(m.Pairs[:])
		m.LLR = test.LLR(m.Pairs[:])
		m.SPRT = test.Decide(m.LLR)
	}
	return m, nil
}

// promote puts a promoted candidate in the best network's place.
func (l *loop) promote(_ context.Context, r *Round) error {
	if r.Verdict.Promoted {
		path := filepath.Join(l.dir, l.config.Trainer.file(bestStem))
		data, err := os.ReadFile(l.network(r.Number).Path)
		err = cmp.Or(err, os.RemoveAll(path+disk.DigestSuffix)) // it would not fit another network
		if err == nil {
			err = l.write(path, data)
		}
		if err == nil {
			err = l.writeDigest(path, r.Verdict.Candidate)
		}
		if err != nil {
			return err
		}
	}
	r.Done = true
	return nil
}

// Verdict says whether a candidate was promoted, with the evidence.
type Verdict struct {
	Round     int    `json:"round"`
	Candidate string `json:"candidate"` // SHA-256; "": there was none
	Best      string `json:"best"`      // SHA-256 of its opponent; "": uniform
	BestRound int    `json:"best_round"`
	Promoted  bool   `json:"promoted"`
	Reason    string `json:"reason"` // in a line

	Match *MatchReport `json:"match"` // nil: none was played

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
func (m *MatchReport) add(r arena.Report) {
	m.Games += r.Games
	m.Wins += r.AWins
	m.Draws += r.Draws
	m.Losses += r.BWins
	for i, n := range r.Pairs {
		m.Pairs[i] += n
	}
}

// passed reports whether the candidate passes: the test accepted Elo1, or has not decided
// and the likelihood ratio favours Elo1.
func (m *MatchReport) passed() bool {
	return m.SPRT == arena.AcceptH1 || m.SPRT == arena.Continue && m.LLR > 0
}

// decide sets Promoted and Reason by the evidence.
func (v *Verdict) decide() {
	v.Promoted = v.Candidate != "" && (v.Match == nil || v.Match.passed())
	switch {
	case v.Candidate == "":
		v.Reason = "no candidate"
	case v.Match == nil:
		v.Reason = "no match was asked for"
	default:
		v.Reason = "the match: " + v.Match.String()
	}
}

// String summarises the match.
func (m *MatchReport) String() string {
	text := fmt.Sprintf("+%d =%d -%d, Elo %+.0f +- %.0f", m.Wins, m.Draws, m.Losses, m.Elo, m.EloError)
	if m.SPRT != arena.Continue {
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
