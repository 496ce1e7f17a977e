package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/fetch"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/selfplay/samples"
)

// Conversion is what "convert" prints.
type Conversion struct {
	Format  string   `json:"format"`
	Out     string   `json:"out"`
	Games   int      `json:"games"`
	Files   int      `json:"files"`
	Illegal *int     `json:"illegal,omitempty"` // games, where they were checked
	Notes   []string `json:"notes,omitempty"`   // what was odd in the files, and which rules were guessed
}

// NewConversion returns the report of a conversion to out, which checked says to
// have looked for illegal games.
func NewConversion(f record.Format, out string, checked bool, s *gamefiles.Converted) *Conversion {
	r := &Conversion{Format: f.String(), Out: out, Games: s.Games, Files: max(1, len(s.Files)), Notes: s.Notes}
	if checked {
		r.Illegal = &s.Illegal
	}
	return r
}

// Text implements [Report].
func (r *Conversion) Text(w io.Writer) {
	out := r.Out
	if out == "-" {
		out = "standard output"
	}
	fmt.Fprintf(w, "%d games to %s, files: %d\n", r.Games, out, r.Files)
	if r.Illegal != nil {
		fmt.Fprintf(w, "games that are not legal: %d\n", *r.Illegal)
	}
}

// Picture is what "show" prints of a picture that it has written.
type Picture struct {
	Out  string `json:"out"`
	Game string `json:"game"`
	Rule string `json:"rule"`
	Size int    `json:"size"`
	Move int    `json:"move"` // moves played in the position shown last
}

// Text implements [Report].
func (r *Picture) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: the position after %d moves\n", r.Out, r.Move)
}

// Shown is what "show" prints of a position without a picture.
type Shown struct {
	Game     string `json:"game"`
	Rule     string `json:"rule"`
	Size     int    `json:"size"`
	Move     int    `json:"move"` // moves played
	ToMove   string `json:"to_move"`
	Outcome  string `json:"outcome"`
	Reason   string `json:"reason,omitempty"`
	Position string `json:"position"` // as its moves; of a diagram none
	Board    string `json:"board"`
	Title    string `json:"title"`
}

// Text implements [Report].
func (r *Shown) Text(w io.Writer) {
	fmt.Fprintf(w, "%s\n%s\n", r.Board, r.Title)
}

// Packed is what "samples pack" and "unpack" print.
type Packed struct {
	samples.Packed
	Out      string `json:"out"`
	Unpacked bool   `json:"-"`
}

// Text implements [Report].
func (r Packed) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d runs, %d shards, %d games, %d positions, %d bytes", single(r.Out), r.Runs, r.Shards, r.Games,
		r.Rows, r.Bytes)
	if r.Unpacked {
		fmt.Fprintln(w, ", all with the digests that they had")
		return
	}
	rows := float64(max(1, r.Rows))
	fmt.Fprintf(w, ": %.2f a position, where the shards have %.2f\n", float64(r.Bytes)/rows, float64(r.From)/rows)
}

// Collected is what "samples export" prints.
type Collected struct {
	samples.Total
	Out string `json:"out"`
}

// Text implements [Report].
func (r Collected) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d shards, %d games, %d rows, %d bytes\n", single(r.Out), r.Shards, r.Games, r.Rows, r.Bytes)
}

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
	t := table(w, tabwriter.AlignRight,
		"shard\tbytes\tgames\trows\tfirst\tsecond\tdraws\tplies\t|q|\tentropy\tvisits\tproven\t")
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
	fmt.Fprintf(w, "resigned: %d games; of %d played on to audit that, %d would have been, %d of them falsely\n", resigned,
		audited, would, falsely)
}

func statisticsRow(w io.Writer, name string, s *samples.Statistics) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.3f\t%.2f\t%.1f\t%d\t\n",
		name, s.Bytes, s.Games, s.Rows, s.First, s.Second, s.Draws, s.MeanPlies, s.MeanAbsQ, s.MeanEntropy, s.MeanVisits,
		s.ProvenRows)
}

// Verification is what "samples verify" prints.
type Verification struct{ samples.Report }

// Text implements [Report].
func (r Verification) Text(w io.Writer) {
	for _, p := range r.Problems {
		fmt.Fprintln(w, single(fmt.Sprint(p)))
	}
	if r.Bad > len(r.Problems) {
		fmt.Fprintf(w, "... and %d more (--limit)\n", r.Bad-len(r.Problems))
	}
	if r.Bad > 0 {
		return
	}
	fmt.Fprintf(w, "verified: %d shards, %d games, %d rows, all as the rules have them\n", r.Shards, r.Games, r.Rows)
	if r.Games < r.Planned {
		fmt.Fprintf(w, "not finished: %d of %d games are in shards, %d wait for theirs\n", r.Games, r.Planned, r.Waiting)
	}
}

// Shipped is what "models list" prints.
type Shipped []models.Entry

// Text implements [Report].
func (list Shipped) Text(w io.Writer) {
	t := table(w, 0, "name\talso\tarchitecture\tplanes\tsizes\trules")
	for _, m := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d-%d\t%s\n", m.Name, cmp.Or(m.Alias, "-"), m.Architecture, m.Planes, m.Sizes[0],
			m.Sizes[1], strings.Join(m.Rules, " "))
	}
	t.Flush()
	for _, m := range list {
		if len(m.Classical) > 0 {
			fmt.Fprintf(w, "%s judges for the classical search under %s\n", m.Name, strings.Join(m.Classical, " "))
		}
	}
}

// Models is what "models list" prints of networks that are named.
type Models []*networks.ModelInfo

// Text implements [Report].
func (list Models) Text(w io.Writer) {
	for _, m := range list {
		modelText(w, m)
	}
}

// modelText shows what is known of a network.
func modelText(w io.Writer, m *networks.ModelInfo) {
	temperature := ""
	if m.Temperature != 0 {
		temperature = fmt.Sprintf("policy logits divided by %g", m.Temperature)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"name", m.Name}, {"sha256", m.SHA256}, {"planes", m.Planes}, {"rules", strings.Join(m.Rules, " ")},
		{"sizes", m.Sizes}, {"run", m.Run}, {"temperature", temperature}, {"architecture", m.Architecture}, {"provenance",
			m.Provenance},
		{"strength", m.Strength}, {"created", m.Created},
	} {
		if row[1] != "" {
			fmt.Fprintf(t, "%s\t%s\n", row[0], single(row[1]))
		}
	}
	t.Flush()
}

// ModelCheck says whether a network is in order.
type ModelCheck struct {
	Model string `json:"model"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

// ModelChecks is what "models verify" prints.
type ModelChecks []ModelCheck

// Text implements [Report].
func (checks ModelChecks) Text(w io.Writer) {
	for _, c := range checks {
		if c.OK {
			fmt.Fprintf(w, "%s: ok\n", single(c.Model))
		} else {
			fmt.Fprintf(w, "%s: %s\n", single(c.Model), single(c.Error))
		}
	}
}

// Provider says whether a provider can compute networks.
type Provider struct {
	Name   string `json:"name"`
	Usable bool   `json:"usable"`
	Error  string `json:"error,omitempty"` // why it cannot
}

// Providers is what "runtime show" prints.
type Providers []Provider

// Text implements [Report].
func (list Providers) Text(w io.Writer) {
	for _, p := range list {
		text := "usable"
		if !p.Usable {
			text = single(p.Error)
		}
		fmt.Fprintf(w, "%-9s %s\n", p.Name, text)
	}
}

// Version is what "version" prints.
type Version struct {
	Version      string `json:"version"`
	Commit       string `json:"commit"`
	Go           string `json:"go"`
	Platform     string `json:"platform"`
	Runtime      string `json:"onnxruntime"`
	RuntimePath  string `json:"onnxruntime_path"`
	RuntimeError string `json:"onnxruntime_error,omitempty"`
}

// Text implements [Report].
func (r Version) Text(w io.Writer) {
	fmt.Fprintf(w, "carozero %s (commit %s, %s, %s)\n", r.Version, r.Commit, r.Go, r.Platform)
	if r.RuntimeError != "" {
		fmt.Fprintln(w, r.RuntimeError)
		return
	}
	fmt.Fprintf(w, "ONNX Runtime %s at %s\n", r.Runtime, r.RuntimePath)
}

// Installed is what "runtime install" prints.
type Installed struct{ fetch.Result }

// Text implements [Report].
func (r Installed) Text(w io.Writer) {
	fmt.Fprintf(w, "ONNX Runtime %s: %s\n", r.Version, r.Path)
}
