package loop

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"
)

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
