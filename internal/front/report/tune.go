package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/front/tune"
)

// Tune is what "tune" prints.
type Tune struct {
	Player     string          `json:"player"`
	Method     string          `json:"method"`
	Boards     []string        `json:"boards"`
	Trials     int             `json:"trials"`
	Of         int             `json:"of"`
	Pairs      int             `json:"pairs"` // of a trial
	Parameters []TuneParameter `json:"parameters"`
	Tuned      string          `json:"tuned"`    // the player with the results
	Openings   *TuneOpenings   `json:"openings"` // null: no match was asked for
	Match      *TuneMatch      `json:"match"`    // null: none was played
	Out        string          `json:"out,omitempty"`

	text string // of the match
}

// TuneParameter is a setting with the best value that was found.
type TuneParameter struct {
	tune.Parameter
	Result float64  `json:"result"`
	Error  *float64 `json:"error"` // half a 95% interval; null: the games do not tell
}

// TuneOpenings are those that were fixed for the match.
type TuneOpenings struct {
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"`
}

// TuneMatch is the match of the result against the start.
type TuneMatch struct {
	Games    int           `json:"games"`
	Pairs    [5]int        `json:"pairs"` // by the result's points: 0, 1/2, 1, 3/2, 2
	Elo      float64       `json:"elo"`
	EloError float64       `json:"elo_error"`
	LLR      float64       `json:"llr"`
	SPRT     arena.Verdict `json:"sprt"`
}

// NewTune returns the report of a tuning of so many trials by a method, with the player
// before and after.
func NewTune(player, tuned, method string, boards []string, of int, r *tune.Result, out string) *Tune {
	t := &Tune{Player: player, Tuned: tuned, Method: method, Boards: boards, Trials: r.Trials, Of: of, Pairs: r.Pairs, Out: out, text: r.MatchText()}
	for _, e := range r.Estimates {
		p := TuneParameter{Parameter: e.Parameter, Result: e.Result}
		if !math.IsInf(e.Error, 1) {
			p.Error = &e.Error
		}
		t.Parameters = append(t.Parameters, p)
	}
	if r.Digest != "" {
		t.Openings = &TuneOpenings{Count: r.Openings, SHA256: r.Digest}
	}
	if r.Verdict != arena.NoTest {
		m := &TuneMatch{Pairs: r.Match, LLR: r.LLR, SPRT: r.Verdict}
		for _, n := range r.Match {
			m.Games += 2 * n
		}
		m.Elo, m.EloError = arena.EstimateElo(r.Match[:])
		t.Match = m
	}
	return t
}

// decimal writes a number with all its digits and without an exponent.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Text implements [Report].
func (t *Tune) Text(w io.Writer) {
	fmt.Fprintf(w, "%d of %d trials of %d pairs, by %s\n", t.Trials, t.Of, t.Pairs, t.Method)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "setting\tstart\tresult\terror\trange")
	for _, p := range t.Parameters {
		bound := "not known"
		if p.Error != nil {
			bound = fmt.Sprintf("+- %.2g", *p.Error)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s..%s\n", p.Name, decimal(p.Start), decimal(p.Result), bound, decimal(p.Min), decimal(p.Max))
	}
	table.Flush()
	fmt.Fprintln(w, "with the results:", t.Tuned)
	if t.Openings != nil {
		fmt.Fprintf(w, "%s\n%d openings of the match, SHA-256 %s\n", t.text, t.Openings.Count, t.Openings.SHA256)
	}
	if t.Out != "" {
		fmt.Fprintln(w, "written:", t.Out)
	}
}
