// Package report has what the commands print: a struct for each, whose JSON is the output of
// --json, a contract with other programs, and whose Text is for people.
// Reports are built from results; they search, read and write nothing.
package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
)

// Report is what a command prints: as JSON by its fields, or its text. Text
// ignores errors of writing, which w must remember.
type Report interface {
	Text(w io.Writer)
}

// single returns foreign text for one cell of a table or one row of a list:
// its line ends and tabs are shown as escapes.
func single(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(text)
}

// table returns a table with a heading, to be flushed.
func table(w io.Writer, flags uint, heading string) *tabwriter.Writer {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', flags)
	fmt.Fprintln(t, heading)
	return t
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// perSecond returns a rate, 0 if no time passed.
func perSecond(n int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Search is what "search" prints of what either engine has found: an [engine.Answer] with
// its moves as text. What only one of the engines has is nil for the other.
type Search struct {
	Engine   string  `json:"engine"`
	Game     string  `json:"game"`
	Rule     string  `json:"rule"`
	Size     int     `json:"size"`
	Position *string `json:"position,omitempty"` // as its moves; nil: of a diagram
	Board    string  `json:"board,omitempty"`    // where there is no Position
	ToMove   string  `json:"to_move"`
	Move     string  `json:"move"`
	Value    float32 `json:"value"`
	Winrate  float32 `json:"winrate"`
	RootQ    float32 `json:"root_q"` // mean of the root's playouts; the classical search, which has no mean, gives value

	NetValue    *float32     `json:"net_value,omitempty"` // tree search
	Score       *int         `json:"score,omitempty"`     // classical search
	Claim       *string      `json:"claim,omitempty"`     // classical search: "win in n", "loss in n" or empty
	Proven      game.Result  `json:"proven"`
	ProofPly    int          `json:"proof_plies"`
	PV          []string     `json:"pv"`
	Playouts    int          `json:"playouts"`
	Visits      *int         `json:"visits,omitempty"` // tree search
	Evals       int          `json:"evals"`
	Nodes       int64        `json:"nodes"` // of the tree, or moves that the classical search played
	SolverNodes *int64       `json:"solver_nodes,omitempty"`
	QuietNodes  *int64       `json:"quiescence_nodes,omitempty"`
	Depth       int          `json:"depth"`
	SelDepth    int          `json:"seldepth"`
	TimeMS      float64      `json:"time_ms"`
	NodesPerS   float64      `json:"nodes_per_s"`
	Full        *bool        `json:"memory_full,omitempty"`  // tree search
	Solver      *int         `json:"solver_calls,omitempty"` // tree search
	TableFill   *float64     `json:"table_fill,omitempty"`
	TableHits   *float64     `json:"table_hit_rate,omitempty"`
	FirstCut    *float64     `json:"first_cutoff_rate,omitempty"`
	Branching   *float64     `json:"branching,omitempty"` // nodes^(1/depth)
	Model       string       `json:"model"`               // of the tree search
	Iterations  []Iteration  `json:"iterations,omitzero"` // classical search
	Children    []SearchMove `json:"children"`

	shown bool // the iterations were, as they came
}

// SearchMove is a move of the root, or one of the best of the classical search, for which
// what only playouts have is 0.
type SearchMove struct {
	Move   string      `json:"move"`
	Visits int         `json:"visits"`
	Prior  float32     `json:"prior"`
	Q      float32     `json:"q"`
	Proven game.Result `json:"proven"`
	Plies  *int        `json:"proof_plies,omitempty"` // tree search
	Score  *int        `json:"score,omitempty"`       // classical search, as the rest
	Claim  *string     `json:"claim,omitempty"`
	Depth  *int        `json:"depth,omitempty"`
	PV     []string    `json:"pv,omitempty"`
}

// newSearch returns what both engines say of pos, without its text.
func newSearch(by players.PlayerKind, v games.Variant, pos game.Position, a *engine.Answer) *Search {
	n, s := v.Notation(), &a.Stats
	return &Search{
		Engine: string(by), Game: v.Game, Rule: v.Rule(), Size: v.Size, ToMove: pos.ToMove().String(),
		Move: n.FormatMove(a.Move), Value: a.Value, Winrate: (a.Value + 1) / 2, RootQ: a.RootValue, PV: game.Texts(n, a.Line),
		Depth: s.Depth, SelDepth: s.SelDepth, TimeMS: milliseconds(s.Elapsed), NodesPerS: s.NodesPerSecond(),
	}
}

// NewTree returns the report of a tree search from pos, without the position.
func NewTree(net *networks.Net, pos game.Position, a *engine.Answer) *Search {
	v, s := net.Variant(), &a.Stats
	r := newSearch(players.MCTS, v, pos, a)
	r.NetValue, r.Proven, r.ProofPly, r.Model = new(a.NetValue), a.Proof.Result, a.Proof.Plies, net.Name
	r.Playouts, r.Visits, r.Evals, r.Nodes = int(s.Nodes), new(s.Visits), s.Evals, int64(s.TreeNodes)
	r.Full, r.Solver = new(s.Full), new(s.SolverCalls)
	for _, o := range a.Moves {
		r.Children = append(r.Children, SearchMove{
			Move: v.Notation().FormatMove(o.Move), Visits: o.Visits, Prior: o.Prior, Q: o.Value, Proven: o.Proof.Result,
			Plies: new(o.Proof.Plies),
		})
	}
	return r
}

// NewClassical returns the report of a classical search from pos with its iterations,
// without the position. What it found is claimed, not proven.
func NewClassical(v games.Variant, pos game.Position, a *engine.Answer, t *Iterations) *Search {
	n, s := v.Notation(), &a.Stats
	r := newSearch(players.AlphaBeta, v, pos, a)
	r.Score, r.Claim = new(a.Moves[0].Score), new(a.Proof.String())
	r.Nodes, r.SolverNodes, r.QuietNodes = s.Nodes, new(s.SolverNodes), new(s.QuiescenceNodes)
	r.TableFill, r.TableHits = new(s.TableFill), new(s.HitRate())
	r.FirstCut, r.Branching = new(s.FirstCutoffRate()), new(s.Branching)
	r.Iterations, r.shown = append([]Iteration{}, t.rows...), t.shown
	for _, o := range a.Moves {
		r.Children = append(r.Children, SearchMove{
			Move: n.FormatMove(o.Move), Q: o.Value, Score: new(o.Score), Claim: new(o.Proof.String()), Depth: new(o.Depth),
			PV: game.Texts(n, o.Line),
		})
	}
	return r
}

// Prove replaces what a classical search claimed by a proven win.
func (r *Search) Prove(n game.Notation, w vcf.Proof) {
	r.Move, r.PV = n.FormatMove(w.Line[0]), game.Texts(n, w.Line)
	r.Proven, r.ProofPly = game.Won, w.Plies
	for i := range r.Children {
		if r.Children[i].Move == r.Move {
			r.Children[i].Proven = game.Won
		}
	}
}

// shownChildren is how many children of the tree the text shows.
const shownChildren = 10

// Text implements [Report]. It has the table of iterations, if that was not shown
// as they came.
func (r *Search) Text(w io.Writer) {
	if !r.shown {
		t := Iterations{out: w}
		for _, row := range r.Iterations {
			t.row(row)
		}
		t.Flush()
	}
	fmt.Fprintf(w, "%s  value %+.3f  winrate %.1f%%%s\n", r.Move, r.Value, 100*r.Winrate, r.verdict())
	fmt.Fprintf(w, "pv %s\n", strings.Join(r.PV, " "))
	if r.Score == nil {
		r.treeText(w)
	} else {
		r.classicalText(w)
	}
}

// verdict returns what is proven or claimed, beside the tree's mean or the score.
func (r *Search) verdict() string {
	text := ""
	if r.Score == nil {
		text = fmt.Sprintf("  root mean %+.3f", r.RootQ)
	}
	switch {
	case r.Proven != game.Unproven:
		return text + "  proven " + valueIn(r.Proven, r.ProofPly)
	case r.Score == nil:
		return text
	case *r.Claim != "":
		return "  claims " + *r.Claim
	}
	return "  score " + scoreText(*r.Score, "")
}

func (r *Search) treeText(w io.Writer) {
	fmt.Fprintf(w, "%d playouts  %d evals  %d nodes  depth %d/%d  %.0f ms  %.0f playouts/s  %s\n\n",
		r.Playouts, r.Evals, r.Nodes, r.Depth, r.SelDepth, r.TimeMS, r.NodesPerS, r.Model)
	t := table(w, tabwriter.AlignRight, "move\tvisits\tprior\tq\tproven\t")
	for _, c := range r.Children[:min(len(r.Children), shownChildren)] {
		proven := ""
		if c.Proven != game.Unproven {
			proven = game.Proof{Result: c.Proven, Plies: *c.Plies}.String()
		}
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%+.3f\t%s\t\n", c.Move, c.Visits, c.Prior, c.Q, proven)
	}
	t.Flush()
}

func (r *Search) classicalText(w io.Writer) {
	for i, c := range r.Children {
		if len(r.Children) > 1 {
			fmt.Fprintf(w, "%3d. %s  depth %d  %s\n", i+1, scoreText(*c.Score, *c.Claim), *c.Depth, strings.Join(c.PV, " "))
		}
	}
	fmt.Fprintf(w, "%d nodes (%d quiescence, %d solver)  depth %d/%d  %.0f ms  %.0f nodes/s\n",
		r.Nodes, *r.QuietNodes, *r.SolverNodes, r.Depth, r.SelDepth, r.TimeMS, r.NodesPerS)
	fmt.Fprintf(w, "table %.1f%% full, hit rate %.1f%%  first-move cutoffs %.1f%%  branching factor %.2f\n",
		100**r.TableFill, 100**r.TableHits, 100**r.FirstCut, *r.Branching)
}

// scoreText returns a claim, or the score in the evaluation's units.
func scoreText(score int, claim string) string {
	if claim != "" {
		return claim
	}
	return fmt.Sprintf("%+d", score)
}

// Forbidden is what "forbidden" prints.
type Forbidden struct {
	Rule   string           `json:"rule"`
	Size   int              `json:"size"`
	ToMove string           `json:"to_move"`
	Points []string         `json:"points"`
	Kinds  []ForbiddenPoint `json:"kinds"` // of the points, in their order
}

// ForbiddenPoint says why a point is forbidden.
type ForbiddenPoint struct {
	Point string   `json:"point"`
	Kind  string   `json:"kind"`           // the gravest reason
	Also  []string `json:"also,omitempty"` // the others
}

// NewForbidden returns the report of a position.
func NewForbidden(v games.Variant, pos game.Position) *Forbidden {
	r := &Forbidden{
		Rule: v.Rule(), Size: v.Size, ToMove: pos.ToMove().String(), Points: []string{}, Kinds: []ForbiddenPoint{},
	}
	for _, f := range v.Lines().Forbidden(pos) {
		point := v.Notation().FormatMove(f.Move)
		r.Points = append(r.Points, point)
		r.Kinds = append(r.Kinds, ForbiddenPoint{Point: point, Kind: f.Reasons[0], Also: f.Reasons[1:]})
	}
	return r
}

// Text implements [Report].
func (r *Forbidden) Text(w io.Writer) {
	for _, p := range r.Kinds {
		fmt.Fprintf(w, "%s %s\n", p.Point, strings.Join(append([]string{p.Kind}, p.Also...), ", "))
	}
}

// Perft is what "perft" prints.
type Perft struct {
	Game       string        `json:"game"`
	Rule       string        `json:"rule"`
	Size       int           `json:"size"`
	Position   *string       `json:"position,omitempty"` // as its moves; nil: of a diagram
	Board      string        `json:"board,omitempty"`    // where there is no Position
	ToMove     string        `json:"to_move"`
	Depth      int           `json:"depth"`
	Leaves     uint64        `json:"leaves"`
	Nodes      uint64        `json:"nodes"` // moves played; those of the last ply are not
	TimeMS     float64       `json:"time_ms"`
	LeavesPerS float64       `json:"leaves_per_s"`
	NodesPerS  float64       `json:"nodes_per_s"`
	Branches   []PerftBranch `json:"moves,omitempty"`
}

// PerftBranch is the count behind a first move.
type PerftBranch struct {
	Move   string `json:"move"`
	Leaves uint64 `json:"leaves"`
}

// NewPerft returns the report of a count to a depth, without its position.
func NewPerft(v games.Variant, pos game.Position, depth int, r *game.PerftResult) *Perft {
	report := &Perft{
		Game: v.Game, Rule: v.Rule(), Size: v.Size, ToMove: pos.ToMove().String(), Depth: depth,
		Leaves: r.Leaves, Nodes: r.Nodes, TimeMS: milliseconds(r.Elapsed),
	}
	if s := r.Elapsed.Seconds(); s > 0 {
		report.LeavesPerS, report.NodesPerS = float64(r.Leaves)/s, float64(r.Nodes)/s
	}
	for _, b := range r.Branches {
		report.Branches = append(report.Branches, PerftBranch{v.Notation().FormatMove(b.Move), b.Leaves})
	}
	return report
}

// Text implements [Report].
func (r *Perft) Text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, b := range r.Branches {
		fmt.Fprintf(t, "%s\t%d\n", b.Move, b.Leaves)
	}
	t.Flush()
	fmt.Fprintf(w, "perft %d: %d\n", r.Depth, r.Leaves)
	fmt.Fprintf(w, "%.0f ms, %.0f leaves/s; %d nodes, %.0f nodes/s\n", r.TimeMS, r.LeavesPerS, r.Nodes, r.NodesPerS)
}

// Solution is what "solve" prints.
type Solution struct {
	Kind     string `json:"kind"`
	Searched string `json:"searched"` // what a win of the kind is made of
	Rule     string `json:"rule"`
	Size     int    `json:"size"`
	Result   string `json:"result"`
	Plies    int    `json:"plies"`
	// Shortest says that no win of the kind takes fewer plies.
	Shortest bool     `json:"shortest"`
	Line     []string `json:"line"`
	Nodes    int      `json:"nodes"`
	TimeMS   float64  `json:"time_ms"`
	// Certificate is what was written of the win, nil if nothing was.
	Certificate *Certificate `json:"certificate,omitempty"`

	Ended bool `json:"-"` // unknown, although the budget was not spent
}

// NewSolution returns the report of what a solver has found, without plies and line.
func NewSolution(v games.Variant, kind, result string, nodes int64, elapsed time.Duration) *Solution {
	return &Solution{
		Kind: kind, Searched: searched(kind, v.Rule()), Rule: v.Rule(), Size: v.Size, Result: result, Line: []string{},
		Nodes: int(nodes), TimeMS: milliseconds(elapsed),
	}
}

// searched says which moves of the attacker a solver of a kind plays, as package vcf
// defines them.
func searched(kind, rule string) string {
	switch {
	case kind == vcf.VCF.String():
		return "fours"
	case kind == vcf.VCT.String() && rule == "school42":
		return "fours, threes and captures"
	case kind == vcf.VCT.String():
		return "fours and open threes"
	case kind == "full":
		return "all moves"
	}
	return "fours, open threes and threats of either"
}

// Text implements [Report].
func (r *Solution) Text(w io.Writer) {
	switch r.Result {
	case "win":
		note := ""
		if !r.Shortest {
			note = " (there may be a shorter one)"
		}
		fmt.Fprintf(w, "%s: win in %d plies%s: %s\n", r.Kind, r.Plies, note, strings.Join(r.Line, " "))
	case "loss":
		fmt.Fprintf(w, "%s: loss in %d plies (there may be a shorter one): %s\n", r.Kind, r.Plies, strings.Join(r.Line, " "))
	case "draw":
		fmt.Fprintf(w, "%s: draw: neither side loses\n", r.Kind)
	case "none":
		fmt.Fprintf(w, "%s: none by %s\n", r.Kind, r.Searched)
	default:
		why := "the budget was spent"
		if r.Ended {
			why = "neither side was shown to win"
		}
		fmt.Fprintf(w, "%s: unknown: %s\n", r.Kind, why)
	}
	fmt.Fprintf(w, "%d nodes, %.1f ms\n", r.Nodes, r.TimeMS)
	if r.Certificate != nil {
		r.Certificate.Text(w)
	}
}
