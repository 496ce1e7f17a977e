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
	"text/tabwriter"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/chart"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/selfplay/samples"
)

//go:embed report.html
var reportPage string

// reportMark stands near the start of every report.
const reportMark = "<title>CaroZero: a loop of learning</title>"

// page is what the template reads.
type page struct {
	*Status
	Charts []chart.Chart
	Rows   []reportRow
	Config string
}

// reportRow is a row of the table, in words.
type reportRow struct {
	Result
	LossText, EloText, TacticsText, BlundersText, Verdict string
}

// WriteReport writes the report of a loop as one self-contained HTML page. config is the
// text of its configuration.
func (st *Status) WriteReport(w io.Writer, config string) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"hours": func(x float64) string { return fmt.Sprintf("%.2f", x) },
	}).Parse(chart.Templates + reportPage)
	if err != nil {
		return err
	}
	p := page{Status: st, Charts: st.charts(), Config: config}
	for _, r := range st.List {
		p.Rows = append(p.Rows, reportRow{r, r.loss(), r.elo(), r.tactics(), r.blunders(), r.verdict(st.Next)})
	}
	return t.Execute(w, p)
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
	return []chart.Chart{
		chart.New("Elo over the first network, with its 95% error", "%.0f", true, st.line("candidates", eloPoint), st.line("promoted", promotedPoint)),
		chart.New("Loss on held-out games", "%.3f", false, st.lossLine("all", func(l *Loss) float64 { return l.Total }),
			st.lossLine("policy", func(l *Loss) float64 { return l.Policy }), st.lossLine("value", func(l *Loss) float64 { return l.Value })),
		chart.New("Blunders in 1,000 fixed positions", "%.0f", true, st.line("candidates", func(r *Result) (chart.Point, bool) {
			if r.Blunders == nil {
				return chart.Point{}, false
			}
			return chart.Point{Y: *r.Blunders}, true
		})),
		chart.New("Proven positions solved, %", "%.0f", false, st.line("candidates", func(r *Result) (chart.Point, bool) {
			if r.Asked == nil || *r.Asked == 0 {
				return chart.Point{}, false
			}
			return chart.Point{Y: 100 * (1 - float64(*r.Missed)/float64(*r.Asked))}, true
		})),
		chart.New("Moves of a game", "%.0f", true, st.gamesLine("mean", func(r *Result) float64 { return r.Plies })),
		chart.New("Drawn games, %", "%.1f", true, st.gamesLine("draws", func(r *Result) float64 { return 100 * r.Draws })),
		chart.New("Entropy of the policy targets, nats", "%.2f", true, st.gamesLine("mean", func(r *Result) float64 { return r.Entropy })),
		chart.New("Brier score of expected results", "%.3f", true, st.gamesLine("search", func(r *Result) float64 { return r.Search }),
			st.gamesLine("network or evaluation", func(r *Result) float64 { return r.Net })),
		st.calibration(),
		chart.New("CPU-hours of a round", "%.3g", true, st.line("hours", func(r *Result) (chart.Point, bool) { return chart.Point{Y: r.CPUHours}, true })),
	}
}

// line returns the line of the points that take returns for the rounds.
func (st *Status) line(name string, take func(*Result) (chart.Point, bool)) chart.Line {
	out := chart.Line{Name: name}
	for i := range st.List {
		if p, ok := take(&st.List[i]); ok {
			p.X = float64(st.List[i].Round)
			out.Points = append(out.Points, p)
		}
	}
	return out
}

func eloPoint(r *Result) (chart.Point, bool) {
	if r.Elo == nil {
		return chart.Point{}, false
	}
	return chart.Point{Y: *r.Elo, Bound: *r.EloError}, true
}

func promotedPoint(r *Result) (chart.Point, bool) {
	p, ok := eloPoint(r)
	p.Bound = 0
	return p, ok && r.Promoted
}

func (st *Status) gamesLine(name string, take func(*Result) float64) chart.Line {
	return st.line(name, func(r *Result) (chart.Point, bool) { return chart.Point{Y: take(r)}, r.Games > 0 })
}

func (st *Status) lossLine(name string, take func(*Loss) float64) chart.Line {
	return st.line(name, func(r *Result) (chart.Point, bool) {
		if r.Loss == nil {
			return chart.Point{}, false
		}
		return chart.Point{Y: take(r.Loss)}, true
	})
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
	st := &Status{Dir: dir, Rounds: s.Config.Rounds, Done: s.done(), Start: cmp.Or(s.Config.Start, Uniform), List: []Result{}}
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

// Text prints the status as a table.
func (st *Status) Text(w io.Writer) {
	best := "the network that it began with, " + st.Start
	if st.Best > 0 {
		best = fmt.Sprintf("round %d", st.Best)
	}
	rounds := fmt.Sprintf("%d of %d rounds", st.Done, st.Rounds)
	if st.Done > st.Rounds { // more were asked for once
		rounds = fmt.Sprintf("%d rounds, and %d are asked for", st.Done, st.Rounds)
	}
	fmt.Fprintf(w, "%s: %s, best: %s; %.2f CPU-hours\n", st.Dir, rounds, best, st.CPU)
	if st.Holder != "" {
		fmt.Fprintf(w, "running: %s\n", st.Holder)
	}
	if len(st.List) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "round\tgames\tpositions\tloss\tElo\ttactics\tblunders/1000\tCPU-h\tverdict")
	for i := range st.List {
		r := &st.List[i]
		fmt.Fprintf(t, "%d\t%d\t%d\t%s\t%s\t%s\t%s\t%.2f\t%s\n",
			r.Round, r.Games, r.Positions, r.loss(), r.elo(), r.tactics(), r.blunders(), r.CPUHours, r.verdict(st.Next))
	}
	t.Flush()
}

// none stands for unknown values.
const none = "-"

func (r *Result) loss() string {
	if r.Loss == nil {
		return none
	}
	return fmt.Sprintf("%.4f", r.Loss.Total)
}

func (r *Result) elo() string {
	if r.Elo == nil {
		return none
	}
	return fmt.Sprintf("%+.0f +- %.0f", *r.Elo, *r.EloError)
}

func (r *Result) tactics() string {
	if r.Asked == nil {
		return none
	}
	return fmt.Sprintf("%d/%d", *r.Asked-*r.Missed, *r.Asked)
}

func (r *Result) blunders() string {
	if r.Blunders == nil {
		return none
	}
	return fmt.Sprintf("%.0f", *r.Blunders)
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
func gamesReport(ctx context.Context, dirs []string) (*GamesReport, error) {
	g := &GamesReport{Calibration: make([]Bin, calibrationBins)}
	err := samples.Shards(func(_ samples.Source, shard *samples.Shard, _ samples.Entry) error {
		g.addShard(shard)
		return ctx.Err()
	}, dirs...)
	g.finish()
	return g, err
}

func (g *GamesReport) addShard(s *samples.Shard) {
	for i := range s.Header.Games {
		played := &s.Header.Games[i]
		g.Games++
		g.MeanPlies += float64(played.Plies)
		g.Longest = max(g.Longest, played.Plies)
		if g.Games == 1 || played.Plies < g.Shortest {
			g.Shortest = played.Plies
		}
		switch played.Result {
		case game.FirstWins.String():
			g.First++
		case game.SecondWins.String():
			g.Second++
		default:
			g.Draws++
		}
	}
	for i := range s.Columns.Rows {
		row := s.Columns.Row(i)
		g.addRow(&row)
	}
}

func (g *GamesReport) addRow(r *samples.Row) {
	g.Positions++
	if r.Proven != samples.ProvenUnknown {
		g.Proven++
	}
	for _, p := range r.Target {
		if p > 0 {
			g.Entropy -= float64(p) * math.Log(float64(p))
		}
	}
	result := float64(r.Outcome+1) / 2
	search, net := (float64(r.RootQ)+1)/2, (float64(r.NetQ)+1)/2
	g.SearchBrier += float64((search - result) * (search - result))
	g.NetBrier += float64((net - result) * (net - result))
	bin := &g.Calibration[min(max(int(search*calibrationBins), 0), calibrationBins-1)]
	bin.N++
	bin.Expected += search
	bin.Result += result
}

// finish turns sums into means.
func (g *GamesReport) finish() {
	g.MeanPlies = rounded(g.MeanPlies / float64(max(1, g.Games)))
	rows := float64(max(1, g.Positions))
	for _, sum := range []*float64{&g.Entropy, &g.SearchBrier, &g.NetBrier} {
		*sum = rounded(*sum / rows)
	}
	for i := range g.Calibration {
		b := &g.Calibration[i]
		b.Expected = rounded(b.Expected / float64(max(1, b.N)))
		b.Result = rounded(b.Result / float64(max(1, b.N)))
	}
}

// rounded keeps four decimals.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
