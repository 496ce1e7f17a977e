package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/perft"
	"github.com/carozero/carozero/internal/engine/games"
)

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
	for _, f := range v.Forbidden(pos) {
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
func NewPerft(v games.Variant, pos game.Position, depth int, r *perft.Result) *Perft {
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
