package report

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/front/tune"
)

// Tune is what "tune" prints.
type Tune struct {
	Player     string          `json:"player"`
	Boards     []string        `json:"boards"`
	Trials     int             `json:"trials"`
	Of         int             `json:"of"`
	Pairs      int             `json:"pairs"` // of a trial
	Parameters []TuneParameter `json:"parameters"`
	Tuned      string          `json:"tuned"` // the player with the results
	Match      *TuneMatch      `json:"match"` // null: none was played
	Out        string          `json:"out,omitempty"`

	text string // of the match
}

// TuneParameter is a setting with the best value that was found.
type TuneParameter struct {
	tune.Parameter
	Result float64 `json:"result"`
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

// NewTune returns the report of a tuning of so many trials, with the player before and
// after.
func NewTune(player, tuned string, boards []string, of int, r *tune.Result, out string) *Tune {
	t := &Tune{Player: player, Tuned: tuned, Boards: boards, Trials: r.Trials, Of: of, Pairs: r.Pairs, Out: out, text: r.MatchText()}
	for _, e := range r.Estimates {
		t.Parameters = append(t.Parameters, TuneParameter{e.Parameter, e.Result})
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
	fmt.Fprintf(w, "%d of %d trials of %d pairs\n", t.Trials, t.Of, t.Pairs)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "setting\tstart\tresult\trange")
	for _, p := range t.Parameters {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s..%s\n", p.Name, decimal(p.Start), decimal(p.Result), decimal(p.Min), decimal(p.Max))
	}
	table.Flush()
	fmt.Fprintln(w, "with the results:", t.Tuned)
	if t.Match != nil {
		fmt.Fprintln(w, t.text)
	}
	if t.Out != "" {
		fmt.Fprintln(w, "written:", t.Out)
	}
}
