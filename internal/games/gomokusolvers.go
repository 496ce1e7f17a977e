package games

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/pn"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/mcts"
)

// Solvers implements [Solved].
func (v Lines) Solvers(n SolverNodes) mcts.Solver {
	s := &solvers{budget: n, root: vcf.New(vcf.Options{})}
	switch {
	case n.Leaf > 0 && n.Fours:
		s.fours, s.edges = gomokusearch.NewLeafFours(v.rules, n.Leaf), gomokusearch.NewEdges(v.rules)
	case n.Leaf > 0:
		s.leaf = vcf.NewProver(n.Leaf, vcf.Options{})
	}
	if n.Audit > 0 {
		s.audit = vcf.New(vcf.Options{TableBytes: vcf.TableBytesFor(n.Audit)})
	}
	return s
}

// hasFours reports whether the classical search's solver of fours knows the rules.
func (v Lines) hasFours() bool { return gomokusearch.NewLeafFours(v.rules, 1) != nil }

// solvers implements [mcts.Solver] with those of continuous fours and threats.
// Once its context has ended a method returns within 1024 moves.
type solvers struct {
	budget SolverNodes
	fours  *gomokusearch.LeafFours // one of the two at leaves; both nil: off
	leaf   *vcf.Prover
	edges  *gomokusearch.Edges // with fours, else nil: every legal move
	root   *vcf.Solver
	audit  *vcf.Solver // of moves that are about to be chosen, where root finds nothing; nil: off
	played int         // moves, at roots
}

// Leaf implements [mcts.Solver].
func (s *solvers) Leaf(ctx context.Context, pos game.Position) mcts.Solution {
	if ctx.Err() != nil {
		return mcts.Solution{}
	}
	var (
		m     game.Move
		plies int
		won   bool
	)
	switch {
	case s.fours != nil:
		b := patterns(pos)
		if plies := s.edges.Lost(b); plies > 0 {
			return mcts.Solution{Proof: game.Lost, Plies: plies}
		}
		m, plies, won = s.fours.Prove(b)
	case s.leaf != nil:
		if b, ok := pos.(*pattern.Board); !ok || !fourless(b) {
			m, plies, won = s.leaf.Prove(pos)
		}
	}
	switch {
	case won:
		return mcts.Solution{Proof: game.Won, Move: m, Plies: plies}
	case s.budget.Threes > 0:
		return solution(s.root.Prove(ctx, patterns(pos), vcf.VCT, s.budget.Threes))
	}
	return mcts.Solution{}
}

// fourless reports whether the side to move has no stone that makes a five or a
// four, so that there is nothing for a solver to begin with. Where captures count
// it never says so.
func fourless(b *pattern.Board) bool {
	side := b.ToMove()
	return !b.Board().Rules().Captures &&
		b.Count(side, pattern.Five)+b.Count(side, pattern.OpenFour)+b.Count(side, pattern.DoubleFour)+
			b.Count(side, pattern.FourThree)+b.Count(side, pattern.Four)+b.Count(side, pattern.Suspect) == 0
}

// Root implements [mcts.Solver].
func (s *solvers) Root(ctx context.Context, pos game.Position) mcts.Solution {
	return s.win(ctx, patterns(pos))
}

// Audit implements [mcts.Solver], first with the budget of Root.
func (s *solvers) Audit(ctx context.Context, pos game.Position, m game.Move) mcts.Solution {
	board := patterns(pos)
	board.Play(m)
	defer board.Undo()
	if board.Outcome() != game.Undecided {
		return mcts.Solution{}
	}
	w := s.win(ctx, board)
	if !w.Found() && s.audit != nil {
		w = s.solve(ctx, s.audit, board, vcf.VCT, s.budget.Audit)
	}
	return w
}

// win looks for a forced win of the side to move. Fours alone are cheap to search
// deep and come first.
func (s *solvers) win(ctx context.Context, board *pattern.Board) mcts.Solution {
	if s.budget.Root == 0 {
		return mcts.Solution{}
	}
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		if w := s.solve(ctx, s.root, board, kind, s.budget.Root); w.Found() {
			return w
		}
	}
	return mcts.Solution{}
}

// solve looks for a win of one kind by a solver.
func (s *solvers) solve(ctx context.Context, by *vcf.Solver, board *pattern.Board, kind vcf.Kind,
	nodes int) mcts.Solution {
	r := by.Prove(ctx, board, kind, nodes)
	s.played += r.Nodes
	return solution(r)
}

// solution returns the win that a solver found.
func solution(r vcf.Result) mcts.Solution {
	if r.Outcome != vcf.Win {
		return mcts.Solution{}
	}
	return mcts.Solution{Proof: game.Won, Move: r.Line[0], Plies: r.Plies}
}

// lostNodes is enough to find every win of three plies, so that the moves of what Leaf says
// is lost are known to lose.
const lostNodes = 500

// Refute implements [mcts.Solver].
func (s *solvers) Refute(ctx context.Context, pos game.Position, moves []game.Move, wins []mcts.Solution) {
	board, nodes := patterns(pos), s.budget.Replies
	if s.edges != nil && len(board.Wins(nil)) == 0 && s.edges.Lost(board) > 0 {
		nodes = max(nodes, lostNodes)
	}
	if nodes == 0 {
		return
	}
	for i, m := range moves {
		board.Play(m)
		if board.Outcome() == game.Undecided {
			wins[i] = s.solve(ctx, s.root, board, vcf.VCF, nodes)
		}
		board.Undo()
	}
}

// Resistance is mcts.Options.Resistance: it ranks lost moves as the classical search does.
func (Lines) Resistance(pos game.Position, moves []game.Move, ranks []int8) {
	board := patterns(pos)
	for i, m := range moves {
		ranks[i] = int8(gomokusearch.Resist(board, m))
	}
}

// Edges implements [mcts.Solver].
func (s *solvers) Edges(pos game.Position, buf []game.Move) (moves []game.Move, complete bool) {
	if s.edges == nil {
		return pos.Moves(buf), true
	}
	return s.edges.List(patterns(pos), buf)
}

// RootNodes implements [mcts.Solver].
func (s *solvers) RootNodes() int { return s.played }

// gomokuAdviser implements [vcf.Adviser] with the classical search, one thread of it, and
// the evaluation that is fitted to games. Positions of one proof have much in common, so
// the table of the search is kept from one to the next.
type gomokuAdviser struct{ searcher *alphabeta.Searcher }

// The adviser's table gets a share of the memory of both, and no more than it can fill.
const (
	adviserShare = 4
	mostAdviser  = 256 << 20
)

// newAdvisedSolver returns a solver with an adviser, and that many bytes for the tables of
// both, or about so many.
func newAdvisedSolver(bytes int64, o pn.Options) *pn.Solver {
	own := min(bytes/adviserShare, mostAdviser)
	s, err := alphabeta.New(gomokusearch.Game{}, alphabeta.Options{TableMiB: int(max(1, own>>20))})
	if err != nil {
		panic(err) // there is no room for mostAdviser
	}
	o.TableBytes, o.Adviser = bytes-own, &gomokuAdviser{s}
	return pn.New(o)
}

// Advise implements [vcf.Adviser].
func (a *gomokuAdviser) Advise(ctx context.Context, b *pattern.Board, nodes int) vcf.Advice {
	r, err := a.searcher.Search(ctx, b.Board(), alphabeta.Limits{Nodes: int64(nodes), Won: true})
	if err != nil && ctx.Err() == nil {
		panic(err) // a board of gomoku can be searched unless the game is over
	}
	_, claimed := r.Score.Claim()
	return vcf.Advice{Move: r.Move, Wins: claimed && r.Score > 0, Nodes: int(r.Stats.Nodes)}
}

// Forget implements [vcf.Adviser].
func (a *gomokuAdviser) Forget() { a.searcher.Clear() }

// Prover proves forced wins by fours and threes in positions of one game, and takes no others.
// It leaves them as they are. It belongs to one goroutine.
type Prover struct{ solver *vcf.Solver }

// Prover returns a new prover with a table of so many bytes, 0 for a small one.
func (Lines) Prover(tableBytes int) *Prover {
	return &Prover{vcf.New(vcf.Options{TableBytes: tableBytes})}
}

// Solve looks for a win of one kind, playing at most nodes moves. What it
// claims was not replayed. The line is valid until the next call.
func (p *Prover) Solve(ctx context.Context, pos game.Position, kind vcf.Kind, nodes int) vcf.Result {
	return p.solver.Solve(ctx, patterns(pos), kind, nodes)
}

// Escape looks for a reply of the side to move in an undecided position, none of
// those in except, that leaves its opponent no win by fours and threes.
func (p *Prover) Escape(ctx context.Context, pos game.Position, likely, except []game.Move, nodes int) vcf.Escape {
	return p.solver.Escape(ctx, patterns(pos), likely, except, nodes)
}

// Find looks for a win by one kind after the other, and replays the first
// against every legal defence.
func (p *Prover) Find(ctx context.Context, pos game.Position, l vcf.ProofLimits, kinds ...vcf.Kind) (vcf.Proof, bool) {
	return vcf.FindProof(ctx, p.solver, plain(pos), l, kinds...)
}

// Strategy is what plays for the winner, who is to move in pos and must have won
// within left plies; ok is false if it sees no way to.
type Strategy func(pos game.Position, left int) (m game.Move, ok bool)

// Replay plays a strategy against every legal defence, and returns in how many
// positions it was asked; the error says where it does not win in so many plies.
func (p *Prover) Replay(pos game.Position, plies int, s Strategy) (asked int, err error) {
	end := pos.Ply() + plies
	return vcf.Replay(plain(pos), plies, func(b *gomoku.Board) (game.Move, int, bool) {
		left := end - b.Ply()
		m, ok := s(b, left)
		return m, left, ok
	})
}

// WriteCertificate returns the certificate of the win of the side to move that the
// last Solve has found, of at most most nodes. A position that is not of the proof is
// searched anew with at most nodes moves.
func (p *Prover) WriteCertificate(ctx context.Context, pos game.Position, kind vcf.Kind,
	nodes, most int) ([]byte, error) {
	c, err := vcf.WriteCertificate(ctx, p.solver, plain(pos), kind, vcf.ProofLimits{Nodes: nodes}, most)
	if err != nil {
		return nil, err
	}
	return c.Encode(), nil
}

// nodes passes on how far a proof-number search is.
func (o ProofOptions) nodes(at pn.Progress) {
	if o.Progress != nil {
		o.Progress(at.Nodes)
	}
}

// gomokuDecider implements [Decider] with proof-number search.
type gomokuDecider struct{ decider *pn.Decider }

// Decider implements [Solved].
func (Lines) Decider(o ProofOptions) Decider {
	return &gomokuDecider{pn.NewDecider(pn.Options{
		TableBytes: o.TableBytes, Certificate: MaxCertificateNodes, Progress: o.nodes,
	})}
}

// Solve implements [Decider].
func (d *gomokuDecider) Solve(ctx context.Context, pos game.Position, nodes int64) (Decision, error) {
	r, err := d.decider.Solve(ctx, patterns(pos), nodes)
	return Decision{Outcome: r.Outcome, Holds: r.Holds, Nodes: r.Nodes}, err
}

// Certify implements [Decider].
func (d *gomokuDecider) Certify(ctx context.Context, pos game.Position, r Decision) ([]byte, error) {
	of := pn.Decision{Outcome: r.Outcome, Holds: r.Holds, Nodes: r.Nodes}
	if !of.Found() || pos.Outcome() != game.Undecided {
		return nil, nil
	}
	c, err := d.decider.Certify(ctx, patterns(pos), of)
	if errors.Is(err, certificate.ErrNodes) {
		err = fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	if err != nil {
		return nil, err
	}
	return c.Encode(), nil
}

// QuietProver proves wins with quiet moves in positions of one game by proof-number search.
// It leaves positions as they are and belongs to one goroutine.
type QuietProver struct{ solver *pn.Solver }

// quietNodes is what a search for wins with quiet moves begins with: some three seconds.
const quietNodes = 2_500_000

// QuietProver returns a new prover of wins with quiet moves.
func (Lines) QuietProver(o ProofOptions) *QuietProver {
	return &QuietProver{newAdvisedSolver(cmp.Or(o.TableBytes, 256<<20), pn.Options{
		Certificate: MaxCertificateNodes, Quiet: quietNodes, Progress: o.nodes,
	})}
}

// Solve searches until that many moves have been played in all. Its errors are those
// of ctx, and of a win that could not be certified.
func (p *QuietProver) Solve(ctx context.Context, pos game.Position, nodes int64) (QuietResult, error) {
	r, err := p.solver.Solve(ctx, patterns(pos), nodes)
	q := QuietResult{Outcome: r.Outcome, Nodes: r.Nodes}
	if r.Outcome == vcf.Win {
		q.Certificate = r.Certificate.Encode()
	}
	return q, err
}

// WinCertificate looks for a proof that a side wins an undecided position, whoever is to
// move, and returns its certificate, which has been checked. It plays about so many moves
// at most. pos is the same afterwards. The error wraps ErrUncertified, or is that of ctx.
func (v Variant) WinCertificate(ctx context.Context, pos game.Position, winner game.Side, nodes int) ([]byte, error) {
	if v.Lines() == nil {
		return nil, fmt.Errorf("%w: there are none in %s", ErrUncertified, v.Game)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := &certifier{
		ctx: ctx, left: nodes,
		threes: vcf.New(vcf.Options{TableBytes: vcf.TableBytesFor(nodes)}),
		quiet:  newAdvisedSolver(64<<20, pn.Options{Certificate: MaxCertificateNodes}),
	}
	c, err := certificate.New(ctx, plain(pos), winner, MaxCertificateNodes, f.move)
	if err == nil {
		data := c.Encode()
		if _, err = CheckCertificate(ctx, data); err == nil {
			return data, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%w within %d moves: %w", ErrUncertified, nodes, err)
}

// certifier finds the winner's moves of a certificate.
type certifier struct {
	ctx    context.Context
	left   int // moves that may be played
	threes *vcf.Solver
	quiet  *pn.Solver
	spent  int64 // by quiet
}

// threesShare is the share of the budget that a search for fours and threes gets.
const threesShare = 4

// move is a [certificate.Strategy]. It answers from the proofs that were found, and
// looks for another where they do not reach.
func (f *certifier) move(b *gomoku.Board) (m game.Move, ok bool) {
	at := pattern.FromBoard(b)
	if m, _, ok = f.threes.Kept(at); ok {
		return m, true
	}
	if m, ok = f.quiet.Move(f.ctx, b); ok {
		return m, true
	}
	r := f.threes.Solve(f.ctx, at, vcf.VCT, f.left/threesShare)
	f.left -= r.Nodes
	if r.Outcome == vcf.Win {
		return r.Line[0], true
	}
	q, err := f.quiet.Solve(f.ctx, at, f.spent+int64(max(0, f.left)))
	f.left -= int(q.Nodes - f.spent)
	f.spent = q.Nodes
	if err != nil || q.Outcome != vcf.Win {
		return game.NoMove, false
	}
	return f.quiet.Move(f.ctx, b)
}

// Bounds on the certificates that are written and checked: nodes, which take some 200
// bytes of memory each, and the bytes of a file.
const (
	MaxCertificateNodes = 2_000_000
	MaxCertificateBytes = certificate.MaxBytes
)

// Certified is what a certificate of gomoku says.
type Certified struct {
	Rule           string
	Size           int
	ToMove, Winner game.Side
	Plies, Nodes   int
	Holds          [2]bool // the sides that do not lose, where no win is certified; Nodes are words then
	Digest         []byte
	Board          string   // the start position as a diagram
	Hash           uint64   // that of the start position
	Line           []string // of the longest defence of a win
}

// Win reports whether the certificate is of a win.
func (c *Certified) Win() bool { return c.Holds == [2]bool{} }

// IsCertificate reports whether a file that begins with head means to be a certificate.
func IsCertificate(head []byte) bool { return certificate.Is(head) }

// CheckCertificate checks the bytes of a certificate by the rules alone. The error says
// in a line why it proves nothing, or is that of ctx.
func CheckCertificate(ctx context.Context, data []byte) (*Certified, error) {
	c, err := certificate.Decode(data)
	if err != nil {
		return nil, err
	}
	if len(c.Moves) > MaxCertificateNodes {
		return nil, fmt.Errorf("%w: %d, want at most %d", certificate.ErrNodes, len(c.Moves), MaxCertificateNodes)
	}
	var line []game.Move
	if c.Win() {
		line, err = c.Line(ctx)
	} else {
		err = c.Check(ctx)
	}
	if err != nil {
		return nil, err
	}
	start, err := c.Board()
	if err != nil {
		return nil, err
	}
	r := &Certified{
		Rule: c.Rules.Name, Size: c.Size, ToMove: start.ToMove(), Winner: c.Winner, Plies: c.Plies, Nodes: len(c.Moves),
		Holds: c.Holds, Digest: certificate.Digest(data), Board: strings.TrimRight(start.String(), "\n"), Hash: start.Hash(),
	}
	for _, m := range line {
		r.Line = append(r.Line, gomoku.Notation{Size: c.Size}.FormatMove(m))
	}
	return r, nil
}
