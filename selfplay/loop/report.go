package loop

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/carozero/carozero/selfplay/samples"
)

// Status is the printed status of a loop.
type Status struct {
	Dir    string  `json:"dir"`
	Rounds int     `json:"rounds"` // that the configuration asks for
	Done   int     `json:"done"`
	Next   Step    `json:"next,omitempty"` // of the round under way; "": none is
	Best   int     `json:"best_round"`     // 0: the network that the loop began with
	Start  string  `json:"start"`
	Holder string  `json:"running,omitempty"` // the process that works on it
	CPU    float64 `json:"cpu_hours"`
	List   []Round `json:"list"`
}

// Status returns the status of the loop in dir.
func (s *State) Status(dir string) *Status {
	st := &Status{Dir: dir, Rounds: s.Config.Rounds, Done: s.done(), Start: cmp.Or(s.Config.Start, Uniform),
		List: append([]Round{}, s.Rounds...)}
	for i := range s.Rounds {
		r := &s.Rounds[i]
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
	fmt.Fprintln(t, "round\tgames\tpositions\tloss\tElo\tCPU-h\tverdict")
	for i := range st.List {
		st.List[i].print(t)
	}
	t.Flush()
}

// print writes a round's line of the table, "-" for what is unknown.
func (r *Round) print(w io.Writer) {
	loss, elo, verdict, games := "-", "-", "at: "+string(r.step()), cmp.Or(r.Games, &GamesReport{})
	if t := r.Training; t != nil && t.Loss != nil {
		loss = fmt.Sprintf("%.4f", t.Loss.Total)
	}
	if v := r.Verdict; v != nil {
		verdict = map[bool]string{true: "promoted: ", false: "not promoted: "}[v.Promoted] +
			cmp.Or(r.Training.Failure, v.Reason)
		if v.Match != nil {
			elo = fmt.Sprintf("%+.0f +- %.0f", v.Elo, v.EloError)
		}
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%s\t%.2f\t%s\n", r.Number, games.Games, games.Positions, loss, elo, r.CPUHours(),
		verdict)
}

// GamesReport describes the games of a round.
type GamesReport struct {
	Games     int `json:"games"`
	Positions int `json:"positions"`
	samples.Results
	MeanPlies float64 `json:"mean_plies"`
	Entropy   float64 `json:"mean_entropy"` // of the policy targets, in nats
	Proven    int     `json:"proven"`       // positions
}

// DrawShare returns the share of drawn games.
func (g *GamesReport) DrawShare() float64 { return float64(g.Draws) / float64(max(1, g.Games)) }

// gamesReport reads the shards of runs.
func gamesReport(ctx context.Context, dirs ...string) (*GamesReport, error) {
	tally := samples.NewTally()
	err := samples.Shards(func(_ samples.Source, shard *samples.Shard, e samples.Entry) error {
		tally.Add(shard, e.Bytes)
		return ctx.Err()
	}, dirs...)
	s := tally.Means()
	return &GamesReport{
		Games: s.Games, Positions: s.Rows, Results: s.Results,
		MeanPlies: rounded(s.MeanPlies), Entropy: rounded(s.MeanEntropy), Proven: s.ProvenRows,
	}, err
}

// rounded keeps four decimals.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
