package crosscheck

import (
	"testing"

	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/tactics"
)

// wrongFours is the classical search with an error in its solver of fours: it takes every
// four for a win.
type wrongFours struct{ gomokusearch.Game }

// Bind implements alphabeta.Game.
func (g wrongFours) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	h, err := g.Game.Bind(pos)
	if err == nil {
		h.Solver = everyFour{h.Position.(*pattern.Board)}
	}
	return h, err
}

type everyFour struct{ board *pattern.Board }

// Solve implements alphabeta.Solver.
func (s everyFour) Solve(int, int) alphabeta.Solution {
	side := s.board.ToMove()
	fours := s.board.FourCells(side)
	if c := fours.Next(0); c >= 0 && s.board.Count(side.Other(), pattern.Five) == 0 {
		return alphabeta.Solution{Won: true, Move: game.Move(c), Plies: 3}
	}
	return alphabeta.Solution{}
}

// The tree of a cross-check has another solver of fours than the classical search, so that
// an error there is found: moves that lose to it are shown as blunders.
func TestErrorInFoursIsFound(t *testing.T) {
	holds, err := tactics.Holds()
	if err != nil {
		t.Fatal(err)
	}
	setup, err := ParseSetup("playouts=40,memory=1", "nodes=1000,table=1")
	if err != nil || setup.tree.Solvers.Fours {
		t.Fatalf("the tree uses the classical search's fours: %v", err)
	}
	v := variant(t, "caro", 15)
	net, err := new(networks.Loader).Open(v, networks.Uniform)
	if err != nil {
		t.Fatal(err)
	}
	e, err := setup.Builder(net, 1, nil)()
	if err != nil {
		t.Fatal(err)
	}
	var searchers [2]*alphabeta.Searcher
	for i, g := range []alphabeta.Game{gomokusearch.Game{}, wrongFours{}} {
		if searchers[i], err = alphabeta.New(g, alphabeta.Options{TableMiB: 1}); err != nil {
			t.Fatal(err)
		}
	}
	judge := NewJudge(v, e, Options{Playouts: 40, Nodes: 1000, SolverNodes: 5000})
	var blunders [2]int
	for _, h := range holds {
		if h.Rule != "caro" || h.Size != 15 || blunders[1] > 0 {
			continue
		}
		pos, err := h.Board()
		if err != nil {
			t.Fatal(err)
		}
		mcts, err := think(t.Context(), e.MCTS, pos, 40)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range searchers {
			r, err := s.Search(t.Context(), pos, alphabeta.Limits{Nodes: 1000})
			if err != nil {
				t.Fatal(err)
			}
			row, err := judge.Row(t.Context(), pos, mcts, &engine.Answer{Move: r.Move})
			if err != nil {
				t.Fatal(err)
			}
			if row.AlphaBetaBlunder != "" {
				blunders[i]++
			}
		}
	}
	if blunders[0] > 0 || blunders[1] == 0 {
		t.Errorf("blunders %v, want none without the error and some with it", blunders)
	}
}
