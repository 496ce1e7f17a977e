package vcf

// NewUndeepened returns a solver whose deepening search gets no budget, so that
// the search after it decides alone.
func NewUndeepened(o Options) *Solver {
	s := New(o)
	s.small, s.most = 0, 0
	return s
}
