package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/nn"
)

// gateRun is one round's gate: the candidate against the best network.
type gateRun struct {
	*loop
	round           *Round
	dir             string
	candidate, best Network
	bestRound       int
}

// gate compares a round's candidate with the best network.
func (l *loop) gate(ctx context.Context, r *Round) error {
	bestRound := l.state.best(r.Number)
	c := &gateRun{
		loop: l, round: r, dir: filepath.Join(roundDir(l.dir, r.Number), "gate"),
		candidate: l.network(r.Number), best: l.network(bestRound), bestRound: bestRound,
	}
	v := &Verdict{Round: r.Number, Candidate: r.Training.Candidate, Best: c.best.SHA256, BestRound: bestRound}
	if v.Candidate != "" {
		switch err := c.examine(ctx, v); {
		case errors.Is(err, errCandidate):
			v.Broken = oneLine(err.Error())
		case err != nil:
			return err
		}
	}
	v.decide()
	var best *Verdict
	if bestRound > 0 {
		best = l.state.Rounds[bestRound-1].Verdict
	}
	v.chain(best)
	if err := l.writeJSON(filepath.Join(roundDir(l.dir, r.Number), "verdict.json"), v); err != nil {
		return err
	}
	r.Verdict = v
	if v.Candidate != "" {
		l.note(r, "%s: %s", map[bool]string{true: "promoted", false: "not promoted"}[v.Promoted], v.Reason)
	}
	return nil
}

// examine runs all tests, even if one of them already decides, so that rounds can be
// compared.
func (c *gateRun) examine(ctx context.Context, v *Verdict) error {
	if err := c.halt("examine the candidate"); err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	free := c.best.Path == Uniform && c.config.Gate.First == WithNothing
	if c.config.Gate.Tactics.Playouts > 0 {
		candidate, best, err := c.both(ctx, c.tactics)
		if err != nil {
			return fmt.Errorf("tactics: %w", err)
		}
		v.Tactics = compareTactics(candidate.Tactics, best.Tactics, &c.config.Gate.Tactics)
		v.Tactics.Worse = v.Tactics.Worse && !free
	}
	if c.config.Gate.CrossCheck.Positions > 0 {
		candidate, best, err := c.both(ctx, c.blunders)
		if err != nil {
			return fmt.Errorf("cross-check: %w", err)
		}
		v.Blunders = compareBlunders(candidate.Blunders, best.Blunders, c.config.Gate.CrossCheck.Sigmas)
		v.Blunders.Worse = v.Blunders.Worse && !free
	}
	if free || c.config.Gate.Games == 0 {
		return nil
	}
	match, err := c.match(ctx)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	v.Match = match
	return nil
}

// match plays batches until the test has decided or all games have been played. Only
// complete batches count, so the result does not depend on workers or interruptions.
func (c *gateRun) match(ctx context.Context) (*MatchReport, error) {
	g := &c.config.Gate
	boards := c.config.MatchBoards()
	batches := max(1, g.Games/(g.Batch*len(boards)))
	m := &MatchReport{}
	for batch := 1; batch <= batches && (batch == 1 || m.SPRT == arena.Continue); batch++ {
		before := m.Games
		m = &MatchReport{}
		for i, b := range boards {
			if err := c.halt(fmt.Sprintf("play batch %d on board %d", batch, i+1)); err != nil {
				return nil, err
			}
			tally, err := c.host.Referee.Match(ctx, MatchJob{
				MatchBoard: b, Candidate: c.candidate, Best: c.best, Playouts: g.Playouts, Games: batch * g.Batch,
				Seed:    c.config.seed(c.round.Number, seedMatch, i),
				Journal: filepath.Join(c.dir, fmt.Sprintf("match-%02d.jsonl", i+1)),
				Workers: c.workers(), Cache: c.config.Cache,
				Progress: func(done int) {
					c.progress(c.round, StepGate, "match", max(before, i*batch*g.Batch+done), batches*g.Batch*len(boards))
				},
			})
			if err != nil {
				return nil, err
			}
			m.add(tally)
		}
		m.finish(g.test())
	}
	return m, nil
}

// evidence is the file with the test results of one network, which depend on nothing
// else.
type evidence struct {
	Program  string         `json:"program"`
	SHA256   string         `json:"sha256"`
	Tactics  TacticsScore   `json:"tactics"`
	Blunders []BlunderScore `json:"blunders"`
}

// examination runs one test on a network and keeps the results in a directory.
type examination func(ctx context.Context, n Network, dir string) (evidence, error)

// both runs a test on the candidate and on the best network, whose results usually
// exist from when it was a candidate.
func (c *gateRun) both(ctx context.Context, ask examination) (candidate, best evidence, err error) {
	bestDir := filepath.Join(c.loop.dir, "start")
	if c.bestRound > 0 {
		bestDir = filepath.Join(roundDir(c.loop.dir, c.bestRound), "gate")
	}
	if err = os.MkdirAll(bestDir, 0o777); err != nil {
		return candidate, best, err
	}
	if best, err = ask(ctx, c.best, bestDir); err != nil {
		return candidate, best, err
	}
	if candidate, err = ask(ctx, c.candidate, c.dir); errors.Is(err, nn.ErrBroken) {
		err = fmt.Errorf("%w: %w", errCandidate, err)
	}
	return candidate, best, err
}

// errCandidate is wrapped by errors that the candidate causes.
var errCandidate = errors.New("the candidate is of no use")

// tactics runs a network on the tactical suite.
func (c *gateRun) tactics(ctx context.Context, n Network, dir string) (evidence, error) {
	return c.kept(filepath.Join(dir, "tactics.json"), n, func(e *evidence) (err error) {
		e.Tactics, err = c.host.Examiner.Solve(ctx, n, c.rules(), c.config.Gate.Tactics, func(done, of int) {
			c.progress(c.round, StepGate, "tactics", done, of)
		})
		return err
	})
}

// rules returns the names of the rule sets that are played.
func (c *gateRun) rules() []string {
	var rules []string
	for _, b := range c.config.boards() {
		if !slices.Contains(rules, b.Rule) {
			rules = append(rules, b.Rule)
		}
	}
	return rules
}

// blunders cross-checks a network on the fixed positions.
func (c *gateRun) blunders(ctx context.Context, n Network, dir string) (evidence, error) {
	return c.kept(filepath.Join(dir, "blunders.json"), n, func(e *evidence) error {
		for i, input := range c.inputs() {
			score, err := c.host.Examiner.CrossCheck(ctx, CrossCheckJob{
				CrossCheck: c.config.Gate.CrossCheck, Network: n, Source: input,
				Rows: filepath.Join(dir, fmt.Sprintf("rows-%02d.jsonl", i+1)),
				Seed: c.config.seed(0, seedCrossCheck, i), Workers: c.workers(), Cache: c.config.Cache,
				Progress: func(done, of int) { c.progress(c.round, StepGate, "cross-check", done, of) },
			})
			if err != nil {
				return err
			}
			score.Source = filepath.Base(input)
			e.Blunders = append(e.Blunders, score)
		}
		return nil
	})
}

// inputs returns where the fixed positions come from.
func (c *gateRun) inputs() []string {
	if list := c.config.Gate.CrossCheck.Input; len(list) > 0 {
		return list
	}
	var list []string
	for _, t := range c.config.tables(1) {
		list = append(list, filepath.Join(roundDir(c.loop.dir, 1), "samples", t.name()))
	}
	return list
}

// mostEvidence bounds a file of evidence, in bytes.
const mostEvidence = 64 << 20

// kept returns the evidence in a file, and collects it first if the file is missing.
func (c *gateRun) kept(path string, n Network, ask func(*evidence) error) (evidence, error) {
	var e evidence
	text, err := disk.ReadFile(path, mostEvidence)
	if err == nil {
		if err = json.Unmarshal(text, &e); err == nil && e.SHA256 != n.SHA256 {
			err = errors.New("it is of another network")
		}
		if err != nil {
			err = fmt.Errorf("%s: %w; remove it, and it will be made again", path, err)
		}
		return e, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return e, err
	}
	if err := c.halt("examine " + filepath.Base(path)); err != nil {
		return e, err
	}
	e = evidence{Program: c.host.Program, SHA256: n.SHA256}
	if err := ask(&e); err != nil {
		return e, err
	}
	return e, c.writeJSON(path, &e)
}

// promote puts a promoted candidate in the best network's place.
func (l *loop) promote(r *Round) error {
	if r.Verdict.Promoted {
		data, err := os.ReadFile(filepath.Join(roundDir(l.dir, r.Number), l.config.Trainer.file(netStem)))
		if err != nil {
			return err
		}
		name := l.config.Trainer.file(bestStem)
		path := filepath.Join(l.dir, name)
		if err := l.halt("promote the candidate"); err != nil {
			return err
		}
		// Remove the old digest first: it would not match the new network.
		if err := os.Remove(path + digestName); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := l.write(path, data); err != nil {
			return err
		}
		if err := l.write(path+digestName, []byte(r.Verdict.Candidate+"  "+name+"\n")); err != nil {
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
		v.Reason = fmt.Sprintf("tactics: %d of %d missed, the best network %d", t.Candidate.Unsolved(), t.Candidate.Asked(),
			t.Best.Unsolved())
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
