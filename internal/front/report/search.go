package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
)

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
func known(p engine.Proof) (proven string, plies int, claim string) {
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
