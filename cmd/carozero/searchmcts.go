package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/think"
	"github.com/carozero/carozero/mcts"
)

// searchFlags are the settings of one MCTS search.
type searchFlags struct {
	playouts, inFlight, memory int
	solvers                    engine.SolverNodes
	seed                       uint64
}

// rootSolver is the budget of the solver at the root where a search has a
// position to itself: with it the wins of the tactical suite are all found.
const rootSolver = 60_000

// register adds the flags with the defaults of a command.
func (f *searchFlags) register(cmd *cobra.Command, playouts, root int) {
	solvers := engine.DefaultSolvers()
	addInt(cmd, &f.playouts, option.Playouts.With(int64(playouts), "playouts of a search"))
	addInt(cmd, &f.inFlight, option.InFlight.With(0, "playouts under way at once; part of the algorithm: changes the tree; 2 by default"))
	addInt(cmd, &f.memory, option.TreeMemory)
	addInt(cmd, &f.solvers.Leaf, option.SolverNodes.With(int64(solvers.Leaf), "budget of the solver of continuous fours at each leaf; a proven leaf needs no network"))
	addInt(cmd, &f.solvers.Root, option.SolverNodes.Named("root-solver-nodes").With(int64(root), "budget of the solvers of continuous fours, and of fours and threes, at the root"))
	addInt(cmd, &f.solvers.Defences, option.SolverNodes.Named("parry-nodes").With(int64(solvers.Defences), "budget of the solver of the opponent's continuous fours after each move of the root"))
	addSeed(cmd, &f.seed, option.RandomSeed)
}

// check refuses a search that there is no memory for.
func (f *searchFlags) check(v engine.Variant) error {
	var m option.Memory
	addTree(&m, v, f.playouts, f.memory, engine.MaxInFlight)
	return checkMemory(&m)
}

// checkTree refuses a tree that there is no memory for, in searches that may
// fill it; the default is never refused.
func (f *searchFlags) checkTree() error {
	if int64(f.memory) <= option.TreeMemory.Default {
		return nil
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--memory %d", f.memory), int64(f.memory)<<20)
	return checkMemory(&m)
}

// tree returns what the flags say of a tree search.
func (f *searchFlags) tree() engine.TreeOptions {
	return engine.TreeOptions{
		Search: mcts.Options{InFlight: f.inFlight, Memory: int64(f.memory) << 20}, Solvers: f.solvers,
		Eval: engine.EvalOptions{Seed: f.seed},
	}
}

// searchReport is the JSON of a search.
type searchReport struct {
	Engine    string        `json:"engine"`
	Game      string        `json:"game"`
	Rule      string        `json:"rule"`
	Size      int           `json:"size"`
	Position  string        `json:"position"`
	ToMove    string        `json:"to_move"`
	Move      string        `json:"move"`
	Value     float32       `json:"value"`
	Winrate   float32       `json:"winrate"`
	RootQ     float32       `json:"root_q"` // mean of the root's playouts, beside the chosen move's value
	NetValue  float32       `json:"net_value"`
	Proven    string        `json:"proven"`
	ProofPly  int           `json:"proof_plies"`
	PV        []string      `json:"pv"`
	Playouts  int           `json:"playouts"`
	Visits    int           `json:"visits"`
	Evals     int           `json:"evals"`
	Nodes     int           `json:"nodes"`
	Depth     int           `json:"depth"`
	SelDepth  int           `json:"seldepth"`
	TimeMS    float64       `json:"time_ms"`
	NodesPerS float64       `json:"nodes_per_s"`
	Full      bool          `json:"memory_full"`
	Solver    int           `json:"solver_calls"`
	Model     string        `json:"model"`
	Children  []searchChild `json:"children"`
}

type searchChild struct {
	Move   string  `json:"move"`
	Visits int     `json:"visits"`
	Prior  float32 `json:"prior"`
	Q      float32 `json:"q"`
	Proven string  `json:"proven"`
	Plies  int     `json:"proof_plies"`
}

func newSearchReport(n *engine.Net, pos game.Position, a *think.Answer) *searchReport {
	v, s := n.Variant(), &a.Stats
	notation := v.Notation()
	report := &searchReport{
		Engine: engineMCTS, Game: v.Game, Rule: v.Rule(), Size: v.Size, ToMove: pos.ToMove().String(),
		Move: notation.FormatMove(a.Move), Value: a.Value, Winrate: (a.Value + 1) / 2, RootQ: a.RootValue, NetValue: a.NetValue,
		Proven: a.Proof.Result.String(), ProofPly: a.Proof.Plies, PV: formatLine(notation, a.Line),
		Playouts: int(s.Nodes), Visits: s.Visits, Evals: s.Evals, Nodes: s.TreeNodes, Depth: s.Depth, SelDepth: s.SelDepth,
		TimeMS: milliseconds(s.Elapsed), NodesPerS: s.NodesPerSecond(), Full: s.Full, Solver: s.SolverCalls, Model: n.Name,
	}
	for _, o := range a.Moves {
		report.Children = append(report.Children, searchChild{
			Move: notation.FormatMove(o.Move), Visits: o.Visits, Prior: o.Prior, Q: o.Value,
			Proven: o.Proof.Result.String(), Plies: o.Proof.Plies,
		})
	}
	return report
}

// shownChildren is how many children a person is shown.
const shownChildren = 10

func printSearch(w io.Writer, r *searchReport) {
	proof := ""
	if r.Proven != unproven {
		proof = fmt.Sprintf("  proven %s in %d plies", r.Proven, r.ProofPly)
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
		if c.Proven != unproven {
			proven = fmt.Sprintf("%s in %d", c.Proven, c.Plies)
		}
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%+.3f\t%s\t\n", c.Move, c.Visits, c.Prior, c.Q, proven)
	}
	t.Flush()
}
