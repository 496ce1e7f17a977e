package analysis

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/bookplay"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/search"
)

// analysis is the work on one task. It belongs to one goroutine.
type analysis struct {
	engines *engines
	query   *Query
	turn    int
	pos     game.Position
	alike   symmetries
	tell    func(*Answer) // is given answers on the way
	choice  game.Move     // of a level
}

// analyse returns the final answer to a turn of a query, less its id. When ctx ends
// it is what is known by then. Nothing stops it from answering: a panic of an
// engine is an error, since other peers' tasks go on.
func (e *engines) analyse(ctx context.Context, q *Query, turn int, tell func(*Answer)) (final *Answer) {
	defer func() {
		if r := recover(); r != nil {
			e.drop()
			final = &Answer{NoResults: true, Code: Internal, Error: fmt.Sprintf("internal error: %v", r)}
		}
	}()
	a := &analysis{engines: e, query: q, turn: turn, pos: q.At(turn), tell: tell}
	switch {
	case a.pos.Outcome() != game.Undecided:
		return &Answer{NoResults: true, Outcome: outcome(a.pos)}
	case q.Bars.leaveNone(a.pos):
		return &Answer{NoResults: true, Code: Invalid, Field: q.Bars.field, Error: fmt.Sprintf("%s leaves no legal move of %s", q.Bars.field, PlayerOf(a.pos.ToMove()))}
	case q.PruneSymmetries && !q.Restricted():
		a.alike = q.Variant.Symmetries(a.pos)
	}
	final, err := a.run(ctx)
	if err != nil {
		return &Answer{NoResults: true, Code: Failed, Error: err.Error()}
	}
	return final
}

// run has the engines think.
func (a *analysis) run(ctx context.Context) (*Answer, error) {
	q := a.query
	var final Answer
	if q.Threats {
		final.Threats = q.newView(a.pos, nil, nil).threats()
	}
	final.Endgame = endgame(a.engines.endgames, a.pos, q.notation)
	lines := &proofLines{ctx: ctx, prover: a.engines.forProofs(q.Variant), calls: lineCalls}
	// The classical search is the first: it is soon done, and answers on the way of
	// the tree search, which may go on for long, have its opinion beside theirs.
	var mcts, alphaBeta *engine.Answer
	var net *networks.Net
	var err error
	sofar := final
	if q.Engine == AlphaBeta || q.Engine == Each {
		if alphaBeta, err = a.thinkClassically(ctx, &sofar); err != nil {
			return nil, err
		}
	}
	if q.Engine != AlphaBeta {
		if alphaBeta != nil {
			sofar.AlphaBeta = q.newView(a.pos, a.alike, nil).opinion(AlphaBeta, nil, alphaBeta)
		}
		if mcts, net, err = a.think(ctx, &sofar); err != nil {
			return nil, err
		}
		a.show(&final, MCTS, net, mcts, lines)
	}
	if alphaBeta == nil {
		return &final, nil
	}
	a.show(&final, AlphaBeta, nil, alphaBeta, lines)
	if mcts != nil && mcts.Move != alphaBeta.Move && !q.Restricted() && ctx.Err() == nil {
		final.Verdict, err = a.engines.verdict(ctx, q, a.pos.Clone(), mcts, alphaBeta)
	}
	return &final, err
}

// limits returns what bounds an engine.
func (a *analysis) limits() engine.Limits {
	q := a.query
	return engine.Limits{
		Clock: engine.Clock{Turn: q.MaxTime}, Restrict: q.restriction(), Every: q.Every, Detail: true,
	}
}

// think has the tree search think; sofar is what answers on the way begin with.
func (a *analysis) think(ctx context.Context, sofar *Answer) (*engine.Answer, *networks.Net, error) {
	tree, net, err := a.engines.forTree(a.query)
	if err != nil {
		return nil, nil, err
	}
	l := a.limits()
	l.Visits = int64(a.query.MaxVisits)
	a.report(&l, sofar, MCTS, net)
	player := a.player(tree, &l)
	answer, err := player.Think(ctx, a.pos, l)
	if err == nil {
		a.remember(player, answer)
	}
	return answer, net, err
}

// thinkClassically has the classical search think.
func (a *analysis) thinkClassically(ctx context.Context, sofar *Answer) (*engine.Answer, error) {
	classical, err := a.engines.forClassical(a.query)
	if err != nil {
		return nil, err
	}
	l := a.limits()
	l.Nodes, l.Depth, l.Lines = int64(a.query.MaxNodes), a.query.MaxDepth, a.query.Lines
	l.Seed = a.query.Seed
	a.report(&l, sofar, AlphaBeta, nil)
	player := a.player(classical, &l)
	answer, err := player.Think(ctx, a.pos, l)
	if err != nil {
		return nil, err
	}
	a.choice = answer.Move
	answer = a.certified(ctx, answer)
	a.remember(player, answer)
	return answer, nil
}

// player returns an engine with what it plays before it searches: from the book, and on an
// empty board the centre, if a move in a game is wanted.
func (a *analysis) player(e engine.Engine, l *engine.Limits) engine.Engine {
	if len(a.alike) > 0 {
		e = pruned{e, a.alike}
	}
	if a.query.Play {
		e = bookplay.NewCentre(e, a.query.Variant)
	}
	return a.booked(e, l)
}

// remember keeps what there is to ponder on after an answer, if that is wanted.
func (a *analysis) remember(e engine.Engine, answer *engine.Answer) {
	if !a.query.Ponder {
		return
	}
	pos := a.pos.Clone()
	if pos.Play(answer.Move); pos.Outcome() == game.Undecided && answer.Proof.Result == engine.Unknown {
		a.engines.after = &afterthought{engine: e, pos: pos}
	}
}

// booked returns an engine that plays from the book first, if the query wants that and the
// book has something of its rules. Then the limits have the seed by which the book draws.
func (a *analysis) booked(e engine.Engine, l *engine.Limits) engine.Engine {
	of := a.engines
	if of.book == nil || !a.query.UseBook || !bookplay.Covers(of.book, a.pos) {
		return e
	}
	l.Seed = a.query.Seed
	if a.query.Level != (search.Level{}) {
		l.Lines = 0 // a level has lines of its own, of which it plays one
	}
	return bookplay.New(e, of.book, bookplay.Options{}, of.bookStats)
}

// report has an engine tell what it knows on the way, if that is wanted.
func (a *analysis) report(l *engine.Limits, sofar *Answer, name EngineName, net *networks.Net) {
	if a.query.Every == 0 {
		return
	}
	l.Report = func(answer *engine.Answer) {
		now := *sofar
		now.IsDuringSearch = true
		a.show(&now, name, net, answer, nil)
		a.tell(&now)
	}
}

// show puts what an engine says into an answer; the classical search's opinion
// stands beside that of the tree search, if there is one.
func (a *analysis) show(into *Answer, name EngineName, net *networks.Net, answer *engine.Answer, lines *proofLines) {
	v := a.query.newView(a.pos, a.alike, lines)
	opinion := v.opinion(name, net, answer)
	if name == AlphaBeta && into.Opinion != nil {
		into.AlphaBeta = opinion
		return
	}
	if q := a.query; q.Level != (search.Level{}) && lines != nil {
		opinion.RootInfo.Choice = q.notation.FormatMove(a.choice)
	}
	into.Opinion = opinion
	if a.query.Policy && name != AlphaBeta {
		into.Policy = v.policy(answer)
	}
}

// certifyNodes bounds the solver that looks for a win by fours in the place of
// one that the classical search only claims.
const certifyNodes = 200_000

// certified makes a win that the classical search claims a proven one, where the
// solver finds one and it stands the replay. It may be another, shorter win.
func (a *analysis) certified(ctx context.Context, answer *engine.Answer) *engine.Answer {
	if answer.Proof.Result != engine.Win || !answer.Proof.Claimed {
		return answer
	}
	w, ok := a.query.Variant.Certify(ctx, a.pos, certifyNodes)
	if !ok || a.query.Restricted() && a.query.Bars.barred(0, a.pos.ToMove(), w.Line[0]) {
		return answer
	}
	proof := engine.Proof{Result: engine.Win, Plies: w.Plies}
	answer.Move, answer.Line, answer.Proof = w.Line[0], w.Line, proof
	for i := range answer.Moves {
		if o := &answer.Moves[i]; o.Move == answer.Move {
			o.Proof, o.Line = proof, w.Line
			return answer
		}
	}
	won := engine.Opinion{Move: answer.Move, Value: 1, Proof: proof, Line: w.Line}
	answer.Moves = append([]engine.Opinion{won}, answer.Moves...)
	return answer
}
