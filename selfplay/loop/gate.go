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
	candidate, best contender
}

// contender is a network of a gate, and the directory with what is known of it: that of its own
// gate, or the loop's "start".
type contender struct {
	Network
	dir string
}

// contender returns the network of a round, that of the start for 0.
func (l *loop) contender(round int) contender {
	if round == 0 {
		return contender{l.network(0), filepath.Join(l.dir, "start")}
	}
	return contender{l.network(round), filepath.Join(l.roundDir(round), "gate")}
}

// gate compares a round's candidate with the best network.
func (l *loop) gate(ctx context.Context, r *Round) error {
	bestRound := l.state.best(r.Number)
	c := &gateRun{loop: l, round: r, candidate: l.contender(r.Number), best: l.contender(bestRound)}
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
	if err := l.writeJSON(filepath.Join(l.roundDir(r.Number), "verdict.json"), v); err != nil {
		return err
	}
	r.Verdict = v
	if v.Candidate != "" {
		l.note(r, "%s: %s", map[bool]string{true: "promoted", false: "not promoted"}[v.Promoted], v.Reason)
	}
	return nil
}

// errCandidate is wrapped by errors that the candidate causes.
var errCandidate = errors.New("the candidate is of no use")

// examine runs all tests, even if one of them already decides, so that rounds can be
// compared. The best network's results usually exist from when it was a candidate.
func (c *gateRun) examine(ctx context.Context, v *Verdict) error {
	g := &c.config.Gate
	free := c.best.Path == Uniform && g.First == WithNothing
	best, err := c.judge(ctx, c.best)
	if err != nil {
		return err
	}
	candidate, err := c.judge(ctx, c.candidate)
	if errors.Is(err, nn.ErrBroken) {
		err = fmt.Errorf("%w: %w", errCandidate, err)
	}
	if err != nil {
		return err
	}
	if g.Tactics.Playouts > 0 {
		v.Tactics = compareTactics(candidate.Tactics, best.Tactics, &g.Tactics)
		v.Tactics.Worse = v.Tactics.Worse && !free
	}
	if g.CrossCheck.Positions > 0 {
		v.Blunders = compareBlunders(candidate.Blunders, best.Blunders, g.CrossCheck.Sigmas)
		v.Blunders.Worse = v.Blunders.Worse && !free
	}
	if free || g.Games == 0 {
		return nil
	}
	match, err := c.match(ctx)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	v.Match = match
	return nil
}

// evidence is the file with the test results of one network, which depend on nothing
// else.
type evidence struct {
	Program  string         `json:"program"`
	SHA256   string         `json:"sha256"`
	Tactics  TacticsScore   `json:"tactics"`
	Blunders []BlunderScore `json:"blunders"`
}

// judge returns the results of a network's tests.
func (c *gateRun) judge(ctx context.Context, of contender) (all evidence, err error) {
	if err := os.MkdirAll(of.dir, 0o777); err != nil {
		return all, err
	}
	if c.config.Gate.Tactics.Playouts > 0 {
		if all, err = c.kept("tactics.json", of, c.tactics(ctx)); err != nil {
			return all, fmt.Errorf("tactics: %w", err)
		}
	}
	if c.config.Gate.CrossCheck.Positions > 0 {
		e, err := c.kept("blunders.json", of, c.blunders(ctx))
		if err != nil {
			return all, fmt.Errorf("cross-check: %w", err)
		}
		all.Blunders = e.Blunders
	}
	return all, nil
}

// maxEvidence bounds a file of evidence, in bytes.
const maxEvidence = 64 << 20

// kept returns the evidence in a file, and collects it first if the file is missing.
func (c *gateRun) kept(name string, of contender, collect func(contender, *evidence) error) (e evidence, err error) {
	path := filepath.Join(of.dir, name)
	text, err := disk.ReadFile(path, maxEvidence)
	if errors.Is(err, fs.ErrNotExist) {
		e = evidence{Program: c.host.Program, SHA256: of.SHA256}
		if err = collect(of, &e); err == nil {
			err = c.writeJSON(path, &e)
		}
		return e, err
	}
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err == nil && e.SHA256 != of.SHA256 {
		err = errors.New("it is of another network")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w; remove it, and it will be made again", path, err)
	}
	return e, err
}

// tactics runs networks on the tactical suite of the rule sets that are played.
func (c *gateRun) tactics(ctx context.Context) func(contender, *evidence) error {
	var rules []string
	for _, b := range c.config.boards() {
		rules = append(rules, b.Rule)
	}
	return func(of contender, e *evidence) (err error) {
		e.Tactics, err = c.host.Examiner.Solve(ctx, of.Network, distinct(rules), c.config.Gate.Tactics,
			func(done, of int) { c.progress(c.round, StepGate, "tactics", done, of) })
		return err
	}
}

// blunders cross-checks networks on the fixed positions: by default those of the first round's
// games.
func (c *gateRun) blunders(ctx context.Context) func(contender, *evidence) error {
	inputs := c.config.Gate.CrossCheck.Input
	if len(inputs) == 0 {
		inputs = c.samplesDirs(1, 1)
	}
	return func(of contender, e *evidence) error {
		for i, input := range inputs {
			score, err := c.host.Examiner.CrossCheck(ctx, CrossCheckJob{
				CrossCheck: c.config.Gate.CrossCheck, Network: of.Network, Source: input,
				Rows: filepath.Join(of.dir, fmt.Sprintf("rows-%02d.jsonl", i+1)),
				Seed: c.config.seed(0, seedCrossCheck, i), Workers: workers(c.config.Workers), Cache: c.config.Cache,
				Progress: func(done, of int) { c.progress(c.round, StepGate, "cross-check", done, of) },
			})
			if err != nil {
				return err
			}
			score.Source = filepath.Base(input)
			e.Blunders = append(e.Blunders, score)
		}
		return nil
	}
}

// match plays batches until the test has decided or all games have been played. Only
// complete batches count, so the result does not depend on workers or interruptions.
func (c *gateRun) match(ctx context.Context) (*MatchReport, error) {
	g, boards := &c.config.Gate, c.config.MatchBoards()
	batches := max(1, g.Games/(g.Batch*len(boards)))
	m := &MatchReport{}
	for batch := 1; batch <= batches && (batch == 1 || m.SPRT == arena.Continue); batch++ {
		before := m.Games
		m = &MatchReport{}
		for i, b := range boards {
			tally, err := c.host.Referee.Match(ctx, MatchJob{
				MatchBoard: b, Candidate: c.candidate.Network, Best: c.best.Network, Playouts: g.Playouts,
				Games: batch * g.Batch, Seed: c.config.seed(c.round.Number, seedMatch, i),
				Journal: filepath.Join(c.candidate.dir, fmt.Sprintf("match-%02d.jsonl", i+1)),
				Workers: workers(c.config.Workers), Cache: c.config.Cache,
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

// promote puts a promoted candidate in the best network's place.
func (l *loop) promote(_ context.Context, r *Round) error {
	if r.Verdict.Promoted {
		data, err := os.ReadFile(l.network(r.Number).Path)
		path := filepath.Join(l.dir, l.config.Trainer.file(bestStem))
		if err == nil {
			err = removeDigest(path)
		}
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
	both := 0
	for _, n := range a {
		if _, found := slices.BinarySearch(b, n); found {
			both++
		}
	}
	return len(a) - both, len(b) - both
}

// Blunders returns how many of the positions are blunders.
func Blunders(list []BlunderScore) (blunders, positions int) {
	for _, s := range list {
		blunders += len(s.Blunders)
		positions += s.Positions
	}
	return blunders, positions
}

// TacticsScore is the result of a network on the suite.
type TacticsScore struct {
	Wins   int      `json:"wins"` // positions with a winning move
	Won    int      `json:"won"`
	Holds  int      `json:"holds"` // positions with one move that holds
	Held   int      `json:"held"`
	Missed []string `json:"missed"`
}

// Asked returns the number of positions.
func (s TacticsScore) Asked() int { return s.Wins + s.Holds }

// Unsolved returns the number of positions in which the right move was not found.
func (s TacticsScore) Unsolved() int { return s.Wins - s.Won + s.Holds - s.Held }

// BlunderScore is the result of a network on the positions of one input.
type BlunderScore struct {
	Source    string  `json:"source"`
	Positions int     `json:"positions"`
	Blunders  []int   `json:"blunders"`  // the positions where the search's move is a proven blunder, ascending
	Brier     float64 `json:"net_brier"` // of the network's value; 0 without outcomes
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
