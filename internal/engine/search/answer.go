package search

import (
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/mcts"
)

// This file alone converts the searches' results to those of package engine.

// results are the proofs of the tree search.
var results = [...]engine.Result{mcts.Unknown: engine.Unknown, mcts.Win: engine.Win, mcts.Draw: engine.Draw, mcts.Loss: engine.Loss}

// treeProof converts what a tree search has proven.
func treeProof(p mcts.Proof, plies int) engine.Proof {
	if plies == mcts.Endless {
		plies = 0
	}
	return engine.Proof{Result: results[p], Plies: plies}
}

// treeAnswer converts the result of a tree search; it shares memory with r.
func treeAnswer(r *mcts.Result) *engine.Answer {
	a := &engine.Answer{
		Move: r.Move, Value: r.Value, RootValue: r.RootQ, NetValue: r.NetValue, Error: r.Error,
		Proof: treeProof(r.Proven, r.ProofPlies), Line: slices.Clone(r.PV), Moves: make([]engine.Opinion, len(r.Children)),
		Stats: engine.Stats{
			Nodes: int64(r.Playouts), Depth: r.Depth, SelDepth: r.SelDepth, Visits: r.Visits, Evals: r.Evals, TreeNodes: r.Nodes,
			SolverCalls: r.SolverCalls, SolverNodes: int64(r.SolverNodes), Full: r.Full,
		},
	}
	for i, c := range r.Children {
		a.Moves[i] = engine.Opinion{
			Move: c.Move, Visits: int(c.Visits), Prior: c.Prior, Value: c.Q, Error: c.Error, Proof: treeProof(c.Proven, c.Plies),
		}
	}
	return a
}

// claim converts a score that claims a win or a loss.
func claim(s alphabeta.Score) engine.Proof {
	plies, claimed := s.Claim()
	switch {
	case !claimed:
		return engine.Proof{}
	case s > 0:
		return engine.Proof{Result: engine.Win, Plies: plies, Claimed: true}
	}
	return engine.Proof{Result: engine.Loss, Plies: plies, Claimed: true}
}

// classicalAnswer converts the result of a classical search; curve turns scores into
// values.
func classicalAnswer(r *alphabeta.Result, curve games.Curve) *engine.Answer {
	s, value := &r.Stats, curve.Value(r.Score)
	a := &engine.Answer{
		Move: r.Move, Value: value, RootValue: value, Proof: claim(r.Score), Line: r.Lines[0].Moves,
		Moves: make([]engine.Opinion, len(r.Lines)),
		Stats: engine.Stats{
			Nodes: s.Nodes, Depth: r.Depth, SelDepth: s.SelDepth, Elapsed: s.Elapsed,
			SolverNodes: s.SolverNodes, QuiescenceNodes: s.QuiescenceNodes, Leaves: s.Leaves,
			TableProbes: s.TableProbes, TableHits: s.TableHits, Cutoffs: s.Cutoffs, FirstCutoffs: s.FirstCutoffs,
			TableFill: s.TableFill, Branching: s.Branching(r.Depth),
		},
	}
	for i, l := range r.Lines {
		a.Moves[i] = engine.Opinion{
			Move: l.Moves[0], Value: curve.Value(l.Score), Score: int(l.Score), Proof: claim(l.Score), Depth: l.Depth, Line: l.Moves,
		}
	}
	return a
}

// withMove makes m, one of the judged moves, the move of a.
func withMove(a *engine.Answer, m game.Move) *engine.Answer {
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
