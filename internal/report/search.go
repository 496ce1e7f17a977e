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

// formatLine returns moves as text.
func formatLine(n game.Notation, moves []game.Move) []string {
	line := make([]string, len(moves))
	for i, m := range moves {
		line[i] = n.FormatMove(m)
	}
	return line
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// perSecond returns a rate, 0 if no time passed.
func perSecond(n int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Searched is what "search" prints of either engine first.
type Searched struct {
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
	RootQ    float32 `json:"root_q"` // mean of the root's playouts, beside the chosen move's value; the classical search, which has no mean, gives value

	// Certificate is what was written of the win or loss, nil if nothing was.
	Certificate *Certificate `json:"certificate,omitempty"`
}

// certificate prints what was written.
func (r *Searched) certificate(w io.Writer) {
	if r.Certificate != nil {
		r.Certificate.Text(w)
	}
}

// newSearched takes from an answer what both engines say, without the position.
func newSearched(by players.PlayerKind, v games.Variant, pos game.Position, a *engine.Answer) Searched {
	return Searched{
		Engine: string(by), Game: v.Game, Rule: v.Rule(), Size: v.Size, ToMove: pos.ToMove().String(),
		Move: v.Notation().FormatMove(a.Move), Value: a.Value, Winrate: (a.Value + 1) / 2, RootQ: a.RootValue,
	}
}

// Tree is what "search" prints of a tree search.
type Tree struct {
	Searched
	NetValue  float32    `json:"net_value"`
	Proven    string     `json:"proven"`
	ProofPly  int        `json:"proof_plies"`
	Claim     string     `json:"claim,omitempty"` // "win in n" or "loss in n", by the classical search beside it; not proven
	PV        []string   `json:"pv"`
	Playouts  int        `json:"playouts"`
	Visits    int        `json:"visits"`
	Evals     int        `json:"evals"`
	Nodes     int        `json:"nodes"`
	Depth     int        `json:"depth"`
	SelDepth  int        `json:"seldepth"`
	TimeMS    float64    `json:"time_ms"`
	NodesPerS float64    `json:"nodes_per_s"`
	Full      bool       `json:"memory_full"`
	Solver    int        `json:"solver_calls"`
	Model     string     `json:"model"`
	Children  []TreeMove `json:"children"`
}

// TreeMove is a move of the root.
type TreeMove struct {
	Move   string  `json:"move"`
	Visits int     `json:"visits"`
	Prior  float32 `json:"prior"`
	Q      float32 `json:"q"`
	Proven string  `json:"proven"`
	Plies  int     `json:"proof_plies"`
	Claim  string  `json:"claim,omitempty"` // as in Tree
}

// NewTree returns the report of a search from pos, without the position.
func NewTree(n *networks.Net, pos game.Position, a *engine.Answer) *Tree {
	v, s := n.Variant(), &a.Stats
	notation := v.Notation()
	report := &Tree{
		Searched: newSearched(players.MCTS, v, pos, a), NetValue: a.NetValue, PV: formatLine(notation, a.Line),
		Playouts: int(s.Nodes), Visits: s.Visits, Evals: s.Evals, Nodes: s.TreeNodes, Depth: s.Depth, SelDepth: s.SelDepth,
		TimeMS: milliseconds(s.Elapsed), NodesPerS: s.NodesPerSecond(), Full: s.Full, Solver: s.SolverCalls, Model: n.Name,
	}
	report.Proven, report.ProofPly, report.Claim = known(a.Proof)
	for _, o := range a.Moves {
		m := TreeMove{Move: notation.FormatMove(o.Move), Visits: o.Visits, Prior: o.Prior, Q: o.Value}
		m.Proven, m.Plies, m.Claim = known(o.Proof)
		report.Children = append(report.Children, m)
	}
	return report
}

// known returns what is proven, in how many plies, and what is only claimed.
func known(p game.Proof) (proven string, plies int, claim string) {
	if p.Claimed {
		return unproven, 0, p.String()
	}
	return p.Result.String(), p.Plies, ""
}

// shownChildren is how many children the text shows.
const shownChildren = 10

// Text implements [Report].
func (r *Tree) Text(w io.Writer) {
	proof := ""
	switch {
	case r.Proven != unproven:
		proof = "  proven " + valueIn(r.Proven, r.ProofPly)
	case r.Claim != "":
		proof = "  claims " + r.Claim
	}
	fmt.Fprintf(w, "%s  value %+.3f  winrate %.1f%%  root mean %+.3f%s\n", r.Move, r.Value, 100*r.Winrate, r.RootQ, proof)
	fmt.Fprintf(w, "pv")
	for _, m := range r.PV {
		fmt.Fprintf(w, " %s", m)
	}
	fmt.Fprintf(w, "\n%d playouts  %d evals  %d nodes  depth %d/%d  %.0f ms  %.0f playouts/s  %s\n\n",
		r.Playouts, r.Evals, r.Nodes, r.Depth, r.SelDepth, r.TimeMS, r.NodesPerS, r.Model)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "move\tvisits\tprior\tq\tproven\t")
	for i, c := range r.Children {
		if i == shownChildren {
			break
		}
		proven := ""
		switch {
		case c.Claim != "":
			proven = c.Claim + "?"
		case c.Proven != unproven:
			proven = strings.TrimSuffix(valueIn(c.Proven, c.Plies), " plies")
		}
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%+.3f\t%s\t\n", c.Move, c.Visits, c.Prior, c.Q, proven)
	}
	t.Flush()
	r.certificate(w)
}

// Classical is what "search" prints of a classical search.
type Classical struct {
	Searched
	Score       int             `json:"score"`
	Claim       string          `json:"claim"` // "win in n", "loss in n" or empty
	Proven      string          `json:"proven"`
	ProofPly    int             `json:"proof_plies"`
	PV          []string        `json:"pv"`
	Playouts    int             `json:"playouts"` // always 0: this engine has none
	Evals       int             `json:"evals"`    // of a network: always 0
	Nodes       int64           `json:"nodes"`
	SolverNodes int64           `json:"solver_nodes"`
	QuietNodes  int64           `json:"quiescence_nodes"`
	Depth       int             `json:"depth"`
	SelDepth    int             `json:"seldepth"`
	TimeMS      float64         `json:"time_ms"`
	NodesPerS   float64         `json:"nodes_per_s"`
	TableFill   float64         `json:"table_fill"`
	TableHits   float64         `json:"table_hit_rate"`
	FirstCut    float64         `json:"first_cutoff_rate"`
	Branching   float64         `json:"branching"` // nodes^(1/depth)
	Model       string          `json:"model"`     // always empty: this engine has none
	Iterations  []Iteration     `json:"iterations"`
	Children    []ClassicalMove `json:"children"`

	// Depths shows what each iteration alone took.
	Depths bool `json:"-"`

	shown bool // the iterations were, as they came
}

// ClassicalMove is one of the best moves; what only playouts have is 0.
type ClassicalMove struct {
	Move   string   `json:"move"`
	Visits int      `json:"visits"`
	Prior  float32  `json:"prior"`
	Q      float32  `json:"q"`
	Proven string   `json:"proven"`
	Score  int      `json:"score"`
	Claim  string   `json:"claim"`
	Depth  int      `json:"depth"`
	PV     []string `json:"pv"`
}

// What is proven of a result.
const (
	provenWin = "win"
	unproven  = "unknown"
)

// Prove replaces what the search claimed by a proven win.
func (r *Classical) Prove(n game.Notation, w vcf.Proof) {
	r.Move, r.PV = n.FormatMove(w.Line[0]), formatLine(n, w.Line)
	r.Proven, r.ProofPly = provenWin, w.Plies
	for i := range r.Children {
		if r.Children[i].Move == r.Move {
			r.Children[i].Proven = provenWin
		}
	}
}

// NewClassical returns the report of a search from pos with its iterations,
// without the position. A win in it is claimed, not proven.
func NewClassical(v games.Variant, pos game.Position, a *engine.Answer, t *Iterations) *Classical {
	n, s := v.Notation(), &a.Stats
	report := &Classical{
		Searched: newSearched(players.AlphaBeta, v, pos, a), Score: a.Moves[0].Score, Claim: a.Proof.String(),
		Proven: unproven, PV: formatLine(n, a.Line),
		Nodes: s.Nodes, SolverNodes: s.SolverNodes, QuietNodes: s.QuiescenceNodes, Depth: s.Depth, SelDepth: s.SelDepth,
		TimeMS: milliseconds(s.Elapsed), NodesPerS: s.NodesPerSecond(),
		TableFill: s.TableFill, TableHits: s.HitRate(), FirstCut: s.FirstCutoffRate(), Branching: s.Branching,
		Iterations: append([]Iteration{}, t.rows...), shown: t.shown,
	}
	for _, o := range a.Moves {
		report.Children = append(report.Children, ClassicalMove{
			Move: n.FormatMove(o.Move), Q: o.Value, Proven: unproven,
			Score: o.Score, Claim: o.Proof.String(), Depth: o.Depth, PV: formatLine(n, o.Line),
		})
	}
	return report
}

// Text implements [Report]. It has the table of iterations, if that was not shown
// as they came.
func (r *Classical) Text(w io.Writer) {
	if !r.shown {
		t := Iterations{out: w}
		for _, row := range r.Iterations {
			t.row(row)
		}
		t.Flush()
	}
	fmt.Fprintf(w, "%s  value %+.3f  winrate %.1f%%  %s\n", r.Move, r.Value, 100*r.Winrate, r.verdict())
	fmt.Fprintf(w, "pv %s\n", strings.Join(r.PV, " "))
	for i, c := range r.Children {
		if len(r.Children) > 1 {
			fmt.Fprintf(w, "%3d. %s  depth %d  %s\n", i+1, scoreText(c.Score, c.Claim), c.Depth, strings.Join(c.PV, " "))
		}
	}
	fmt.Fprintf(w, "%d nodes (%d quiescence, %d solver)  depth %d/%d  %.0f ms  %.0f nodes/s\n",
		r.Nodes, r.QuietNodes, r.SolverNodes, r.Depth, r.SelDepth, r.TimeMS, r.NodesPerS)
	fmt.Fprintf(w, "table %.1f%% full, hit rate %.1f%%  first-move cutoffs %.1f%%  branching factor %.2f\n",
		100*r.TableFill, 100*r.TableHits, 100*r.FirstCut, r.Branching)
	if r.Depths {
		depths(w, r.Iterations)
	}
	r.certificate(w)
}

// verdict returns the score, what it claims, and what is proven.
func (r *Classical) verdict() string {
	switch {
	case r.Proven == provenWin:
		return fmt.Sprintf("proven win in %d plies", r.ProofPly)
	case r.Claim != "":
		return "claims " + r.Claim
	}
	return "score " + scoreText(r.Score, "")
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

	ended bool // unknown, although the budget was not spent
}

// NewSolution returns the report of what a solver of forced wins has found.
func NewSolution(v games.Variant, kind vcf.Kind, s *vcf.Result, elapsed time.Duration) *Solution {
	return &Solution{
		Kind: kind.String(), Searched: searched(kind, v.Rule()), Rule: v.Rule(), Size: v.Size, Result: s.Outcome.String(), Plies: s.Plies, Shortest: s.Shortest,
		Line: formatLine(v.Notation(), s.Line), Nodes: s.Nodes, TimeMS: milliseconds(elapsed),
	}
}

// NewQuietSolution returns the report of a search for wins with quiet moves; plies and line
// of a win are left to the caller.
func NewQuietSolution(v games.Variant, kind, result string, nodes int64, elapsed time.Duration) *Solution {
	return &Solution{
		Kind: kind, Searched: "fours, open threes and threats of either", Rule: v.Rule(), Size: v.Size, Result: result,
		Line: []string{}, Nodes: int(nodes), TimeMS: milliseconds(elapsed),
	}
}

// NewDecided returns the report of a search by all moves. Plies and line that stand in a
// certificate are left to the caller.
func NewDecided(v games.Variant, kind, result string, d *games.Decision, elapsed time.Duration) *Solution {
	return &Solution{
		Kind: kind, Searched: "all moves", Rule: v.Rule(), Size: v.Size, Result: result, Plies: d.Plies,
		Line: formatLine(v.Notation(), d.Line), Nodes: int(d.Nodes), TimeMS: milliseconds(elapsed), ended: d.Ended,
	}
}

// searched says which moves of the attacker the solver plays, as package vcf
// defines them.
func searched(kind vcf.Kind, rule string) string {
	switch {
	case kind == vcf.VCF:
		return "fours"
	case rule == "school42":
		return "fours, threes and captures"
	}
	return "fours and open threes"
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
		if r.ended {
			why = "neither side was shown to win"
		}
		fmt.Fprintf(w, "%s: unknown: %s\n", r.Kind, why)
	}
	fmt.Fprintf(w, "%d nodes, %.1f ms\n", r.Nodes, r.TimeMS)
	if r.Certificate != nil {
		r.Certificate.Text(w)
	}
}
