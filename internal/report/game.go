package report

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/tactics"
	"github.com/carozero/carozero/internal/tune"
	"github.com/carozero/carozero/selfplay"
)

// Match is what "match" prints.
type Match struct {
	Rule string `json:"rule"`
	Size int    `json:"size"`
	arena.Report
}

// Text implements [Report].
func (m *Match) Text(w io.Writer) {
	fmt.Fprintf(w, "%s against %s (%s %dx%d): %d games, +%d =%d -%d, Elo %+.0f +- %.0f\n",
		m.A, m.B, m.Rule, m.Size, m.Size, m.Games, m.AWins, m.Draws, m.BWins, m.Elo, m.EloError)
	fmt.Fprintf(w, "first player won %d; forfeits %d", m.FirstWins, m.Forfeits)
	if m.SPRT != arena.NoTest {
		fmt.Fprintf(w, "; SPRT %s, LLR %.2f", m.SPRT, m.LLR)
	}
	if m.Repeats > 0 {
		fmt.Fprintf(w, "; %d games equal an earlier one: more openings would tell more", m.Repeats)
	}
	fmt.Fprintln(w)
	if m.ASlowestMS+m.BSlowestMS > 0 {
		fmt.Fprintf(w, "slowest move %d and %d ms; moves over the limit %d and %d\n", m.ASlowestMS, m.BSlowestMS, m.ALate,
			m.BLate)
	}
	for i, f := range m.Forfeited {
		if i == shownForfeits {
			fmt.Fprintf(w, "and %d more forfeits\n", len(m.Forfeited)-i)
			break
		}
		fmt.Fprintf(w, "game %d: %s forfeits (%s): %s\n", f.Game, f.Player, f.Fault, single(f.Text))
	}
}

// shownForfeits is how many forfeits the text explains.
const shownForfeits = 10

// Selfplay is what "selfplay" prints.
type Selfplay struct {
	Dir           string  `json:"dir"`
	Rule          string  `json:"rule"`
	Size          int     `json:"size"`
	Model         string  `json:"model"`
	Games         int     `json:"games"`
	GamesOnDisk   int     `json:"games_on_disk"`
	GamesWanted   int     `json:"games_wanted"`
	Lost          int     `json:"games_lost,omitempty"` // in progress when the run was interrupted
	Shards        int     `json:"shards"`
	Positions     int     `json:"positions"`
	FirstWins     int     `json:"first_wins"`
	SecondWins    int     `json:"second_wins"`
	Draws         int     `json:"draws"`
	Resigned      int     `json:"resigned,omitempty"`
	Audited       int     `json:"audited,omitempty"`       // played on to audit resignation
	WouldResign   int     `json:"would_resign,omitempty"`  // of these
	FalseResigns  int     `json:"false_resigns,omitempty"` // of these, by a side that did not lose
	MeanLength    float64 `json:"mean_length"`
	PositionsPerS float64 `json:"positions_per_s"`
	EvalsPerS     float64 `json:"evals_per_s"`
	CacheHits     float64 `json:"cache_hits"`
	NodesPerS     float64 `json:"nodes_per_s,omitempty"` // of a teacher
	Seconds       float64 `json:"seconds"`
}

// NewSelfplay returns the report of a run.
func NewSelfplay(v games.Variant, model, dir string, s selfplay.Summary) *Selfplay {
	return &Selfplay{
		Dir: dir, Rule: v.Rule(), Size: v.Size, Model: model,
		Games: s.Games, GamesOnDisk: s.OnDisk, GamesWanted: s.Of, Lost: s.Lost, Shards: s.Shards, Positions: s.Positions,
		Resigned: s.Resigned, Audited: s.Audited, WouldResign: s.WouldResign, FalseResigns: s.FalseResigns,
		FirstWins: s.First, SecondWins: s.Second, Draws: s.Draws,
		MeanLength: s.MeanLength(), PositionsPerS: s.PositionsPerSecond(), EvalsPerS: s.EvalsPerSecond(),
		CacheHits: s.Stats.HitRate(), NodesPerS: s.NodesPerSecond(), Seconds: s.Elapsed.Seconds(),
	}
}

// Text implements [Report].
func (r *Selfplay) Text(w io.Writer) {
	fmt.Fprintf(w, "%s on %dx%d with %s: %d games, %d positions in %.1f s, %d of %d games on disk, %d shards in %s\n",
		r.Rule, r.Size, r.Size, r.Model, r.Games, r.Positions, r.Seconds, r.GamesOnDisk, r.GamesWanted, r.Shards, r.Dir)
	fmt.Fprintf(w, "first %d, second %d, draws %d; mean length %.1f moves\n", r.FirstWins, r.SecondWins, r.Draws,
		r.MeanLength)
	if r.Audited > 0 {
		auditLine(w, r.Resigned, r.Audited, r.WouldResign, r.FalseResigns)
	}
	if r.NodesPerS > 0 {
		fmt.Fprintf(w, "%.1f positions/s, %.0f nodes/s\n", r.PositionsPerS, r.NodesPerS)
		return
	}
	fmt.Fprintf(w, "%.1f positions/s, %.0f evals/s, %.1f%% cache hits\n", r.PositionsPerS, r.EvalsPerS, 100*r.CacheHits)
}

// Crosscheck is what "crosscheck" prints.
type Crosscheck struct {
	Rule  string `json:"rule"`
	Size  int    `json:"size"`
	Model string `json:"model"`
	crosscheck.Summary
	Rows string `json:"rows,omitempty"`
}

// Text implements [Report].
func (r *Crosscheck) Text(w io.Writer) {
	fmt.Fprintf(w, "%s %dx%d with %s: %d of %d positions\n", r.Rule, r.Size, r.Size, r.Model, r.Positions, r.Of)
	fmt.Fprintf(w, "agree %d, differ %d, unproven %d, MCTS blunders %d (%d lose, %d miss a win), alpha-beta blunders "+
		"%d (%d lose, %d miss a win; %d beside MCTS's)\n",
		r.Agree, r.Differ, r.Unproven, r.MCTSBlunders, r.MCTSLoses, r.MCTSMisses,
		r.AlphaBetaBlunder+r.BothBlunders, r.AlphaBetaLoses, r.AlphaBetaMisses, r.BothBlunders)
	if r.Rows != "" {
		fmt.Fprintln(w, "written:", r.Rows)
	}
}

// Tune is what "tune" prints.
type Tune struct {
	Player     string          `json:"player"`
	Boards     []string        `json:"boards"`
	Trials     int             `json:"trials"`
	Of         int             `json:"of"`
	Pairs      int             `json:"pairs"` // of a trial
	Parameters []tune.Estimate `json:"parameters"`
	Tuned      string          `json:"tuned"` // the player with the results
}

// decimal writes a number with all its digits and without an exponent.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Text implements [Report].
func (t *Tune) Text(w io.Writer) {
	fmt.Fprintf(w, "%d of %d trials of %d pairs\n", t.Trials, t.Of, t.Pairs)
	rows := table(w, 0, "setting\tstart\tresult\trange")
	for _, p := range t.Parameters {
		fmt.Fprintf(rows, "%s\t%s\t%s\t%s..%s\n", p.Name, decimal(p.Start), decimal(p.Result), decimal(p.Min),
			decimal(p.Max))
	}
	rows.Flush()
	fmt.Fprintln(w, "with the results:", t.Tuned)
}

// Tactics is what "tactics" prints.
type Tactics struct {
	Scores []tactics.Score `json:"scores"`
	Missed []string        `json:"missed"`
	Each   []TacticsAnswer `json:"each,omitempty"`
}

// TacticsAnswer is the answer to one problem.
type TacticsAnswer struct {
	Rule    string  `json:"rule"`
	Size    int     `json:"size"`
	Kind    string  `json:"kind"`
	Result  string  `json:"result"`
	Plies   int     `json:"plies"`
	Nodes   int     `json:"nodes"`
	Seconds float64 `json:"seconds"`
}

// NewTactics returns the report of a suite, with a row for each problem if each.
func NewTactics(scores []tactics.Score, answers []tactics.Answer, each bool) Tactics {
	r := Tactics{Scores: scores, Missed: []string{}}
	for _, a := range answers {
		p := a.Problem
		if !a.Solved() {
			r.Missed = append(r.Missed, p.String())
		}
		if each {
			r.Each = append(r.Each, TacticsAnswer{p.Rule, p.Size, p.Kind.String(), a.Outcome.String(), a.Plies, a.Nodes,
				a.Seconds})
		}
	}
	return r
}

// Text implements [Report].
func (r Tactics) Text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(r.Each) > 0 {
		fmt.Fprintln(t, "rule\tsize\tkind\tresult\tplies\tnodes\tms\t")
		for _, a := range r.Each {
			fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%d\t%d\t%.1f\t\n", a.Rule, a.Size, a.Kind, a.Result, a.Plies, a.Nodes,
				1000*a.Seconds)
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	fmt.Fprintln(t, "rule\tproblems\twins\tsolved\tnodes\tms\tM nodes/s\t")
	var sum tactics.Score
	for _, s := range r.Scores {
		tacticsRow(t, s.Rule, s)
		sum.Problems += s.Problems
		sum.Wins += s.Wins
		sum.Solved += s.Solved
		sum.Nodes += s.Nodes
		sum.Seconds += s.Seconds
	}
	tacticsRow(t, "all", sum)
	t.Flush()
	for _, m := range r.Missed {
		fmt.Fprintln(w, "missed:", m)
	}
}

func tacticsRow(w io.Writer, name string, s tactics.Score) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.1f\t%.2f\t\n", name, s.Problems, s.Wins, s.Solved, s.Nodes, 1000*s.Seconds,
		perSecond(s.Nodes, time.Duration(s.Seconds*1e9))/1e6)
}
