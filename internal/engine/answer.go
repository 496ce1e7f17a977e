package engine

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/mcts"
)

// This file alone converts the searches' results to answers.

// treeProof converts what a tree search has proven.
func treeProof(r game.Result, plies int) game.Proof {
	if plies == mcts.Endless {
		plies = 0
	}
	return game.Proof{Result: r, Plies: plies}
}

// treeAnswer converts the result of a tree search; it shares memory with r.
func treeAnswer(r *mcts.Result) *Answer {
	a := &Answer{
		Move: r.Move, Value: r.Value, RootValue: r.RootQ, NetValue: r.NetValue, Error: r.Error,
		Proof: treeProof(r.Proven, r.ProofPlies), Line: slices.Clone(r.PV), Moves: make([]Opinion, len(r.Children)),
		Stats: Stats{
			Nodes: int64(r.Playouts), Depth: r.Depth, SelDepth: r.SelDepth, Visits: r.Visits, Evals: r.Evals, TreeNodes: r.Nodes,
			SolverCalls: r.SolverCalls, SolverNodes: int64(r.SolverNodes), Full: r.Full,
		},
	}
	for i, c := range r.Children {
		a.Moves[i] = Opinion{
			Move: c.Move, Visits: int(c.Visits), Prior: c.Prior, Value: c.Q, Error: c.Error, Proof: treeProof(c.Proven, c.Plies),
		}
	}
	return a
}

// claim converts a score that claims a win or a loss.
func claim(s alphabeta.Score) game.Proof {
	plies, claimed := s.Claim()
	switch {
	case !claimed:
		return game.Proof{}
	case s > 0:
		return game.Proof{Result: game.Won, Plies: plies, Claimed: true}
	}
	return game.Proof{Result: game.Lost, Plies: plies, Claimed: true}
}

// classicalAnswer converts the result of a classical search; curve turns scores into
// values.
func classicalAnswer(r *alphabeta.Result, curve games.Curve) *Answer {
	s, value := &r.Stats, curve.Value(r.Score)
	a := &Answer{
		Move: r.Move, Value: value, RootValue: value, Proof: claim(r.Score), Line: r.Lines[0].Moves,
		Moves: make([]Opinion, len(r.Lines)),
		Stats: Stats{
			Nodes: s.Nodes, Depth: r.Depth, SelDepth: s.SelDepth, Elapsed: s.Elapsed,
			SolverNodes: s.SolverNodes, QuiescenceNodes: s.QuiescenceNodes, Leaves: s.Leaves,
			TableProbes: s.TableProbes, TableHits: s.TableHits, Cutoffs: s.Cutoffs, FirstCutoffs: s.FirstCutoffs,
			TableFill: s.TableFill, Branching: s.Branching(r.Depth),
		},
	}
	for i, l := range r.Lines {
		a.Moves[i] = Opinion{
			Move: l.Moves[0], Value: curve.Value(l.Score), Score: int(l.Score), Proof: claim(l.Score), Depth: l.Depth,
			Line: l.Moves,
		}
	}
	return a
}

// withMove makes m, one of the judged moves, the move of a.
func withMove(a *Answer, m game.Move) *Answer {
	if m == a.Move {
		return a
	}
	a.Move, a.Line = m, []game.Move{m}
	for i := range a.Moves {
		if o := &a.Moves[i]; o.Move == m && len(o.Line) > 0 {
			a.Line = o.Line
		}
	}
	return a
}

// ProofNodes are the budgets, in moves played, of the solver beside a classical search.
// Zero means the default, alphabeta.Off no solver.
type ProofNodes struct {
	Root  int // to find a win before the search; at most a share of the search's budget
	Claim int // to check a result that the search claims; on top of its budget
}

// Defaults of ProofNodes.
const (
	rootProof  = 20_000
	claimProof = 50_000 // but at most the search's own budget, and at least leastClaimProof

	leastClaimProof = 5_000
)

// String returns n as a player's option.
func (n ProofNodes) String() string {
	if n.Root == alphabeta.Off {
		return "off"
	}
	return strconv.Itoa(n.Root)
}

// withDefaults replaces zeros by the defaults.
func (n ProofNodes) withDefaults() ProofNodes {
	if n.Root == 0 {
		n.Root = rootProof
	}
	if n.Claim == 0 {
		n.Claim = claimProof
	}
	return n
}

// claims checks the results that a classical search claims for one position with a solver.
// It runs the solver at most once with each budget.
type claims struct {
	ctx    context.Context
	prover *games.Prover
	share  int64 // see Game.proofShare
	pos    game.Position
	nodes  ProofNodes
	spent  int // moves played
	asked  bool
	win    *alphabeta.Line // proven; nil if none is known
}

// newClaims returns nil if the solver cannot prove anything in the position. It does not
// change pos.
func (c *Classical) newClaims(ctx context.Context, pos game.Position) *claims {
	if c.proof.Root < 0 && c.proof.Claim < 0 || pos.Outcome() != game.Undecided {
		return nil
	}
	if c.prover == nil {
		if c.prover = c.variant.Prover(0); c.prover == nil {
			return nil
		}
	}
	return &claims{
		ctx: ctx, prover: c.prover, share: c.variant.Lines().ProofShare(),
		pos: c.variant.Searchable(pos), nodes: c.proof,
	}
}

// before looks for a win before the search and reports whether there is one. It counts
// towards l.
func (k *claims) before(l *alphabeta.Limits) bool {
	nodes := k.nodes.Root
	if l.Nodes > 0 {
		nodes = int(min(int64(nodes), l.Nodes/k.share))
		k.nodes.Claim = int(min(int64(k.nodes.Claim), max(l.Nodes, leastClaimProof)))
	}
	if nodes <= 0 {
		return false
	}
	if l.Time > 0 {
		whole := k.ctx
		bounded, cancel := SystemTime{}.WithDeadline(whole, time.Now().Add(l.Time/time.Duration(k.share)))
		defer cancel()
		k.ctx = bounded
		defer func() { k.ctx = whole }()
	}
	return k.prove(nodes) != nil
}

// prove looks for a win of the side to move by fours, then by threats, and
// returns it. It plays at most nodes moves, and as many again for the line.
func (k *claims) prove(nodes int) *alphabeta.Line {
	left := nodes
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		if left < 1 || k.win != nil {
			break
		}
		r := k.prover.Solve(k.ctx, k.pos, kind, left)
		k.spent += r.Nodes
		left -= r.Nodes
		if r.Outcome == vcf.Win && r.Plies <= alphabeta.MaxClaim {
			k.win = &alphabeta.Line{Moves: append([]game.Move(nil), r.Line...), Score: alphabeta.WinIn(r.Plies)}
		}
	}
	return k.win
}

// check corrects r by what the solver proves: a proven win replaces a claimed loss or a
// longer claimed win, and a claimed win after which the opponent is proven to win becomes a
// loss.
func (k *claims) check(r *alphabeta.Result) {
	if len(r.Lines) == 0 {
		return
	}
	if _, claimed := r.Score.Claim(); claimed && !k.asked && k.nodes.Claim > 0 {
		k.asked = true
		k.prove(k.nodes.Claim)
	}
	if k.win != nil && k.win.Score > r.Score {
		k.prefer(r)
		return
	}
	changed := false
	for i := range r.Lines {
		changed = k.refuted(&r.Lines[i]) || changed
	}
	if changed {
		slices.SortStableFunc(r.Lines, func(a, b alphabeta.Line) int { return int(b.Score - a.Score) })
	}
	r.Move, r.Score = r.Lines[0].Moves[0], r.Lines[0].Score
}

// prefer makes the proven win the first line of r.
func (k *claims) prefer(r *alphabeta.Result) {
	lines := []alphabeta.Line{*k.win}
	lines[0].Depth = r.Depth
	for _, l := range r.Lines {
		if l.Moves[0] != lines[0].Moves[0] && len(lines) < len(r.Lines) {
			lines = append(lines, l)
		}
	}
	r.Lines = lines
	r.Move, r.Score = lines[0].Moves[0], lines[0].Score
}

// refuted reports whether a line claims a win although the opponent is proven to win, and
// then turns it into that loss.
func (k *claims) refuted(l *alphabeta.Line) bool {
	if _, claimed := l.Score.Claim(); !claimed || l.Score < 0 || k.nodes.Claim <= 0 {
		return false
	}
	k.pos.Play(l.Moves[0])
	defer k.pos.Undo()
	if k.pos.Outcome() != game.Undecided {
		return false
	}
	r := k.prover.Solve(k.ctx, k.pos, vcf.VCF, k.nodes.Claim/10)
	k.spent += r.Nodes
	if r.Outcome != vcf.Win {
		return false
	}
	l.Score = alphabeta.LossIn(r.Plies + 1)
	l.Moves = append(l.Moves[:1:1], r.Line...)
	return true
}

// proven returns the result when the solver's win makes a search unnecessary.
func (k *claims) proven(began time.Time) alphabeta.Result {
	r := alphabeta.Result{Move: k.win.Moves[0], Score: k.win.Score, Lines: []alphabeta.Line{*k.win}}
	r.Stats.Nodes, r.Stats.SolverNodes = int64(k.spent), int64(k.spent)
	r.Stats.Elapsed = time.Since(began)
	return r
}
