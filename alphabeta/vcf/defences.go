package vcf

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Parries appends the moves of the side to move on b, in ascending order, after
// which its opponent is not proven to win by continuous fours. Every legal move
// that is missing was refuted by a search of its own, so that nothing hangs on
// a null move or on a zone: complete reports that the list holds all moves that
// may save the side to move, its own wins and counter-fours among them, and
// that it leaves at least one out. Without a threat of the opponent, complete
// is false and nothing is appended.
//
// Each move is searched with at most nodes moves; a search that runs out of
// them keeps its move in the list. When ctx is done, complete is false.
func (s *Solver) Parries(ctx context.Context, b *pattern.Board, nodes int, buf []game.Move) (moves []game.Move, complete bool) {
	if b.Outcome() != game.Undecided || !s.threatened(b) {
		return buf, false
	}
	mark := len(buf)
	buf = b.Moves(buf)
	kept, all := mark, len(buf)
	for _, m := range buf[mark:] {
		if !s.loses(ctx, b, m, nodes) {
			buf[kept] = m
			kept++
		}
	}
	if ctx.Err() != nil || kept == all {
		return buf[:mark], false
	}
	return buf[:kept], true
}

// threatened reports whether the opponent of the side to move has any stone
// that makes five or four.
func (s *Solver) threatened(b *pattern.Board) bool {
	opp := b.ToMove().Other()
	if b.Board().Rules().Captures || b.Count(opp, pattern.Five)+b.Count(opp, pattern.Suspect) > 0 {
		return true
	}
	for _, class := range fourClasses {
		if b.Count(opp, class) > 0 {
			return true
		}
	}
	return false
}

// loses reports whether the move m is proven to lose to continuous fours.
func (s *Solver) loses(ctx context.Context, b *pattern.Board, m game.Move, nodes int) bool {
	b.Play(m)
	lost := b.Outcome() == game.WinFor(b.ToMove())
	if b.Outcome() == game.Undecided {
		_, o := s.decide(ctx, b, VCF, nodes)
		s.release()
		lost = o == Win
	}
	b.Undo()
	return lost
}

// Answers appends the legal moves, in ascending order, that do not let the
// opponent of the side to move win at once, and reports whether it threatens
// to: without a threat forced is false and nothing is appended. By the
// arguments of the package comment nothing that is missing saves the side to
// move, which cannot win at once itself. Moves that do not save it may be in
// the list.
func (s *Solver) Answers(b *pattern.Board, buf []game.Move) (moves []game.Move, forced bool) {
	if b.Outcome() != game.Undecided {
		return buf, false
	}
	s.begin(context.Background(), b, VCF, 1<<30)
	s.attack, s.defend = s.defend, s.attack
	need := noThreat
	switch {
	case s.captures:
		need = s.captureReplies(b.Board().Pending())
	case b.Count(s.attack, pattern.Five) > 0:
		need = s.replies(false)
	}
	buf = append(buf, s.stack...)
	s.release()
	return buf, need == fourWins
}
