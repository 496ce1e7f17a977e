package vcf

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// NewUndeepened returns a solver whose deepening search gets no budget, so that
// the search after it decides alone.
func NewUndeepened(o Options) *Solver {
	s := New(o)
	s.small, s.most = 0, 0
	return s
}

// Parried tells what the solver takes for granted of the attacking move m on b,
// whose side to move has no win at once.
func (s *Solver) Parried(b *pattern.Board, m game.Move) bool {
	s.begin(context.Background(), b, VCF, 0)
	defer s.release()
	return s.parried(m)
}
