package pn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Options configure a Solver. The zero value works.
type Options struct {
	// TableBytes bounds the memory of the table, but for proven positions and those of
	// the path that is being searched. 0: 256 MiB.
	TableBytes int64

	// Fours and Threes are the moves that the solver plays at most to look for a win by
	// fours, or by fours and threes, in one position. 0: 300 and 2,000.
	Fours, Threes int

	// Adviser says which moves of the attacker to look into first. Its memory is not part of
	// TableBytes. Nil: nobody does, and there are no rounds.
	Adviser Adviser

	// Round, unless nil, is called before each round, which is the time to Save. An error
	// ends the search and is returned.
	Round func() error

	// Certificate is the greatest number of nodes of the certificate of a win. 0: two
	// million.
	Certificate int

	// Progress, unless nil, is called about every hundred expanded positions.
	Progress func(Progress)
}

// Defaults of the zero Options.
const (
	defaultTableBytes  = 256 << 20
	defaultFours       = 300
	defaultThrees      = 2_000
	defaultCertificate = 2_000_000
)

// Progress is how far a search is.
type Progress struct {
	Nodes     int64  // moves played
	Positions int    // in the table
	PN, DN    uint32 // of the root
}

// Result is what Solve has found.
type Result struct {
	Outcome vcf.Outcome
	Nodes   int64 // moves that were played in all, those for the certificate not counted

	// Certificate proves the win that Outcome says.
	Certificate *certificate.Certificate
}

// ErrUncertified: something was found whose certificate could not be written.
var ErrUncertified = errors.New("what was found could not be certified")

// Solver searches positions. It belongs to one goroutine. What it finds depends on the
// position, the options, the budget and on what the table holds of earlier searches of
// the same attacker under the same rules.
type Solver struct {
	opts  Options
	table table
	leaf  *vcf.Solver
	quick *vcf.Solver // with a small table
	of    subject

	ctx      context.Context
	board    *pattern.Board
	path     [][2]uint64 // keys from the root on
	nodes    int64       // played since the table was empty
	budget   int64       // at which the search stops
	round    round       // that is under way
	advised  bool        // the last move of the attacker counts, threat or not
	cut      bool        // a position was given up because of a budget of the solver
	stopped  bool
	foreign  bool // a position of a table that was loaded has a move that it cannot have
	expanded int
	scratch  []proofnumber.Numbers
	list     []game.Move

	firstAdvice int64 // that of the first round on the root

	expander func(attacking bool) ([]edge, proofnumber.Numbers) // unless nil, in the place of threats and replies
}

// subject is what all positions of a table have in common.
type subject struct {
	Rules    gomoku.Rules
	Size     int
	Attacker game.Side
}

// String implements [fmt.Stringer], without the attacker.
func (s subject) String() string {
	text := fmt.Sprintf("%v on %dx%[2]d", s.Rules.Name, s.Size)
	if s.Rules.OpenDistance > 0 {
		text += " with the third stone at a distance"
	}
	return text
}

func subjectOf(b *pattern.Board) subject {
	g := b.Board()
	return subject{g.Rules(), g.Size(), b.ToMove()}
}

// New returns a solver with an empty table.
func New(o Options) *Solver {
	o.TableBytes = cmp.Or(o.TableBytes, defaultTableBytes)
	o.Fours = cmp.Or(o.Fours, defaultFours)
	o.Threes = cmp.Or(o.Threes, defaultThrees)
	o.Certificate = cmp.Or(o.Certificate, defaultCertificate)
	return &Solver{
		opts: o, table: newTable(o.TableBytes), firstAdvice: rootAdvice,
		leaf:  vcf.New(vcf.Options{TableBytes: vcf.TableBytesFor(max(o.Fours, o.Threes))}),
		quick: vcf.New(vcf.Options{}),
	}
}

// Solve looks for a win of the side to move on b, and plays about so many moves at most,
// those of earlier calls about the same attacker and rules included. A win is certified
// before it is reported; if that fails, the error wraps ErrUncertified. It wraps ErrState
// where the table that was loaded cannot be one. When ctx is done, the outcome is Unknown. b
// is the same afterwards.
func (s *Solver) Solve(ctx context.Context, b *pattern.Board, nodes int64) (Result, error) {
	s.begin(ctx, b)
	if b.Outcome() != game.Undecided {
		return Result{Outcome: vcf.None, Nodes: s.nodes}, nil
	}
	root := b.Board().Key()
	if s.round.End == 0 || s.round.Root != root {
		if err := s.beginRound(root, 0); err != nil {
			return Result{Nodes: s.nodes}, err
		}
	}
	for {
		s.budget = min(nodes, s.round.End)
		s.stopped = s.nodes >= s.budget || ctx.Err() != nil
		s.search(root, true, proofnumber.Unbounded)
		if s.table.find(root).Decided() || s.nodes < s.round.End || ctx.Err() != nil {
			break
		}
		if err := s.nextRound(); err != nil {
			return Result{Nodes: s.nodes}, err
		}
	}
	r := Result{Nodes: s.nodes}
	switch n := s.table.claim(root, proofnumber.Open).Numbers; {
	case ctx.Err() != nil:
	case s.foreign:
		return r, errForeign
	case n.PN == 0:
		c, err := s.certify(ctx, b.Board())
		if err != nil {
			return r, err
		}
		r.Outcome, r.Certificate = vcf.Win, c
	case n.DN == 0 && !s.cut:
		r.Outcome = vcf.None
	}
	return r, nil
}

// begin prepares a search, and forgets what belongs to another subject.
func (s *Solver) begin(ctx context.Context, b *pattern.Board) {
	if of := subjectOf(b); s.of != of {
		s.table, s.round, s.cut, s.foreign, s.nodes = newTable(s.opts.TableBytes), round{}, false, false, 0
		s.of = of
	}
	s.ctx, s.board, s.path = ctx, b, s.path[:0]
}

// search searches the position on the board, of which key is the key, until its numbers
// reach the thresholds th or it is decided. th and the numbers are the attacker's.
func (s *Solver) search(key [2]uint64, attacking bool, th proofnumber.Numbers) {
	before := s.nodes
	s.path = append(s.path, key)
	p := s.table.claim(key, proofnumber.Open)
	defer func() {
		p.work += uint64(s.nodes - before)
		s.path = s.path[:len(s.path)-1]
	}()
	if p.moves == nil && !p.Decided() {
		s.expand(p, attacking)
	}
	for !p.Decided() && !s.stopped {
		if attacking && s.adviceDue(p, p.work+uint64(s.nodes-before)) {
			s.advise(p)
			continue
		}
		c := s.sum(p, attacking)
		n := c.Numbers
		if !attacking {
			n, th = n.Turned(), th.Turned()
		}
		if n.Decided() {
			if c.PN == 0 {
				p.win = p.moves[c.Best].move
			}
			s.table.decide(p, n)
			return
		}
		p.Numbers = n
		if c.Reached(th) {
			return
		}
		e := p.moves[c.Best]
		if s.board.Board().At(int(e.move)) != gomoku.Empty {
			s.foreign, s.stopped = true, true
			return
		}
		below := c.Thresholds(th, s.scratch[c.Best])
		if !attacking {
			below, th = below.Turned(), th.Turned()
		}
		s.board.Play(e.move)
		s.advised = attacking && e.promise != unlikely
		s.search(e.key, !attacking, below)
		s.board.Undo()
	}
}

// sum sums up the moves of a position for the side to move. Moves that are decided against
// it are left out from then on, so that they need not be found again should the table drop
// what they lead to.
func (s *Solver) sum(p *position, attacking bool) proofnumber.Choice {
	s.scratch = s.scratch[:0]
	for _, e := range p.moves {
		n := e.promise
		if q := s.table.find(e.key); q != nil {
			n = q.Numbers
		}
		if !attacking {
			n = n.Turned()
		}
		if n.DN == 0 {
			continue
		}
		p.moves[len(s.scratch)] = e
		s.scratch = append(s.scratch, n)
	}
	s.table.keepMoves(p, len(s.scratch))
	return proofnumber.Choose(s.scratch)
}

// certify writes the certificate of the win of the side to move on g.
func (s *Solver) certify(ctx context.Context, g *gomoku.Board) (*certificate.Certificate, error) {
	c, err := certificate.New(ctx, g, g.ToMove(), s.opts.Certificate, func(g *gomoku.Board) (game.Move, bool) {
		return s.Move(ctx, g)
	})
	return certified(ctx, c, err)
}

// certified returns what a writer of certificates has returned, with the errors of this
// package.
func certified(ctx context.Context, c *certificate.Certificate, err error) (*certificate.Certificate, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, errors.Join(ErrUncertified, err)
	}
	return c, nil
}

// Move returns a move of the side to move on g that wins: where that is the attacker of
// the searches so far, and they have proven the position or a small search of fours and
// threes finds a win. ok is false otherwise. The move is no proof by itself.
func (s *Solver) Move(ctx context.Context, g *gomoku.Board) (m game.Move, ok bool) {
	if p := s.table.find(g.Key()); p != nil && p.PN == 0 && p.win != game.NoMove && s.of.Attacker == g.ToMove() {
		return p.win, true
	}
	return s.followSolver(ctx, g)
}

// followSolver returns a winning move of the side to move on g that a small search of fours
// and threes finds.
func (s *Solver) followSolver(ctx context.Context, g *gomoku.Board) (m game.Move, ok bool) {
	at := pattern.FromBoard(g)
	if m, _, ok := s.leaf.Kept(at); ok {
		return m, true
	}
	// First with a small table, which is cleared at no cost.
	for _, more := range []int{1, 100} {
		if r := s.quick.Decide(ctx, at, vcf.VCF, more*s.opts.Fours); r.Outcome == vcf.Win {
			return r.Line[0], true
		}
	}
	for _, more := range []int{1, 10} {
		if r := s.leaf.Solve(ctx, at, vcf.VCT, more*s.opts.Threes); r.Outcome == vcf.Win {
			return r.Line[0], true
		}
	}
	return game.NoMove, false
}

// onPath reports whether the position of a key is being searched.
func (s *Solver) onPath(key [2]uint64) bool { return slices.Contains(s.path, key) }
