package crosscheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/nn"
)

// examiner judges one position after the other. It belongs to one goroutine.
type examiner struct {
	engines Engines
	prover  *prover       // of the games' variant; nil until there is one
	names   game.Notation // of its moves
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
		x.prover, x.names = newProver(v, x.opts.SolverNodes), v.Notation()
	}
	r := Row{
		Format: rowsFormat, Version: rowsFileVersion, Run: x.run, Index: s.index, Source: s.game.Source,
		Rule: v.Rule(), Size: v.Size, Position: s.game.Text(s.plies), Ply: pos.Ply(), ToMove: pos.ToMove().String(),
		Outcome: s.outcome.For(pos.ToMove()), Verdict: Agree,
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
	return r, x.judge(ctx, pos, &r, mcts, alphaBeta)
}

// judge fills in what the engines say of a position and the verdict.
func (x *examiner) judge(ctx context.Context, pos game.Position, r *Row,
	mcts, alphaBeta *engine.Answer) error {
	r.MCTS, r.AlphaBeta = viewMCTS(x.names, mcts), viewAlphaBeta(x.names, alphaBeta)
	if mcts.Move == alphaBeta.Move {
		return nil
	}
	if err := x.deeper(ctx, pos, r, mcts, alphaBeta); err != nil {
		return fmt.Errorf("looking deeper into %q: %w", r.Position, err)
	}
	return ctx.Err() // a solver that was cut short returns "unknown"
}

// deeper looks closer at opinions whose moves differ, and fills in the verdict.
func (x *examiner) deeper(ctx context.Context, pos game.Position, r *Row,
	mcts, alphaBeta *engine.Answer) error {
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
	r.Win = viewProof(x.names, win)
	r.Deeper = &Deeper{MCTS: viewMCTS(x.names, tree)}
	var of [2]finding
	var views [2]*MoveView
	for i, m := range []game.Move{mcts.Move, alphaBeta.Move} {
		if of[i], views[i], err = x.inspect(ctx, pos, m, win, tree); err != nil {
			return err
		}
	}
	r.Deeper.OfMCTS, r.Deeper.OfAlpha = views[0], views[1]
	lost := vcf.Unknown
	if win == nil && (of[0].loses || of[1].loses) {
		if lost, err = x.lost(ctx, pos, r, alphaBeta.Move, mcts.Move, tree.Move); err != nil {
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
func (x *examiner) proofOf(ctx context.Context, pos game.Position, r *Row, kind string, m game.Move,
	v *MoveView) *ProofView {
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
func (x *examiner) lost(ctx context.Context, pos game.Position, r *Row,
	likely ...game.Move) (vcf.Outcome, error) {
	o, err := x.closer(ctx, pos, 0)
	if err != nil {
		return vcf.Unknown, err
	}
	if o.Proof.Result == game.Lost {
		return vcf.Win, nil
	}
	var budget int
	likely = append([]game.Move{o.Move}, likely...)
	e, err := x.unclaimed(ctx, pos, 0, func(except []game.Move) (e vcf.Escape) {
		e, budget = x.prover.holds(ctx, pos, likely, except)
		return e
	})
	r.Deeper.Holds = viewEscape(x.names, e, budget)
	return e.Left, err
}

// unclaimed asks escape for one move after the other that leaves the opponent no win
// by fours and threes, until alpha-beta, with at least so many nodes, claims none after
// it either, mostHolds times at most. What is left is Unknown if it claims one after
// every move that was found.
func (x *examiner) unclaimed(ctx context.Context, pos game.Position, least int,
	escape func(except []game.Move) vcf.Escape) (e vcf.Escape, err error) {
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
	return err == nil && o.Proof.Result == game.Won, err
}

// inspect looks deeper at one move. win is a proven win of the position or nil, tree
// the longer search of it.
func (x *examiner) inspect(ctx context.Context, pos game.Position, m game.Move, win *Proof,
	tree *engine.Answer) (finding, *MoveView, error) {
	view := &MoveView{Move: x.names.FormatMove(m)}
	var f finding
	if c, ok := opinionOf(tree, m); ok {
		view.MCTS, view.Visits = rounded(c.Value), c.Visits
		f.claimed = c.Proof.Result == game.Won
	}
	side := pos.ToMove()
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		f.wins = pos.Outcome() == game.WinFor(side)
		f.loses = pos.Outcome() == game.WinFor(side.Other())
		f.left = vcf.None
		if f.loses {
			view.Loses = viewProof(x.names, &Proof{By: "rules"}, m)
		}
		return f, view, nil
	}
	lost, expected := x.prover.prove(ctx, pos), game.NoMove
	if lost == nil {
		o, err := think(ctx, x.engines.AlphaBeta, pos, x.opts.Nodes*x.opts.Deeper)
		if err != nil {
			return f, view, err
		}
		f.claimed = f.claimed || o.Proof.Result == game.Lost
		if lost, err = x.prover.proveClaim(ctx, pos, o, x.engines.AlphaBeta, x.opts.Nodes); err != nil {
			return f, view, err
		}
		view.AlphaBeta, expected = turned(viewAlphaBeta(x.names, o), o), o.Move
	}
	f.loses = lost != nil
	view.Loses = viewProof(x.names, lost, m)
	if win != nil && !f.loses && !f.claimed {
		err := x.left(ctx, pos, &f, view, win, m, expected)
		return f, view, err
	}
	return f, view, nil
}

// left looks for what is left of a proven win of the position before the move m,
// which was played, and enters it into the finding and its view. Alpha-beta expects
// the reply expected.
func (x *examiner) left(ctx context.Context, pos game.Position, f *finding, view *MoveView, win *Proof,
	m, expected game.Move) error {
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
	view.Left = viewEscape(x.names, e, budget)
	if err != nil || e.Left != vcf.None {
		return err
	}
	// The move gets the same search as the reply.
	o, err := x.closer(ctx, pos, least)
	if err != nil {
		return err
	}
	view.AlphaBeta, f.claimed = turned(viewAlphaBeta(x.names, o), o), o.Proof.Result == game.Lost
	return nil
}

// turned returns the view of an answer as the other side sees it, one move
// earlier.
func turned(v AlphaBetaView, a *engine.Answer) *AlphaBetaView {
	v.Value, v.Score, v.Claim = -v.Value, -v.Score, a.Proof.Before().Signed()
	return &v
}

// Verdict sorts a position.
type Verdict string

// The verdicts.
const (
	Agree            Verdict = "agree"
	Differ           Verdict = "differ"   // different moves, and neither looks wrong
	Unproven         Verdict = "unproven" // a move looks like a blunder, and nothing shows that it is one
	MCTSBlunder      Verdict = "mcts_blunder"
	AlphaBetaBlunder Verdict = "alphabeta_blunder"
)

// Kinds of blunders.
const (
	Loses  = "loses"      // the opponent has a proven win after the move
	Misses = "misses_win" // the side had a proven win, and is shown to have none after the move
)

// finding is what the deeper search found out about one move.
type finding struct {
	wins    bool        // it ends the game with a win
	loses   bool        // proven
	left    vcf.Outcome // of a position with a proven win: what its side has left of it after the move
	claimed bool        // an engine, looking deeper, claims that the move wins
}

// blunder is what a move looks like: the kind of blunder, "" for none, and whether it is
// shown to be one.
type blunder struct {
	kind  string
	shown bool
}

// proven returns the kind if the blunder is shown, unproven the kind if not.
func (b blunder) proven() string {
	if b.shown {
		return b.kind
	}
	return ""
}

func (b blunder) unproven() string {
	if b.shown {
		return ""
	}
	return b.kind
}

// judgement is the verdict, and the blunder that each engine's move looks like.
type judgement struct {
	verdict         Verdict
	mcts, alphaBeta blunder
}

// judge returns the verdict on two different moves. won says that the position
// has a proven win; lost what the opponent has where a move loses: None if a
// move was shown that leaves it nothing, Win if every move is claimed to lose.
func judge(mcts, alphaBeta finding, won bool, lost vcf.Outcome) judgement {
	j := judgement{verdict: Differ, mcts: blunderOf(mcts, won, lost), alphaBeta: blunderOf(alphaBeta, won, lost)}
	switch {
	case j.mcts.proven() != "":
		j.verdict = MCTSBlunder
	case j.alphaBeta.proven() != "":
		j.verdict = AlphaBetaBlunder
	case j.mcts.kind != "" || j.alphaBeta.kind != "":
		j.verdict = Unproven
	}
	return j
}

// blunderOf returns the blunder that one move looks like.
func blunderOf(f finding, won bool, lost vcf.Outcome) blunder {
	switch {
	case f.wins:
		return blunder{}
	case f.loses && won:
		return blunder{Loses, true}
	case f.loses && lost == vcf.Win:
		return blunder{}
	case f.loses:
		return blunder{Loses, lost == vcf.None}
	case won && !f.claimed && f.left != vcf.Win:
		return blunder{Misses, f.left == vcf.None}
	}
	return blunder{}
}

// Judge judges single positions for callers that have both engines' answers. It
// belongs to one goroutine.
type Judge struct{ examiner *examiner }

// NewJudge returns a judge of positions of a variant. The engines stay the caller's. It
// searches deeper with the budgets of o.
func NewJudge(v games.Variant, e Engines, o Options) *Judge {
	x := newExaminer(e, o.WithDefaults())
	x.prover, x.names = newProver(v, x.opts.SolverNodes), v.Notation()
	return &Judge{x}
}

// Row returns the verdict on the answers of both engines to an undecided position,
// each of which was given right after Forget, with the budgets of the options. Of
// the row only what the engines say, the verdict and what belongs to it is filled
// in. pos is the same afterwards. The end of ctx is an error.
func (j *Judge) Row(ctx context.Context, pos game.Position, mcts, alphaBeta *engine.Answer) (Row, error) {
	r := Row{Verdict: Agree}
	return r, j.examiner.judge(ctx, pos, &r, mcts, alphaBeta)
}

// Setup says what the two engines are. Both are deterministic: no noise, no
// clock, one thread each.
type Setup struct {
	Playouts, Nodes int    // budgets
	Model           string // of MCTS; "": the shipped one

	tree      players.Tree
	classical engine.ClassicalOptions
}

// ParseSetup reads the descriptions of MCTS and of alpha-beta, as in
// "playouts=400,solver-leaf=200" and "nodes=200000,table=64". Unless the latter says
// otherwise alpha-beta is judged by the fitted weights.
func ParseSetup(mctsText, alphaBetaText string) (s Setup, err error) {
	spec, err := players.ParseSpec(string(players.MCTS) + ":" + mctsText)
	if err == nil {
		s.tree, err = players.ParseFixedTree(spec)
	}
	if err != nil {
		return s, fmt.Errorf("mcts: %w", err)
	}
	s.Playouts, s.Model = s.tree.Playouts, s.tree.Model
	// The tree should not share the solver of the search that it is compared with.
	if _, given := spec.Args.Get("leaf-solver"); !given {
		s.tree.Solvers.Fours = false
	}
	var nodes int64
	spec, err = players.ParseSpec(string(players.AlphaBeta) + ":" + alphaBetaText)
	if err == nil {
		s.classical, nodes, err = players.ParseFixedClassical(spec)
	}
	// Who checks a network should not know what it knows.
	if _, given := spec.Args.Get("weights"); !given && s.classical.Weights == games.BestWeights {
		s.classical.Weights = games.FittedWeights
	}
	if err != nil {
		return s, fmt.Errorf("alphabeta: %w", err)
	}
	s.Nodes = int(nodes)
	return s, nil
}

// SetEndgames makes both engines know solved endgames.
func (s *Setup) SetEndgames(e games.Endgames) {
	s.tree.Endgames, s.classical.Endgames = e, e
}

// Builder returns what builds the engines of one worker. The network's
// results are shared by all through cache, which may be nil.
func (s Setup) Builder(net *networks.Net, seed uint64, cache *nn.CacheTable) func() (Engines, error) {
	return func() (Engines, error) {
		tree, err := s.tree.OpenFixed(net, cache, seed)
		if err != nil {
			return Engines{}, err
		}
		classical, err := engine.NewClassical(net.Variant(), s.classical)
		if err != nil {
			return Engines{}, err
		}
		return Engines{MCTS: tree, AlphaBeta: classical}, nil
	}
}

// Bytes returns what the engines of one worker may take where both get deeper
// times their budgets.
func (s Setup) Bytes(v games.Variant, deeper int) int64 {
	return s.tree.Bytes(v, s.Playouts*deeper) + games.ClassicalBytes(1, s.classical.Search.TableMiB)
}

// Engines are the two that are compared, which share nothing.
type Engines struct {
	MCTS, AlphaBeta engine.Engine
}

// close ends both.
func (e Engines) close() error {
	return errors.Join(e.MCTS.Close(), e.AlphaBeta.Close())
}

// think has an engine think within a budget.
func think(ctx context.Context, e engine.Engine, pos game.Position, budget int) (*engine.Answer, error) {
	return engine.Complete(ctx, e, pos, engine.Limits{Nodes: int64(budget)})
}

// opinionOf returns what an answer says of a move; ok is false if that is
// nothing.
func opinionOf(a *engine.Answer, m game.Move) (o engine.Opinion, ok bool) {
	for _, o := range a.Moves {
		if o.Move == m && o.Judged() {
			return o, true
		}
	}
	return o, false
}
