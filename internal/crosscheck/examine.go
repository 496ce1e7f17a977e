package crosscheck

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/think"
)

// examiner judges one position after the other. It belongs to one goroutine.
type examiner struct {
	engines Engines
	prover  *prover // of the games' variant; nil until there is one
	opts    Options
	run     string // fingerprint
}

func newExaminer(e Engines, o Options) *examiner {
	return &examiner{engines: e, opts: o, run: o.fingerprint()}
}

// row judges one position.
func (x *examiner) row(ctx context.Context, s sample) (Row, error) {
	pos, err := s.game.At(s.plies)
	if err != nil {
		return Row{}, err
	}
	v := s.game.Variant
	if x.prover == nil {
		x.prover = newProver(v, x.opts.SolverNodes)
	}
	r := Row{
		Format: rowsFormat, Version: rowsFileVersion, Run: x.run, Index: s.index, Source: s.game.Source, Rule: v.Rule(), Size: v.Size,
		Position: s.game.Text(s.plies), Ply: pos.Ply(), ToMove: pos.ToMove().String(),
		Outcome: outcomeFor(s.outcome, pos.ToMove()), Verdict: Agree,
	}
	x.engines.MCTS.Forget()
	x.engines.AlphaBeta.Forget()
	mcts, err := search(ctx, x.engines.MCTS, pos, x.opts.Playouts)
	if err != nil {
		return r, fmt.Errorf("mcts on %q: %w", r.Position, err)
	}
	alphaBeta, err := search(ctx, x.engines.AlphaBeta, pos, x.opts.Nodes)
	if err != nil {
		return r, fmt.Errorf("alpha-beta on %q: %w", r.Position, err)
	}
	return r, x.judge(ctx, v.Notation(), pos, &r, mcts, alphaBeta)
}

// judge fills in what the engines say of a position and the verdict.
func (x *examiner) judge(ctx context.Context, n game.Notation, pos game.Position, r *Row, mcts, alphaBeta *think.Answer) error {
	r.MCTS, r.AlphaBeta = viewMCTS(n, mcts), viewAlphaBeta(n, alphaBeta)
	if mcts.Move == alphaBeta.Move {
		return nil
	}
	if err := x.deeper(ctx, n, pos, r, mcts, alphaBeta); err != nil {
		return fmt.Errorf("looking deeper into %q: %w", r.Position, err)
	}
	return ctx.Err() // a solver that was cut short has only said "unknown"
}

// deeper looks closer at both opinions, whose moves differ, and fills in the
// verdict.
func (x *examiner) deeper(ctx context.Context, n game.Notation, pos game.Position, r *Row, mcts, alphaBeta *think.Answer) error {
	x.engines.MCTS.Forget()
	tree, err := search(ctx, x.engines.MCTS, pos, x.opts.Playouts*x.opts.Deeper)
	if err != nil {
		return err
	}
	win := x.prover.prove(ctx, pos)
	for _, o := range []*think.Answer{alphaBeta, mcts, tree} {
		if win != nil {
			break
		}
		if win, err = x.prover.proveClaim(ctx, pos, o, x.engines.AlphaBeta, x.opts.Nodes); err != nil {
			return err
		}
	}
	r.Win = viewProof(n, win)
	r.Deeper = &Deeper{MCTS: viewMCTS(n, tree)}
	var of [2]finding
	var views [2]*MoveView
	for i, m := range []game.Move{mcts.Move, alphaBeta.Move} {
		if of[i], views[i], err = x.inspect(ctx, n, pos, m, win, tree); err != nil {
			return err
		}
	}
	r.Deeper.OfMCTS, r.Deeper.OfAlpha = views[0], views[1]
	escapes := false
	if of[0].loses && (of[1].loses || of[1].claimed) || of[1].loses && of[0].claimed {
		o, err := search(ctx, x.engines.AlphaBeta, pos, x.opts.Nodes*x.opts.Deeper)
		if err != nil {
			return err
		}
		escapes = o.Proof.Result != think.Loss
	}
	j := judge(of[0], of[1], win != nil, escapes)
	r.Verdict, r.MCTSBlunder, r.AlphaBetaBlunder = j.verdict, j.mcts, j.alphaBeta
	switch {
	case j.mcts == Loses:
		r.Proof = views[0].Loses
	case j.mcts == "" && j.alphaBeta == Loses:
		r.Proof = views[1].Loses
	case j.verdict != Differ:
		r.Proof = r.Win
	}
	return nil
}

// inspect looks deeper at one move. win is a proven win of the position, nil
// if there is none, and tree the longer search of it.
func (x *examiner) inspect(ctx context.Context, n game.Notation, pos game.Position, m game.Move, win *Proof, tree *think.Answer) (finding, *MoveView, error) {
	view := &MoveView{Move: n.FormatMove(m)}
	var f finding
	if c, ok := opinionOf(tree, m); ok {
		view.MCTS, view.Visits = rounded(c.Value), c.Visits
		f.acquits = c.Proof.Result == think.Win
	}
	side := pos.ToMove()
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		f.wins = pos.Outcome() == game.WinFor(side)
		f.loses = pos.Outcome() == game.WinFor(side.Other())
		f.noKept = win != nil && !f.wins
		if f.loses {
			view.Loses = viewProof(n, &Proof{By: "rules"}, m)
		}
		return f, view, nil
	}
	lost := x.prover.prove(ctx, pos)
	if lost == nil {
		o, err := search(ctx, x.engines.AlphaBeta, pos, x.opts.Nodes*x.opts.Deeper)
		if err != nil {
			return f, view, err
		}
		f.claimed = o.Proof.Result == think.Win
		f.acquits = f.acquits || o.Proof.Result == think.Loss
		if lost, err = x.prover.proveClaim(ctx, pos, o, x.engines.AlphaBeta, x.opts.Nodes); err != nil {
			return f, view, err
		}
		view.AlphaBeta = turned(viewAlphaBeta(n, o), o)
	}
	f.loses = lost != nil
	view.Loses = viewProof(n, lost, m)
	if win != nil && !f.loses && win.Line[0] != m {
		if escape := x.prover.leavesNone(ctx, pos, win.Line); escape != game.NoMove {
			f.noKept = true
			view.Escape = n.FormatMove(escape)
		}
	}
	return f, view, nil
}

// turned returns the view of an answer as the other side sees it, one move
// earlier.
func turned(v AlphaBetaView, a *think.Answer) *AlphaBetaView {
	v.Value, v.Score, v.Claim = -v.Value, -v.Score, a.Proof.Before().Signed()
	return &v
}
