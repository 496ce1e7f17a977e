package bench

import (
	"context"
	"slices"
	"time"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/tactics"
)

// Tactics is how fast the classical search sees the wins of the tactical suite.
type Tactics struct {
	Rules    []TacticsRule `json:"rules"`
	Problems int           `json:"problems"`
	Solved   int           `json:"solved"`
	Nodes    int64         `json:"nodes"` // of all searches
	TimeMS   float64       `json:"time_ms"`
	Median   int64         `json:"median_nodes"` // of the solved problems
}

// TacticsRule is the same of one rule set.
type TacticsRule struct {
	Rule     string  `json:"rule"`
	Problems int     `json:"problems"`
	Solved   int     `json:"solved"`
	Nodes    int64   `json:"nodes"`
	TimeMS   float64 `json:"time_ms"`
}

// MeasureTactics searches the suite's positions with a win, each from an empty
// table until the search claims a win or has spent the nodes.
func MeasureTactics(ctx context.Context, o AlphaBetaOptions, nodes int64, progress func()) (*Tactics, error) {
	suite, err := tactics.Suite()
	if err != nil {
		return nil, err
	}
	suite = slices.DeleteFunc(suite, func(p tactics.Problem) bool { return p.Outcome != vcf.Win })
	r := &Tactics{Problems: len(suite)}
	var solved []int64
	for _, p := range suite {
		found, err := solveClassically(ctx, p, o, nodes)
		if err != nil {
			return nil, err
		}
		rule := r.rule(p.Rule)
		rule.Problems++
		rule.Nodes += found.Stats.Nodes
		rule.TimeMS += milliseconds(found.Stats.Elapsed)
		if found.Proof.Result == engine.Win && found.Proof.Plies > 0 {
			rule.Solved++
			solved = append(solved, found.Stats.Nodes)
		}
		progress()
	}
	for _, rule := range r.Rules {
		r.Solved += rule.Solved
		r.Nodes += rule.Nodes
		r.TimeMS += rule.TimeMS
	}
	if slices.Sort(solved); len(solved) > 0 {
		r.Median = solved[len(solved)/2]
	}
	return r, nil
}

// rule returns the entry of a rule set.
func (t *Tactics) rule(name string) *TacticsRule {
	i := slices.IndexFunc(t.Rules, func(r TacticsRule) bool { return r.Rule == name })
	if i < 0 {
		i = len(t.Rules)
		t.Rules = append(t.Rules, TacticsRule{Rule: name})
	}
	return &t.Rules[i]
}

// solveClassically searches a problem until a win is claimed.
func solveClassically(ctx context.Context, p tactics.Problem, o AlphaBetaOptions, nodes int64) (*engine.Answer, error) {
	v, err := games.NewVariant(games.VariantOptions{Rule: p.Rule, Size: p.Size})
	if err != nil {
		return nil, err
	}
	pos, err := v.Parse(p.Position)
	if err != nil {
		return nil, err
	}
	c, err := search.NewClassical(v, o.classical())
	if err != nil {
		return nil, err
	}
	// A claimed win ends the search by itself.
	return engine.Complete(ctx, c, pos, engine.Limits{Nodes: nodes})
}

// Settled is how soon searches of a given time have found, for good, the move
// and the score that they end with.
type Settled struct {
	Positions int     `json:"positions"`
	TimeMS    float64 `json:"time_ms"` // of each search
	MeanMS    float64 `json:"mean_ms"`
	MedianMS  float64 `json:"median_ms"`
	Depth     float64 `json:"mean_depth"`
}

// sameScore is how far from the last score one still counts as found, in units
// of the evaluation.
const sameScore = 30

// MeasureSettled searches each quiet position for a time.
func MeasureSettled(ctx context.Context, v games.Variant, o AlphaBetaOptions, limit time.Duration, progress func()) (*Settled, error) {
	_, list, err := quietPositions(v)
	if err != nil {
		return nil, err
	}
	c, err := search.NewClassical(v, o.classical())
	if err != nil {
		return nil, err
	}
	r := &Settled{Positions: len(list), TimeMS: milliseconds(limit)}
	var times []float64
	for _, pos := range list {
		c.Forget()
		var reports []*engine.Answer
		found, err := engine.Complete(ctx, c, pos, engine.Limits{
			Clock: engine.Clock{Turn: limit}, Report: func(a *engine.Answer) { reports = append(reports, a) },
		})
		if err != nil {
			return nil, err
		}
		times = append(times, milliseconds(settledAfter(found, reports)))
		r.Depth += float64(found.Stats.Depth) / float64(len(list))
		progress()
	}
	slices.Sort(times)
	for _, t := range times {
		r.MeanMS += t / float64(len(times))
	}
	r.MedianMS = times[len(times)/2]
	return r, nil
}

// settledAfter returns when the search had its last move and score for good: the
// end of the first iteration of those that agree with it to the last. reports has
// what was found at the end of each.
func settledAfter(last *engine.Answer, reports []*engine.Answer) time.Duration {
	after, score := last.Stats.Elapsed, last.Moves[0].Score
	for _, a := range slices.Backward(reports) {
		if a.Move != last.Move || max(a.Moves[0].Score-score, score-a.Moves[0].Score) > sameScore {
			break
		}
		after = a.Stats.Elapsed
	}
	return after
}
