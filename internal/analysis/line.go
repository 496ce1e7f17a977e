package analysis

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/think"
)

// liner finds lines to the end of a game that is proven. It belongs to one
// goroutine and one answer.
type liner struct {
	ctx    context.Context
	prover engine.Prover // nil: the game has none
	calls  int           // of the prover, that are left
}

// Bounds of a liner. Every move of a list may be proven: the lines of the first
// have to do.
const (
	lineNodes = 20_000 // moves that the prover plays a call
	lineAsked = 2_000  // answers that its replay may take
	lineCalls = 8
)

func newLiner(ctx context.Context, prover engine.Prover) *liner {
	return &liner{ctx: ctx, prover: prover, calls: lineCalls}
}

// toTheEnd returns a line from pos to the end of the game that p names, nil if none
// is found. It follows line as far as that goes, and where it stops the winner's
// shortest way that the prover sees. pos is the same afterwards.
func (l *liner) toTheEnd(pos game.Position, p think.Proof, line []game.Move) []game.Move {
	side := pos.ToMove()
	want := game.Draw
	switch p.Result {
	case think.Win:
		want = game.WinFor(side)
	case think.Loss:
		want = game.WinFor(side.Other())
	}
	played := 0
	defer func() {
		for range played {
			pos.Undo()
		}
	}()
	var whole []game.Move
	play := func(moves []game.Move) {
		for _, m := range moves {
			if pos.Outcome() != game.Undecided || !pos.Legal(m) {
				return
			}
			pos.Play(m)
			played++
			whole = append(whole, m)
		}
	}
	play(line)
	for pos.Outcome() == game.Undecided && want == game.WinFor(pos.ToMove()) {
		rest := l.win(pos)
		if rest == nil {
			return nil
		}
		play(rest)
	}
	if pos.Outcome() != want {
		return nil
	}
	return whole
}

// win returns a forced win of the side to move.
func (l *liner) win(pos game.Position) []game.Move {
	if wins := pos.Wins(nil); len(wins) > 0 {
		return wins[:1]
	}
	if l.prover == nil || l.calls == 0 {
		return nil
	}
	l.calls--
	w, ok := l.prover.Find(l.ctx, pos, proof.Limits{Nodes: lineNodes, Asked: lineAsked}, vcf.VCF, vcf.VCT)
	if !ok {
		return nil
	}
	return w.Line
}
