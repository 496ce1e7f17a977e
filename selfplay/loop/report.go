package loop

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/carozero/carozero/internal/chart"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/selfplay/samples"
)

//go:embed report.html
var reportPage string

// reportMark stands near the start of every report.
const reportMark = "<title>CaroZero: a loop of learning</title>"

// WriteReport writes the report of a loop as one self-contained HTML page. config is the
// text of its configuration.
func (st *Status) WriteReport(w io.Writer, config string) error {
	t, err := template.New("report").Parse(chart.Templates + reportPage)
	if err != nil {
		return err
	}
	return t.Execute(w, map[string]any{
		"Summary": st.summary(), "Charts": st.charts(), "Header": tableHeader, "Rounds": st.List, "Next": st.Next,
		"Config": config,
	})
}

// SaveReport writes the report to a file atomically. It does not replace a file that is
// not a loop's report.
func (st *Status) SaveReport(path, config string) error {
	err := disk.Check(path, "no report of a loop", func(head []byte) bool {
		return bytes.Contains(head, []byte(reportMark))
	})
	if err != nil {
		return err
	}
	return disk.Write(path, func(w io.Writer) error { return st.WriteReport(w, config) })
}

// charts draws what changes over the rounds.
func (st *Status) charts() []chart.Chart {
	// line returns a line over the rounds that have a figure; games and loss are lines over
	// those with games and with a loss.
	line := func(name string, y func(*Result) *float64, bound ...func(*Result) *float64) chart.Line {
		out := chart.Line{Name: name}
		for i := range st.List {
			r := &st.List[i]
			if y := y(r); y != nil {
				p := chart.Point{X: float64(r.Round), Y: *y}
				for _, bound := range bound {
					p.Bound = *bound(r)
				}
				out.Points = append(out.Points, p)
			}
		}
		return out
	}
	games := func(name string, y func(*Result) float64) chart.Line {
		return line(name, func(r *Result) *float64 { return known(r.Games > 0, y(r)) })
	}
	loss := func(name string, y func(*Loss) float64) chart.Line {
		return line(name, func(r *Result) *float64 { return known(r.Loss != nil, y(cmp.Or(r.Loss, &Loss{}))) })
	}
	return []chart.Chart{
		chart.New("Elo over the first network, with its 95% error", "%.0f", true,
			line("candidates", func(r *Result) *float64 { return r.Elo }, func(r *Result) *float64 { return r.EloError }),
			line("promoted", func(r *Result) *float64 {
				if !r.Promoted {
					return nil
				}
				return r.Elo
			})),
		chart.New("Loss on held-out games", "%.3f", false, loss("all", func(l *Loss) float64 { return l.Total }),
			loss("policy", func(l *Loss) float64 { return l.Policy }), loss("value", func(l *Loss) float64 { return l.Value })),
		chart.New("Blunders in 1,000 fixed positions", "%.0f", true,
			line("candidates", func(r *Result) *float64 { return r.Blunders })),
		chart.New("Proven positions solved, %", "%.0f", false, line("candidates", (*Result).solved)),
		chart.New("Moves of a game", "%.0f", true, games("mean", func(r *Result) float64 { return r.Plies })),
		chart.New("Drawn games, %", "%.1f", true, games("draws", func(r *Result) float64 { return 100 * r.Draws })),
		chart.New("Entropy of the policy targets, nats", "%.2f", true,
			games("mean", func(r *Result) float64 { return r.Entropy })),
		chart.New("Brier score of expected results", "%.3f", true,
			games("search", func(r *Result) float64 { return r.Search }),
			games("network or evaluation", func(r *Result) float64 { return r.Net })),
		st.calibration(),
		chart.New("CPU-hours of a round", "%.3g", true, line("hours", func(r *Result) *float64 { return &r.CPUHours })),
	}
}

// known returns a figure, nil if there is none.
func known(there bool, y float64) *float64 {
	if !there {
		return nil
	}
	return &y
}

// solved returns the share of the tactical suite that a candidate solved, in percent.
func (r *Result) solved() *float64 {
	if r.Asked == nil || *r.Asked == 0 {
		return nil
	}
	return known(true, 100*(1-float64(*r.Missed)/float64(*r.Asked)))
}

// calibration draws the results of positions against their expected results, for the first
// and the last round.
func (st *Status) calibration() chart.Chart {
	var lines []chart.Line
	for i, r := range st.List {
		if i > 0 && i < len(st.List)-1 && st.List[i+1].Games > 0 || r.Games == 0 {
			continue
		}
		l := chart.Line{Name: fmt.Sprintf("round %d", r.Round)}
		for _, b := range r.Calibration {
			if b.N > 0 {
				l.Points = append(l.Points, chart.Point{X: b.Expected, Y: b.Result})
			}
		}
		lines = append(lines, l)
	}
	ideal := chart.Line{Name: "ideal", Points: []chart.Point{{}, {X: 1, Y: 1}}}
	return chart.Draw("Calibration of the search: result over expectation", "%.2f", true, 0, append(lines, ideal)...)
}

// Status is the printed status of a loop.
type Status struct {
	Dir    string   `json:"dir"`
	Rounds int      `json:"rounds"` // that the configuration asks for
	Done   int      `json:"done"`
	Next   Step     `json:"next,omitempty"` // of the round under way; "": none is
	Best   int      `json:"best_round"`     // 0: the network that the loop began with
	Start  string   `json:"start"`
	Holder string   `json:"running,omitempty"` // the process that works on it
	CPU    float64  `json:"cpu_hours"`
	List   []Result `json:"list"`
}

// Result is the result of one round. Values that the round does not have are nil.
type Result struct {
	Round     int      `json:"round"`
	Games     int      `json:"games"`
	Positions int      `json:"positions"`
	Plies     float64  `json:"mean_plies"`
	Draws     float64  `json:"draws"` // share of the games
	Entropy   float64  `json:"mean_entropy"`
	Search    float64  `json:"search_brier"`
	Net       float64  `json:"net_brier"`
	Loss      *Loss    `json:"loss"`
	Elo       *float64 `json:"elo"`
	EloError  *float64 `json:"elo_error"`
	Missed    *int     `json:"tactics_missed"`
	Asked     *int     `json:"tactics_asked"`
	Blunders  *float64 `json:"blunders_per_1000"`
	Promoted  bool     `json:"promoted"`
	Reason    string   `json:"reason"`
	CPUHours  float64  `json:"cpu_hours"`

	Calibration []Bin `json:"calibration"`
}

// Status returns the status of the loop in dir.
func (s *State) Status(dir string) *Status {
	st := &Status{Dir: dir, Rounds: s.Config.Rounds, Done: s.done(), Start: cmp.Or(s.Config.Start, Uniform),
		List: []Result{}}
	for i := range s.Rounds {
		r := &s.Rounds[i]
		st.List = append(st.List, r.result())
		st.CPU += r.CPUHours()
		if r.Done && r.Verdict.Promoted {
			st.Best = r.Number
		}
		if !r.Done {
			st.Next = r.step()
		}
	}
	return st
}

// result returns the result of a round so far.
func (r *Round) result() Result {
	out := Result{Round: r.Number, CPUHours: r.CPUHours(), Calibration: []Bin{}}
	if g := r.Games; g != nil {
		out.Games, out.Positions, out.Plies, out.Draws = g.Games, g.Positions, g.MeanPlies, g.DrawShare()
		out.Entropy, out.Search, out.Net, out.Calibration = g.Entropy, g.SearchBrier, g.NetBrier, g.Calibration
	}
	if r.Training != nil {
		out.Loss, out.Reason = r.Training.Loss, r.Training.Failure
	}
	v := r.Verdict
	if v == nil {
		return out
	}
	out.Promoted = v.Promoted
	out.Reason = cmp.Or(out.Reason, v.Reason)
	if v.Match != nil {
		out.Elo, out.EloError = &v.Elo, &v.EloError
	}
	if t := v.Tactics; t != nil {
		missed, asked := t.Candidate.Unsolved(), t.Candidate.Asked()
		out.Missed, out.Asked = &missed, &asked
	}
	if v.Blunders != nil {
		if n, of := Blunders(v.Blunders.Candidate); of > 0 {
			share := rounded(1000 * float64(n) / float64(of))
			out.Blunders = &share
		}
	}
	return out
}

// summary says in a line how far the loop is.
func (st *Status) summary() string {
	best := "the network that it began with, " + st.Start
	if st.Best > 0 {
		best = fmt.Sprintf("round %d", st.Best)
	}
	rounds := fmt.Sprintf("%d of %d rounds", st.Done, st.Rounds)
	if st.Done > st.Rounds { // more were asked for once
		rounds = fmt.Sprintf("%d rounds, and %d are asked for", st.Done, st.Rounds)
	}
	return fmt.Sprintf("%s: %s, best: %s; %.2f CPU-hours", st.Dir, rounds, best, st.CPU)
}

// Text prints the status as a table.
func (st *Status) Text(w io.Writer) {
	fmt.Fprintln(w, st.summary())
	if st.Holder != "" {
		fmt.Fprintf(w, "running: %s\n", st.Holder)
	}
	if len(st.List) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(tableHeader, "\t"))
	for i := range st.List {
		fmt.Fprintln(t, strings.Join(st.List[i].Cells(st.Next), "\t"))
	}
	t.Flush()
}

// tableHeader names the cells of a round.
var tableHeader = []string{"round", "games", "positions", "loss", "Elo", "tactics", "blunders/1000", "CPU-h", "verdict"}

// Cells returns the result of a round in words, "-" for what is unknown. next is the step of
// a round that is under way.
func (r *Result) Cells(next Step) []string {
	loss, elo, tactics, blunders := "-", "-", "-", "-"
	if r.Loss != nil {
		loss = fmt.Sprintf("%.4f", r.Loss.Total)
	}
	if r.Elo != nil {
		elo = fmt.Sprintf("%+.0f +- %.0f", *r.Elo, *r.EloError)
	}
	if r.Asked != nil {
		tactics = fmt.Sprintf("%d/%d", *r.Asked-*r.Missed, *r.Asked)
	}
	if r.Blunders != nil {
		blunders = fmt.Sprintf("%.0f", *r.Blunders)
	}
	return []string{
		fmt.Sprint(r.Round), fmt.Sprint(r.Games), fmt.Sprint(r.Positions), loss, elo, tactics, blunders, fmt.Sprintf("%.2f",
			r.CPUHours), r.verdict(next),
	}
}

// verdict describes the result of the round, or its current step.
func (r *Result) verdict(next Step) string {
	switch {
	case r.Promoted:
		return "promoted: " + r.Reason
	case r.Reason != "":
		return "not promoted: " + r.Reason
	}
	return "at: " + string(next)
}

// GamesReport describes the games of a round.
type GamesReport struct {
	Games     int     `json:"games"`
	Positions int     `json:"positions"`
	First     int     `json:"first"` // games won by the first player
	Second    int     `json:"second"`
	Draws     int     `json:"draws"`
	MeanPlies float64 `json:"mean_plies"`
	Shortest  int     `json:"shortest"`
	Longest   int     `json:"longest"`
	Entropy   float64 `json:"mean_entropy"` // of the policy targets, in nats
	Proven    int     `json:"proven"`       // positions

	SearchBrier float64 `json:"search_brier"` // mean squared error of the search's expected results
	NetBrier    float64 `json:"net_brier"`    // the same of the network's, or of a teacher's evaluation
	Calibration []Bin   `json:"calibration"`  // of the search
}

// DrawShare returns the share of drawn games.
func (g *GamesReport) DrawShare() float64 { return float64(g.Draws) / float64(max(1, g.Games)) }

// Bin counts the positions with an expected result, as a share of a win, in a range: bin i
// of n from i/n to (i+1)/n.
type Bin struct {
	N        int     `json:"n"`
	Expected float64 `json:"expected"` // mean; 0 without positions
	Result   float64 `json:"result"`   // mean; 0 without positions
}

// calibrationBins is the number of bins.
const calibrationBins = 10

// gamesReport reads the shards of runs, in their order.
func gamesReport(ctx context.Context, dirs ...string) (*GamesReport, error) {
	g, tally := &GamesReport{Calibration: make([]Bin, calibrationBins)}, samples.NewTally()
	err := samples.Shards(func(_ samples.Source, shard *samples.Shard, e samples.Entry) error {
		tally.Add(shard, e.Bytes)
		g.add(shard)
		return ctx.Err()
	}, dirs...)
	g.finish(tally.Means())
	return g, err
}

// add counts what the statistics of a shard do not have.
func (g *GamesReport) add(s *samples.Shard) {
	for i := range s.Header.Games {
		plies := s.Header.Games[i].Plies
		g.Longest = max(g.Longest, plies)
		if g.Games++; g.Games == 1 || plies < g.Shortest {
			g.Shortest = plies
		}
	}
	for i := range s.Columns.Rows {
		r := s.Columns.Row(i)
		result := float64(r.Outcome+1) / 2
		search, net := (float64(r.RootQ)+1)/2, (float64(r.NetQ)+1)/2
		g.SearchBrier += float64((search - result) * (search - result))
		g.NetBrier += float64((net - result) * (net - result))
		bin := &g.Calibration[min(max(int(search*calibrationBins), 0), calibrationBins-1)]
		bin.N++
		bin.Expected += search
		bin.Result += result
	}
}

// finish takes over statistics, and turns sums into means.
func (g *GamesReport) finish(s samples.Statistics) {
	g.First, g.Second, g.Draws, g.Positions, g.Proven = s.First, s.Second, s.Draws, s.Rows, s.ProvenRows
	g.MeanPlies, g.Entropy = rounded(s.MeanPlies), rounded(s.MeanEntropy)
	rows := float64(max(1, g.Positions))
	g.SearchBrier, g.NetBrier = rounded(g.SearchBrier/rows), rounded(g.NetBrier/rows)
	for i := range g.Calibration {
		b := &g.Calibration[i]
		n := float64(max(1, b.N))
		b.Expected, b.Result = rounded(b.Expected/n), rounded(b.Result/n)
	}
}

// rounded keeps four decimals.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
