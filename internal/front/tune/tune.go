package tune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/journal"
)

// Objective plays games. What it returns is a function of what it is asked.
type Objective interface {
	// Opening returns an opening of the match that none of before is, for the round
	// of the match with that number.
	Opening(ctx context.Context, round int, before []Opening) (Opening, error)

	// Play plays the pairs of a round and returns their number by A's points: 0, 1/2,
	// 1, 3/2, 2. fixed are all openings of the match: a round of the match plays its
	// own share of them, a trial none.
	Play(ctx context.Context, r Round, pairs int, fixed []Opening) ([5]int, error)
}

// Round is some pairs of games of two settings: a trial, or a part of the match.
type Round struct {
	Match  bool      `json:"match,omitempty"`
	Number int       `json:"number"` // among the trials or in the match, from 0
	A      []float64 `json:"a"`
	B      []float64 `json:"b"`
}

// Options describe a tuning.
type Options struct {
	Parameters []Parameter
	Method     Method // fresh; it belongs to the tuning
	Trials     int
	Pairs      int // of a round
	Objective  Objective

	MatchRounds int        // at most, of the match of the result against the start; 0: none
	SPRT        arena.SPRT // of the match

	Setup    []Item // what the tuning depends on; a journal goes on only under the same
	Journal  string // "": none
	Resume   bool   // go on with the journal
	Progress func(what string, done, of int)
}

// Tuning looks for the best values of parameters.
type Tuning struct {
	opts     Options
	log      *journal.Journal
	openings []Opening
	result   Result
}

// Result is what is known of a tuning.
type Result struct {
	Estimates []Estimate
	Trials    int       // those that were counted
	Course    []Reached // what was best after some of them
	Pairs     int       // of a trial

	Openings int    // fixed for the match
	Digest   string // SHA-256 of these, "" until all are there

	Match   [5]int // the pairs that were counted, by the result's points
	LLR     float64
	Verdict arena.Verdict
}

// Estimate is a parameter with the best value that was found.
type Estimate struct {
	Parameter
	Result float64
	Error  float64 // half a 95% interval; +Inf: the games do not tell
}

// Reached is what was best after some trials.
type Reached struct {
	Trials         int
	Values, Errors []float64 // by parameter, as [Method].Best returns them
}

// shownPoints is about how many points of the course a tuning keeps.
const shownPoints = 40

// New returns a tuning.
func New(o Options) (*Tuning, error) {
	if o.Method == nil || o.Objective == nil || o.Trials < 1 || o.Pairs < 1 {
		return nil, errors.New("tuning: want a method, an objective, and one trial or more, each of a pair or more")
	}
	if o.MatchRounds > 0 {
		if err := o.SPRT.Validate(); err != nil {
			return nil, err
		}
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	return &Tuning{opts: o}, nil
}

// Run fixes the openings of the match, makes the trials, and plays the match. With an
// error, ctx's included, the result covers what was counted, and another tuning of the
// same options continues from the journal. It runs once.
func (t *Tuning) Run(ctx context.Context) (r Result, err error) {
	t.result = Result{Pairs: t.opts.Pairs, Verdict: arena.NoTest}
	if t.log, err = openJournal(t.opts.Journal, t.opts.Resume, t.opts.Setup); err != nil {
		t.estimate()
		return t.result, fmt.Errorf("journal: %w", err)
	}
	for _, part := range []func(context.Context) error{t.fix, t.climb, t.confirm} {
		if err = part(ctx); err != nil {
			break
		}
	}
	if err == nil {
		err = t.finished()
	}
	t.estimate()
	return t.result, errors.Join(err, t.log.Close())
}

// fix fixes the openings of the match.
func (t *Tuning) fix(ctx context.Context) error {
	want := t.opts.MatchRounds * t.opts.Pairs
	for i := range want {
		t.opts.Progress("openings", i, want)
		known, err := t.next()
		if err != nil {
			return err
		}
		if known == nil {
			opening, err := t.opts.Objective.Opening(ctx, i/t.opts.Pairs, t.openings)
			if err != nil {
				return err
			}
			if err := t.log.Append(row{Opening: &opening}); err != nil {
				return err
			}
			known = &row{Opening: &opening}
		}
		if known.Opening == nil {
			return t.log.Refuse(fmt.Errorf("want opening %d of %d", i+1, want))
		}
		t.openings = append(t.openings, *known.Opening)
	}
	t.result.Openings = want
	if want == 0 {
		return nil
	}
	list, err := json.Marshal(t.openings)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(list)
	t.result.Digest = hex.EncodeToString(sum[:])
	known, err := t.next()
	switch {
	case err != nil:
		return err
	case known == nil:
		return t.log.Append(row{Digest: t.result.Digest})
	case known.Digest != t.result.Digest:
		return t.log.Refuse(fmt.Errorf("the digest of the openings is %q: want %q, they were changed", known.Digest, t.result.Digest))
	}
	return nil
}

// climb makes the trials.
func (t *Tuning) climb(ctx context.Context) error {
	for k := range t.opts.Trials {
		t.opts.Progress("trials", k, t.opts.Trials)
		trial := t.opts.Method.Propose()
		pairs, err := t.play(ctx, Round{Number: k, A: trial.A, B: trial.B})
		if err != nil {
			return err
		}
		t.opts.Method.Tell(scoreOf(pairs))
		t.result.Trials = k + 1
		if (k+1)*shownPoints/t.opts.Trials > k*shownPoints/t.opts.Trials {
			values, bounds := t.opts.Method.Best()
			t.result.Course = append(t.result.Course, Reached{k + 1, values, bounds})
		}
	}
	return nil
}

// confirm plays the match of the result against the start, until its test decides.
func (t *Tuning) confirm(ctx context.Context) error {
	start := make([]float64, len(t.opts.Parameters))
	for i, p := range t.opts.Parameters {
		start[i] = p.Start
	}
	best, _ := t.opts.Method.Best()
	if t.opts.MatchRounds == 0 || slices.Equal(best, start) {
		return nil
	}
	t.result.Verdict = arena.Continue
	for k := range t.opts.MatchRounds {
		t.opts.Progress("match", k, t.opts.MatchRounds)
		pairs, err := t.play(ctx, Round{Match: true, Number: k, A: best, B: start})
		if err != nil {
			return err
		}
		for i, n := range pairs {
			t.result.Match[i] += n
		}
		t.result.LLR = t.opts.SPRT.LLR(t.result.Match[:])
		if t.result.Verdict = t.opts.SPRT.Decide(t.result.LLR); t.result.Verdict != arena.Continue {
			return nil
		}
	}
	return nil
}

// play returns the pairs of a round from the journal, or plays them and keeps them
// there.
func (t *Tuning) play(ctx context.Context, r Round) ([5]int, error) {
	known, err := t.next()
	if err != nil {
		return [5]int{}, err
	}
	if known == nil {
		pairs, err := t.opts.Objective.Play(ctx, r, t.opts.Pairs, t.openings)
		if err == nil {
			err = t.log.Append(row{Round: &r, Pairs: &pairs})
		}
		return pairs, err
	}
	if known.Round == nil || known.Pairs == nil || known.Round.Match != r.Match || known.Round.Number != r.Number ||
		!slices.Equal(known.Round.A, r.A) || !slices.Equal(known.Round.B, r.B) {
		what := "trial"
		if r.Match {
			what = "round of the match"
		}
		return [5]int{}, t.log.Refuse(fmt.Errorf("want %s %d with %v against %v", what, r.Number, r.A, r.B))
	}
	counted := 0
	for _, n := range known.Pairs {
		if n < 0 || n > t.opts.Pairs {
			counted = t.opts.Pairs + 1
			break
		}
		counted += n
	}
	if counted != t.opts.Pairs {
		return [5]int{}, t.log.Refuse(fmt.Errorf("pairs %v: want %d", *known.Pairs, t.opts.Pairs))
	}
	return *known.Pairs, nil
}

// finished returns an error if there is more in the journal than was asked for.
func (t *Tuning) finished() error {
	more, err := t.next()
	if err == nil && more != nil {
		err = t.log.Refuse(errors.New("the tuning was over before: want no more lines"))
	}
	return err
}

// scoreOf returns the mean score in -1..1 of pairs that are counted by points.
func scoreOf(pairs [5]int) float64 {
	sum, n := 0, 0
	for points, count := range pairs {
		sum += (points - 2) * count
		n += count
	}
	return float64(sum) / float64(2*max(1, n))
}

// estimate enters the best values and their errors in the result.
func (t *Tuning) estimate() {
	best, bounds := t.opts.Method.Best()
	for i, p := range t.opts.Parameters {
		t.result.Estimates = append(t.result.Estimates, Estimate{Parameter: p, Result: best[i], Error: bounds[i]})
	}
}
