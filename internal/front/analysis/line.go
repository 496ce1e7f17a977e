package analysis

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
)

// proofLines finds lines to the end of a game that is proven. It belongs to one
// goroutine and one answer.
type proofLines struct {
	ctx    context.Context
	prover games.Prover // nil: the game has none
	calls  int          // of the prover, that are left
}

// Bounds of proofLines. Every move of a list may be proven: the lines of the first
// have to do.
const (
	lineNodes = 10_000 // moves that the prover plays a call
	lineAsked = 500    // answers that its replay may take
	lineCalls = 3
)

// toTheEnd returns a line from pos to the end of the game that p names, nil if none
// is found. It follows line as far as that goes; from there the winner plays what
// the prover sees, and the loser what does not lose at once. pos is the same
// afterwards.
func (l *proofLines) toTheEnd(pos game.Position, p engine.Proof, line []game.Move) []game.Move {
	want := game.Draw
	switch side := pos.ToMove(); p.Result {
	case engine.Win:
		want = game.WinFor(side)
	case engine.Loss:
		want = game.WinFor(side.Other())
	}
	var whole []game.Move
	defer func() {
		for range whole {
			pos.Undo()
		}
	}()
	for pos.Outcome() == game.Undecided {
		next := l.next(pos, want, line[min(len(whole), len(line)):])
		if len(next) == 0 {
			return nil
		}
		for _, m := range next {
			if pos.Outcome() != game.Undecided || !pos.Legal(m) {
				return nil
			}
			pos.Play(m)
			whole = append(whole, m)
		}
	}
	if pos.Outcome() != want {
		return nil
	}
	return whole
}

// next returns the next move or moves of a line on the way to an end, of which rest
// are those that are known.
func (l *proofLines) next(pos game.Position, want game.Outcome, rest []game.Move) []game.Move {
	switch {
	case len(rest) > 1 || want == game.Draw:
		return rest[:min(1, len(rest))]
	case want == game.WinFor(pos.ToMove()):
		if win := l.win(pos); win != nil && (len(rest) == 0 || win[0] == rest[0]) {
			return win
		}
		return rest
	case len(rest) == 1:
		return rest
	}
	return stubborn(pos)
}

// stubborn returns a reply after which the other side cannot win at once, if there
// is one.
func stubborn(pos game.Position) []game.Move {
	moves := pos.Moves(nil)
	for i, m := range moves {
		pos.Play(m)
		lost := pos.Outcome() == game.WinFor(pos.ToMove()) || pos.Outcome() == game.Undecided && len(pos.Wins(nil)) > 0
		pos.Undo()
		if !lost {
			return moves[i : i+1]
		}
	}
	return moves[:min(1, len(moves))]
}

// win returns a forced win of the side to move.
func (l *proofLines) win(pos game.Position) []game.Move {
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
