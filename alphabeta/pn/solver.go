// Package pn proves wins that quiet moves are part of, in the gomoku family, by
// proof-number search.
//
// # What is searched
//
// Package vcf finds wins in which every move of the attacker is a four or a three. Here
// the attacker may also make a move that is neither, if it threatens to win by them.
// The attacker is the side to move. W is the least set of positions with it to move in
// which
//
//   - it wins by fours, or by fours and threes, as the solver of package vcf finds within
//     a small budget; or
//   - some move of its is a threat and leads, whatever the reply, to a position of W.
//
// A move is a threat if it parries a five, or if the attacker would win by fours, or by
// fours and threes, should the defender pass. No proof hangs on that pass: whatever the
// threat, every legal reply is played.
//
// # How it is searched
//
// Quiet moves that threaten fours are package vcf's, too, and searched much faster there, so
// that the solver begins with vcf.Quiet (Options.Quiet), on the advice of the same adviser. The
// rest of this page is about the search for what that does not find.
//
// The search is df-pn (Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its
// Applications", thesis, 2002), after the proof numbers of Allis (1994), with weak sums
// and the 1+epsilon trick as in package vcf. What differs is the price of a position. To
// expand one asks the solver up to two hundred times: with the attacker to move whether it
// wins; with the defender to move whether that is a threat, and which of its replies do not
// lose to fours at once. So a position keeps the moves that are left of
// it, and is expanded once. The positions lie in a table of bounded size. When it is
// full, the undecided positions that the least work hangs on are dropped, until half of
// it is free; dropped positions are expanded again if the search comes back to them.
// No position can come back on a path, so the table's numbers do not depend on the path;
// see package vcf.
//
// # Advice
//
// Where a threat is quiet, all but a few replies have to be refuted, and a search that does
// not know which of the attacker's moves is the right one sinks in those of the wrong ones.
// A [vcf.Adviser], another search that sees far and proves nothing, says which one to look
// into: that move begins with the proof number of an open position, the others with that
// of an unlikely one. It counts whether or not it is a threat, so that wins are found that
// begin outside W. The adviser is asked for each position with the attacker to move, and
// asked again, for longer, where much work was spent.
//
// What was searched under bad advice on the root is worth little, and good advice takes
// long. So the search goes by rounds. Each begins with advice on the root that takes four
// times as long as before, and drops what the rounds before have left undecided.
//
// # What a win is worth
//
// [Solver.Solve] plays every win that it finds against every legal reply, by the rules
// alone, before it reports it: it writes the certificate of package certificate, and
// what cannot be certified is not called a win. None means that no position was cut off
// by a budget, and says that the position is not in W; there may be other wins.
//
// # Going on
//
// [Solver.Save] writes the table, [Solver.Load] reads it. A search that was saved before a
// round and loaded finds the same as one that was not stopped. The adviser's memory is not
// saved, so what is saved within a round goes on without it.
//
// # Who wins
//
// [Decider] finds out who wins a position, or that nobody does: by a [Holder] for each side,
// the same search with the aim not to lose, in which every move of both sides counts.
// Pairings (pairing.go) end it early, except where stones are captured. It is for small
// boards. Its tables are bounded and can be saved; of what they dropped, a certificate's
// writer finds again what it needs.
//
// # Letters
//
// pn and dn are a proof and a disproof number, th the thresholds at which a search of a
// position is left, m a move of either side.
package pn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carozero/carozero/alphabeta"
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

	// Quiet is the number of moves at most that package vcf plays first, to find the win by
	// threats of fours (vcf.Quiet). 0: none.
	Quiet int

	// Adviser says which moves of the attacker to look into first, package vcf's too. Its
	// memory is not part of TableBytes. Nil: nobody does, and there are no rounds.
	Adviser vcf.Adviser

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
	first *vcf.Solver // of Options.Quiet
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
	expanded int
	scratch  []alphabeta.ProofNumbers
	list     []game.Move

	firstAdvice int64 // that of the first round on the root

	expander func(attacking bool) ([]edge, alphabeta.ProofNumbers) // unless nil, in the place of threats and replies
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
// before it is reported; if that fails, the error wraps ErrUncertified. When ctx is done, the
// outcome is Unknown. b is the same afterwards.
func (s *Solver) Solve(ctx context.Context, b *pattern.Board, nodes int64) (Result, error) {
	s.begin(ctx, b)
	if b.Outcome() != game.Undecided {
		return Result{Outcome: vcf.None, Nodes: s.nodes}, nil
	}
	root := b.Board().Key()
	if s.round.End == 0 || s.round.Root != root {
		if r, err := s.solveQuiet(ctx, b, nodes); err != nil || r.Outcome == vcf.Win {
			return r, err
		}
		s.beginRound(root, 0)
	}
	for {
		s.budget = min(nodes, s.round.End)
		s.stopped = s.nodes >= s.budget || ctx.Err() != nil
		s.search(root, true, alphabeta.Unbounded)
		if s.table.find(root).Decided() || s.nodes < s.round.End || ctx.Err() != nil {
			break
		}
		s.nextRound()
	}
	r := Result{Nodes: s.nodes}
	switch n := s.table.claim(root, alphabeta.Open).ProofNumbers; {
	case ctx.Err() != nil:
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

// solveQuiet looks for a win by fours, threes and moves that threaten fours.
func (s *Solver) solveQuiet(ctx context.Context, b *pattern.Board, nodes int64) (r Result, err error) {
	quiet := int(min(nodes, int64(s.opts.Quiet)))
	if quiet <= 0 {
		return r, nil
	}
	s.first = vcf.New(vcf.Options{
		TableBytes: int(min(int64(vcf.TableBytesFor(quiet)), s.opts.TableBytes)), Adviser: s.opts.Adviser,
	})
	defer func() { s.first = nil }()
	found := s.first.Solve(ctx, b, vcf.Quiet, quiet)
	s.nodes += int64(found.Nodes)
	r.Nodes = s.nodes
	if found.Outcome != vcf.Win {
		return r, nil
	}
	if r.Certificate, err = s.certify(ctx, b.Board()); err == nil {
		r.Outcome = vcf.Win
	}
	return r, err
}

// begin prepares a search, and forgets what belongs to another subject.
func (s *Solver) begin(ctx context.Context, b *pattern.Board) {
	if of := subjectOf(b); s.of != of {
		s.table, s.round, s.cut, s.nodes = newTable(s.opts.TableBytes), round{}, false, 0
		s.of = of
	}
	s.ctx, s.board, s.path = ctx, b, s.path[:0]
}

// search searches the position on the board, of which key is the key, until its numbers
// reach the thresholds th or it is decided. th and the numbers are the attacker's.
func (s *Solver) search(key [2]uint64, attacking bool, th alphabeta.ProofNumbers) {
	before := s.nodes
	s.path = append(s.path, key)
	p := s.table.claim(key, alphabeta.Open)
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
		n := c.ProofNumbers
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
		p.ProofNumbers = n
		if c.Reached(th) {
			return
		}
		e := p.moves[c.Best]
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
func (s *Solver) sum(p *position, attacking bool) alphabeta.ProofChoice {
	s.scratch = s.scratch[:0]
	for _, e := range p.moves {
		n := e.promise
		if q := s.table.find(e.key); q != nil {
			n = q.ProofNumbers
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
	return alphabeta.ChooseProof(s.scratch)
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
	if s.first != nil {
		if m, _, ok := s.first.Kept(pattern.FromBoard(g)); ok {
			return m, true
		}
	}
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

// progressStep is how many positions are expanded between two reports of progress.
const progressStep = 100

// expand finds out what is left to search of the position on the board, or decides it.
// It does neither if the search was stopped on the way.
func (s *Solver) expand(p *position, attacking bool) {
	if s.table.full() {
		s.table.shrink(s.onPath)
	}
	if s.expanded++; s.opts.Progress != nil && s.expanded%progressStep == 0 {
		root := s.table.find(s.path[0])
		s.opts.Progress(Progress{s.nodes, len(s.table.positions), root.PN, root.DN})
	}
	var (
		moves []edge
		n     alphabeta.ProofNumbers
	)
	switch o := s.board.Outcome(); {
	case o != game.Undecided:
		n = s.ended(o)
	case s.expander != nil:
		moves, n = s.expander(attacking)
	case attacking:
		moves, n = s.threats()
	default:
		moves, n = s.replies(p)
	}
	switch {
	case s.stopped:
	case n.Decided():
		s.table.decide(p, n)
	default:
		s.table.setMoves(p, moves)
	}
}

// ended returns what the end of a game is worth: a draw is a success of a holder alone.
func (s *Solver) ended(o game.Outcome) alphabeta.ProofNumbers {
	if o == game.WinFor(s.of.Attacker) || o == game.Draw && s.expander != nil {
		return alphabeta.Proven
	}
	return alphabeta.Disproven
}

// threats returns the moves of the attacker, who is to move, that may be threats, or a
// decision. With an adviser there may be none yet.
func (s *Solver) threats() (moves []edge, n alphabeta.ProofNumbers) {
	if s.won(vcf.VCF, s.opts.Fours) || s.won(vcf.VCT, s.opts.Threes) {
		return nil, alphabeta.Proven
	}
	b := s.board
	from := len(s.list)
	list, forced := s.leaf.DefencesAtOnce(b, s.list)
	if !forced {
		near := b.Candidates()
		list = near.Append(s.list)
	}
	s.list = list
	for _, m := range s.list[from:] {
		if !b.Legal(m) {
			continue
		}
		key := b.Board().KeyAfter(m)
		if q := s.table.find(key); q == nil || q.DN != 0 {
			moves = append(moves, edge{key, m, unlikely})
		}
	}
	s.list = s.list[:from]
	if len(moves) == 0 && s.opts.Adviser == nil {
		return nil, alphabeta.Disproven
	}
	return moves, alphabeta.Open
}

// replies returns the moves of the defender, who is to move in the position p on the board,
// that the attacker has no answer to by fours, or a decision.
func (s *Solver) replies(p *position) (moves []edge, n alphabeta.ProofNumbers) {
	b := s.board
	from := len(s.list)
	defer func() { s.list = s.list[:from] }()
	if s.list = b.Wins(s.list); len(s.list) > from {
		return nil, alphabeta.Disproven
	}
	if !s.advised && !b.Board().Pending() && !s.couldWin() {
		p.idle = !s.stopped
		return nil, alphabeta.Disproven
	}
	s.list = b.Moves(s.list)
	for _, m := range s.list[from:] {
		if s.stopped {
			break
		}
		key := b.Board().KeyAfter(m)
		if q := s.table.find(key); q != nil && q.Decided() {
			if q.DN == 0 {
				return nil, alphabeta.Disproven
			}
			continue
		}
		b.Play(m)
		outcome := b.Outcome()
		lost := outcome == game.WinFor(b.ToMove()) || outcome == game.Undecided && s.won(vcf.VCF, s.opts.Fours)
		b.Undo()
		s.nodes++
		switch {
		case outcome == game.Draw:
			return nil, alphabeta.Disproven
		case !lost:
			moves = append(moves, edge{key, m, alphabeta.Open})
		}
	}
	if len(moves) == 0 {
		return nil, alphabeta.Proven
	}
	return moves, alphabeta.Open
}

// couldWin reports whether the attacker, whose move was the last, would win should the
// defender pass.
func (s *Solver) couldWin() bool {
	s.board.Pass()
	yes := s.won(vcf.VCF, s.opts.Fours) || s.won(vcf.VCT, s.opts.Threes)
	s.board.Pass()
	return yes
}

// won reports whether the solver finds a win of the side to move.
func (s *Solver) won(kind vcf.Kind, nodes int) bool {
	if s.stopped {
		return false
	}
	r := s.leaf.Decide(s.ctx, s.board, kind, nodes)
	s.spend(int64(r.Nodes) + 1)
	s.cut = s.cut || r.Outcome == vcf.Unknown
	return r.Outcome == vcf.Win
}
