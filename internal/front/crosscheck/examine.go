package crosscheck

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// examiner judges one position after the other. It belongs to one goroutine.
type examiner struct {
	engines Engines
	prover  *prover // of the games' variant; nil until there is one
	opts    Options
	closely int    // alpha-beta's nodes where a conviction is at stake, at least
	run     string // fingerprint
}

func newExaminer(e Engines, o Options) *examiner {
	return &examiner{engines: e, opts: o, closely: leastDoubt, run: o.fingerprint()}
}

// closer asks alpha-beta where a conviction is at stake: with its larger budget, or
// least nodes, or x.closely, whichever is most.
func (x *examiner) closer(ctx context.Context, pos game.Position, least int) (*engine.Answer, error) {
	return think(ctx, x.engines.AlphaBeta, pos, max(x.closely, x.opts.Nodes*x.opts.Deeper, least))
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
	mcts, err := think(ctx, x.engines.MCTS, pos, x.opts.Playouts)
	if err != nil {
		return r, fmt.Errorf("mcts on %q: %w", r.Position, err)
	}
	alphaBeta, err := think(ctx, x.engines.AlphaBeta, pos, x.opts.Nodes)
	if err != nil {
		return r, fmt.Errorf("alpha-beta on %q: %w", r.Position, err)
	}
	return r, x.judge(ctx, v.Notation(), pos, &r, mcts, alphaBeta)
}

// judge fills in what the engines say of a position and the verdict.
func (x *examiner) judge(ctx context.Context, n game.Notation, pos game.Position, r *Row, mcts, alphaBeta *engine.Answer) error {
	r.MCTS, r.AlphaBeta = viewMCTS(n, mcts), viewAlphaBeta(n, alphaBeta)
	if mcts.Move == alphaBeta.Move {
		return nil
	}
	if err := x.deeper(ctx, n, pos, r, mcts, alphaBeta); err != nil {
		return fmt.Errorf("looking deeper into %q: %w", r.Position, err)
	}
	return ctx.Err() // a solver that was cut short returns "unknown"
}

// deeper looks closer at opinions whose moves differ, and fills in the verdict.
func (x *examiner) deeper(ctx context.Context, n game.Notation, pos game.Position, r *Row, mcts, alphaBeta *engine.Answer) error {
	x.engines.MCTS.Forget()
	tree, err := think(ctx, x.engines.MCTS, pos, x.opts.Playouts*x.opts.Deeper)
	if err != nil {
		return err
	}
	win := x.prover.prove(ctx, pos)
	for _, o := range []*engine.Answer{alphaBeta, mcts, tree} {
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
	lost := vcf.Unknown
	if win == nil && (of[0].loses || of[1].loses) {
		if lost, err = x.lost(ctx, n, pos, r, alphaBeta.Move, mcts.Move, tree.Move); err != nil {
			return err
		}
	}
	x.convict(ctx, pos, r, judge(of[0], of[1], win != nil, lost), [2]game.Move{mcts.Move, alphaBeta.Move})
	return nil
}

// convict enters the judgement of two different moves with its proofs.
func (x *examiner) convict(ctx context.Context, pos game.Position, r *Row, j judgement, moves [2]game.Move) {
	r.Verdict, r.MCTSBlunder, r.AlphaBetaBlunder = j.verdict, j.mcts.proven(), j.alphaBeta.proven()
	r.MCTSUnproven, r.AlphaBetaUnproven = j.mcts.unproven(), j.alphaBeta.unproven()
	r.Proof = x.proofOf(ctx, pos, r, r.MCTSBlunder, moves[0], r.Deeper.OfMCTS)
	if alphaBetaProof := x.proofOf(ctx, pos, r, r.AlphaBetaBlunder, moves[1], r.Deeper.OfAlpha); r.Proof == nil {
		r.Proof = alphaBetaProof
	} else {
		r.AlphaBetaProof = alphaBetaProof
	}
}

// proofOf returns the proof that the move m is a blunder of that kind, with its
// certificate; nil for none.
func (x *examiner) proofOf(ctx context.Context, pos game.Position, r *Row, kind string, m game.Move, v *MoveView) *ProofView {
	var p ProofView
	switch kind {
	case Loses:
		p = *v.Loses
		pos.Play(m)
		p.Certificate = x.prover.certificate(ctx, pos)
		pos.Undo()
	case Misses:
		p = *r.Win
		p.Certificate = x.prover.certificate(ctx, pos)
	default:
		return nil
	}
	return &p
}

// lost looks for a move of a position in which one of the engines' moves loses
// that leaves the opponent no win. Where alpha-beta claims that all lose, it is
// believed; else its move is the first that is tried. A move after which it claims a
// win for the opponent does not show that one holds, and others are tried.
func (x *examiner) lost(ctx context.Context, n game.Notation, pos game.Position, r *Row, likely ...game.Move) (vcf.Outcome, error) {
	o, err := x.closer(ctx, pos, 0)
	if err != nil {
		return vcf.Unknown, err
	}
	if o.Proof.Result == engine.Loss {
		return vcf.Win, nil
	}
	var budget int
	likely = append([]game.Move{o.Move}, likely...)
	e, err := x.unclaimed(ctx, pos, 0, func(except []game.Move) (e vcf.Escape) {
		e, budget = x.prover.holds(ctx, pos, likely, except)
		return e
	})
	r.Deeper.Holds = viewEscape(n, e, budget)
	return e.Left, err
}

// unclaimed asks escape for one move after the other that leaves the opponent no win
// by fours and threes, until alpha-beta, with at least so many nodes, claims none after
// it either, mostHolds times at most. What is left is Unknown if it claims one after
// every move that was found.
func (x *examiner) unclaimed(ctx context.Context, pos game.Position, least int, escape func(except []game.Move) vcf.Escape) (e vcf.Escape, err error) {
	var claimed []game.Move
	for len(claimed) < mostHolds {
		e = escape(claimed)
		if e.Left != vcf.None {
			break
		}
		wins, err := x.claimsAfter(ctx, pos, e.Reply, least)
		if err != nil || !wins {
			return e, err
		}
		claimed = append(claimed, e.Reply)
	}
	if len(claimed) > 0 {
		e.Left = vcf.Unknown
	}
	return e, nil
}

// claimsAfter reports whether alpha-beta claims a win for the side to move after the
// move m, given at least so many nodes. A win of alpha-beta's need not be one of fours
// and threes, so that it is asked where the solver has shown that none of those is
// left.
func (x *examiner) claimsAfter(ctx context.Context, pos game.Position, m game.Move, least int) (bool, error) {
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		return false, nil
	}
	o, err := x.closer(ctx, pos, least)
	return err == nil && o.Proof.Result == engine.Win, err
}

// inspect looks deeper at one move. win is a proven win of the position or nil, tree
// the longer search of it.
func (x *examiner) inspect(ctx context.Context, n game.Notation, pos game.Position, m game.Move, win *Proof, tree *engine.Answer) (finding, *MoveView, error) {
	view := &MoveView{Move: n.FormatMove(m)}
	var f finding
	if c, ok := opinionOf(tree, m); ok {
		view.MCTS, view.Visits = rounded(c.Value), c.Visits
		f.claimed = c.Proof.Result == engine.Win
	}
	side := pos.ToMove()
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		f.wins = pos.Outcome() == game.WinFor(side)
		f.loses = pos.Outcome() == game.WinFor(side.Other())
		f.left = vcf.None
		if f.loses {
			view.Loses = viewProof(n, &Proof{By: "rules"}, m)
		}
		return f, view, nil
	}
	lost, expected := x.prover.prove(ctx, pos), game.NoMove
	if lost == nil {
		o, err := think(ctx, x.engines.AlphaBeta, pos, x.opts.Nodes*x.opts.Deeper)
		if err != nil {
			return f, view, err
		}
		f.claimed = f.claimed || o.Proof.Result == engine.Loss
		if lost, err = x.prover.proveClaim(ctx, pos, o, x.engines.AlphaBeta, x.opts.Nodes); err != nil {
			return f, view, err
		}
		view.AlphaBeta, expected = turned(viewAlphaBeta(n, o), o), o.Move
	}
	f.loses = lost != nil
	view.Loses = viewProof(n, lost, m)
	if win != nil && !f.loses && !f.claimed {
		err := x.left(ctx, n, pos, &f, view, win, m, expected)
		return f, view, err
	}
	return f, view, nil
}

// left looks for what is left of a proven win of the position before the move m,
// which was played, and enters it into the finding and its view. Alpha-beta expects
// the reply expected.
func (x *examiner) left(ctx context.Context, n game.Notation, pos game.Position, f *finding, view *MoveView, win *Proof, m, expected game.Move) error {
	if win.Line[0] == m {
		f.left = vcf.Win
		return nil
	}
	budget, least := 0, timesTook*win.Nodes
	likely := append([]game.Move{expected}, win.Line...)
	e, err := x.unclaimed(ctx, pos, least, func(except []game.Move) (e vcf.Escape) {
		e, budget = x.prover.escape(ctx, pos, likely, except, win.Nodes)
		return e
	})
	f.left = e.Left
	view.Left = viewEscape(n, e, budget)
	if err != nil || e.Left != vcf.None {
		return err
	}
	// The move gets the same search as the reply.
	o, err := x.closer(ctx, pos, least)
	if err != nil {
		return err
	}
	view.AlphaBeta, f.claimed = turned(viewAlphaBeta(n, o), o), o.Proof.Result == engine.Loss
	return nil
}

// turned returns the view of an answer as the other side sees it, one move
// earlier.
func turned(v AlphaBetaView, a *engine.Answer) *AlphaBetaView {
	v.Value, v.Score, v.Claim = -v.Value, -v.Score, a.Proof.Before().Signed()
	return &v
}
