package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/selfplay/samples"
)

// Inspection is what "samples inspect" prints.
type Inspection struct {
	Total  samples.Statistics  `json:"total"`
	Shards []samples.ShardInfo `json:"shards"`
}

// Text implements [Report].
func (r Inspection) Text(w io.Writer) {
	if len(r.Shards) > 0 {
		s := &r.Shards[0]
		name, _ := s.Header.Rule.Get("name")
		fmt.Fprintf(w, "%s %s %dx%d, planes %s, model %s, seed %d\n\n",
			single(s.Header.Game), single(fmt.Sprint(name)), s.Header.Size, s.Header.Size,
			single(fmt.Sprint(s.Header.Planes.Version)), single(s.Header.Model), s.Header.Seed)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "column\tdtype\tshape in %s\n", s.File)
		for _, c := range s.Columns {
			fmt.Fprintf(t, "%s\t%s\t%v\n", single(c.Name), single(c.DType), c.Shape)
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "shard\tbytes\tgames\trows\tfirst\tsecond\tdraws\tplies\t|q|\tentropy\tvisits\tproven\t")
	for i := range r.Shards {
		statisticsRow(t, single(r.Shards[i].File), &r.Shards[i].Statistics)
	}
	statisticsRow(t, "all", &r.Total)
	t.Flush()
	fmt.Fprintf(w, "different positions: %d of %d\n", r.Total.DistinctRows, r.Total.Rows)
	if t := &r.Total; t.Audited > 0 {
		auditLine(w, t.Reasons[string(game.Resigned)], t.Audited, t.WouldResign, t.FalseResigns)
	}
}

// auditLine counts the resignations, and the false ones among the audited games.
func auditLine(w io.Writer, resigned, audited, would, falsely int) {
	fmt.Fprintf(w, "resigned: %d games; of %d played on to audit that, %d would have been, %d of them falsely\n", resigned, audited, would, falsely)
}

func statisticsRow(w io.Writer, name string, s *samples.Statistics) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.3f\t%.2f\t%.1f\t%d\t\n",
		name, s.Bytes, s.Games, s.Rows, s.First, s.Second, s.Draws, s.MeanPlies, s.MeanAbsQ, s.MeanEntropy, s.MeanVisits, s.ProvenRows)
}

// Verification is what "samples verify" prints.
type Verification struct {
	samples.Report
	Proofs *generate.Proofs `json:"proofs,omitempty"` // nil: not looked at
}

// Text implements [Report].
func (r Verification) Text(w io.Writer) {
	for _, p := range r.Problems {
		fmt.Fprintln(w, single(fmt.Sprint(p)))
	}
	if r.Bad > len(r.Problems) {
		fmt.Fprintf(w, "... and %d more (--limit)\n", r.Bad-len(r.Problems))
	}
	if p := r.Proofs; p != nil {
		for _, line := range p.False {
			fmt.Fprintln(w, single(line))
		}
		held := fmt.Sprintf("%d have a certificate that holds", p.Certified)
		if p.Decided > 0 {
			held = fmt.Sprintf("%d are so by a search of all moves", p.Decided)
			if p.Certified > 0 {
				held = fmt.Sprintf("%d have a certificate that holds, %s", p.Certified, held)
			}
		}
		fmt.Fprintf(w, "proofs: %d rows say won or lost: %s, %d are open within the budget, %d are false; %d say drawn and were not looked at\n",
			p.Rows, held, p.Open, len(p.False), p.Draws)
	}
	if r.Bad > 0 {
		return
	}
	fmt.Fprintf(w, "verified: %d shards, %d games, %d rows, all as the rules have them\n", r.Shards, r.Games, r.Rows)
	if r.Games < r.Planned {
		fmt.Fprintf(w, "not finished: %d of %d games are in shards, %d wait for theirs\n", r.Games, r.Planned, r.Waiting)
	}
}
