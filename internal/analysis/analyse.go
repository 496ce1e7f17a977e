package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/openings"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/nn"
)

// analysis is the work on one task. It belongs to one goroutine.
type analysis struct {
	engines *engines
	query   *Query
	turn    int
	pos     game.Position
	tell    func(*Answer) // is given answers on the way
	choice  game.Move     // of a level
}

// waking returns the context of a search; see [Options.Searching].
func (e *engines) waking(ctx context.Context) context.Context {
	if e.searching == nil {
		return ctx
	}
	return e.searching(ctx)
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
	ctx = e.waking(ctx)
	a := &analysis{engines: e, query: q, turn: turn, pos: q.At(turn), tell: tell}
	switch {
	case a.pos.Outcome() != game.Undecided:
		return &Answer{NoResults: true, Outcome: outcome(a.pos)}
	case q.Bars.leaveNone(a.pos):
		return &Answer{NoResults: true, Code: Invalid, Field: q.Bars.field,
			Error: fmt.Sprintf("%s leaves no legal move of %s", q.Bars.field, PlayerOf(a.pos.ToMove()))}
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
		final.Threats = q.newView(a.pos, nil).threats()
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
			a.tellNow(&sofar, AlphaBeta, nil, alphaBeta)
			sofar.AlphaBeta = q.newView(a.pos, nil).opinion(AlphaBeta, nil, alphaBeta)
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
	answer, err := a.player(tree, &l).Think(ctx, a.pos, l)
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
	answer, err := a.player(classical, &l).Think(ctx, a.pos, l)
	if err != nil {
		return nil, err
	}
	a.choice = answer.Move
	return a.certified(ctx, answer), nil
}

// player returns an engine with what it plays before it searches: from the book, and on an
// empty board the centre, if a move in a game is wanted.
func (a *analysis) player(e engine.Engine, l *engine.Limits) engine.Engine {
	if a.query.Play {
		e = search.NewCentre(e, a.query.Variant)
	}
	return a.booked(e, l)
}

// booked returns an engine that plays from the book first, if the query wants that and the
// book has something of its rules. Then the limits have the seed by which the book draws.
func (a *analysis) booked(e engine.Engine, l *engine.Limits) engine.Engine {
	of := a.engines
	if of.book == nil || !a.query.UseBook || !of.book.CoversGame(a.pos) {
		return e
	}
	l.Seed = a.query.Seed
	if a.query.Level != (search.Level{}) {
		l.Lines = 0 // a level has lines of its own, of which it plays one
	}
	return of.book.Before(e)
}

// report has an engine tell what it knows on the way, if that is wanted.
func (a *analysis) report(l *engine.Limits, sofar *Answer, name EngineName, net *networks.Net) {
	if a.query.Every > 0 {
		l.Report = func(answer *engine.Answer) { a.tellNow(sofar, name, net, answer) }
	}
}

// tellNow tells what an engine knows on the way, if that is wanted.
func (a *analysis) tellNow(sofar *Answer, name EngineName, net *networks.Net, answer *engine.Answer) {
	if a.query.Every == 0 {
		return
	}
	now := *sofar
	now.IsDuringSearch = true
	a.show(&now, name, net, answer, nil)
	a.tell(&now)
}

// show puts what an engine says into an answer; the classical search's opinion
// stands beside that of the tree search, if there is one.
func (a *analysis) show(into *Answer, name EngineName, net *networks.Net, answer *engine.Answer, lines *proofLines) {
	v := a.query.newView(a.pos, lines)
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
	if answer.Proof.Result != game.Won || !answer.Proof.Claimed {
		return answer
	}
	w, ok := a.query.Variant.Certify(ctx, a.pos, certifyNodes)
	if !ok || a.query.Restricted() && a.query.Bars.barred(0, a.pos.ToMove(), w.Line[0]) {
		return answer
	}
	proof := game.Proof{Result: game.Won, Plies: w.Plies}
	answer.Move, answer.Line, answer.Proof = w.Line[0], w.Line, proof
	won := engine.Opinion{Move: answer.Move, Value: 1}
	if i := slices.IndexFunc(answer.Moves, func(o engine.Opinion) bool { return o.Move == answer.Move }); i >= 0 {
		won = answer.Moves[i]
		answer.Moves = slices.Delete(answer.Moves, i, i+1)
	}
	won.Proof, won.Line = proof, w.Line
	answer.Moves = slices.Insert(answer.Moves, 0, won)
	return answer
}

// engines are those of one worker. The last of each kind is kept for the next task
// that asks for the same.
type engines struct {
	nets  *networks.Nets
	cache *nn.CacheTable // nil: none
	seed  uint64

	book     Book           // nil: none
	endgames games.Endgames // nil: none

	searching func(context.Context) context.Context // see [Options.Searching]

	tree      engine.Engine
	net       *networks.Net // of tree
	treeKey   engineKey
	classical engine.Engine
	classKey  engineKey
	prover    *games.Prover
	proves    games.Variant
}

// engineKey tells engines apart.
type engineKey struct {
	variant games.Variant
	args    string
	solved  bool // knows solved endgames
}

// forTree returns the tree search for a query. It knows nothing of earlier ones. For a query
// with a clock a new one sets up its network first, so that no time of the search goes into that.
func (e *engines) forTree(q *Query) (engine.Engine, *networks.Net, error) {
	key := engineKey{q.Variant, option.Format(treeSettings, &q.tree), q.UseEndgames}
	if e.tree != nil && e.treeKey == key {
		e.tree.Forget()
		return e.tree, e.net, nil
	}
	net, err := e.nets.Net(q.Variant)
	if err != nil {
		return nil, nil, err
	}
	o := q.tree.Options(nn.EvaluatorOptions{Threads: 1, Seed: e.seed, Cache: e.cache})
	tree, err := search.NewTree(net, o)
	if err == nil && q.MaxTime > 0 {
		err = tree.Prepare()
	}
	if err != nil {
		return nil, nil, err
	}
	e.tree, e.net, e.treeKey = tree, net, key
	return tree, net, nil
}

// forClassical returns the classical search for a query, as forTree does the tree search.
func (e *engines) forClassical(q *Query) (engine.Engine, error) {
	key := engineKey{q.Variant, option.Format(players.AlphabetaSettings, &q.classical) + q.Level.Name, q.UseEndgames}
	if e.classical != nil && e.classKey == key {
		e.classical.Forget()
		return e.classical, nil
	}
	e.classical = nil
	o, err := q.classical.Options()
	if err != nil {
		return nil, err
	}
	o.Level = q.Level
	c, err := search.NewClassical(q.Variant, o)
	if err == nil {
		err = c.Prepare()
	}
	if err != nil {
		return nil, err
	}
	e.classical, e.classKey = c, key
	return c, nil
}

// forProofs returns the prover of a variant, nil if there is none.
func (e *engines) forProofs(v games.Variant) *games.Prover {
	if e.proves != v {
		e.prover, e.proves = v.Prover(0), v
	}
	return e.prover
}

// close ends the engines.
func (e *engines) close() error {
	var err error
	for _, one := range []engine.Engine{e.tree, e.classical} {
		if one != nil {
			err = errors.Join(err, one.Close())
		}
	}
	return err
}

// verdict judges two answers that differ, in at most the time of a search; nil where that was
// cut short.
func (e *engines) verdict(ctx context.Context, q *Query, pos game.Position, mcts, alphaBeta *engine.Answer) (*Verdict,
	error) {
	if q.MaxTime > 0 {
		bounded, cancel := context.WithTimeout(ctx, q.MaxTime)
		defer cancel()
		ctx = e.waking(bounded)
	}
	judge := crosscheck.NewJudge(q.Variant, crosscheck.Engines{MCTS: e.tree, AlphaBeta: e.classical},
		crosscheck.Options{Playouts: q.MaxVisits, Nodes: q.MaxNodes})
	row, err := judge.Row(ctx, pos, mcts, alphaBeta)
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Verdict{
		Verdict: string(row.Verdict), MCTSMove: row.MCTS.Move, AlphaBetaMove: row.AlphaBeta.Move,
		MCTSBlunder: row.MCTSBlunder, AlphaBetaBlunder: row.AlphaBetaBlunder,
		MCTSUnproven: row.MCTSUnproven, AlphaBetaUnproven: row.AlphaBetaUnproven,
		Proof: replayed(row.Proof), AlphaBetaProof: replayed(row.AlphaBetaProof),
	}, nil
}

// replayed shows a proof of a row, nil for none.
func replayed(p *crosscheck.ProofView) *Replayed {
	if p == nil {
		return nil
	}
	return &Replayed{By: p.By, Plies: p.Plies, Line: p.Line, Certificate: p.Certificate}
}

// querySwap2 asks for the engine's part in the opening rule swap2: three stones, or after
// three or five which colour it takes.
func (c *Client) querySwap2(id string, f *fields, size int) {
	o := &c.service.opts
	q := &Query{MaxNodes: o.MaxNodes, classical: o.Classical}
	if q.readGame(f, o); f.wrong != nil {
		return
	}
	whole(f, "maxNodes", option.Nodes.Min, int64(o.Limits.Nodes), &q.MaxNodes)
	n := len(q.Moves)
	switch {
	case f.wrong != nil:
	case q.Variant.Columns() == 0:
		f.fail("game", "there is no swap2 in %s", q.Variant.Game)
	case q.Start.Ply() > 0 || q.Start.ToMove() != game.First || n != 0 && n != 3 && n != 5 ||
		q.At(n).Outcome() != game.Undecided:
		f.fail("moves", "%d stones: want none, 3 or 5 from the empty board, Black's first, and no five", n)
	case n == 0:
		c.enqueue(id, QuerySwap2, f, q, size, q.offer)
	default:
		c.enqueue(id, QuerySwap2, f, q, size, q.takeColour)
	}
}

// offer returns the three stones of the opening that is the most even, with what it
// is worth.
func (q *Query) offer(ctx context.Context, e *engines) (map[string]any, error) {
	said, least := map[string]any{}, float32(2)
	for _, o := range openings.Offers {
		pos := q.Start.Clone()
		cells, legal := o.On(q.Variant.Columns())
		for _, m := range cells {
			if legal = legal && pos.Outcome() == game.Undecided && pos.Legal(m); legal {
				pos.Play(m)
			}
		}
		if !legal || pos.Outcome() != game.Undecided {
			continue
		}
		found, err := e.judge(ctx, q, pos, max(1, q.MaxNodes/len(openings.Offers)))
		if err != nil || ctx.Err() != nil {
			return nil, err
		}
		if v := openings.Even(found.Value); v < least {
			least = v
			said["moves"], said["winrate"] = game.Texts(q.notation, cells[:]), ratesOf(found.Value, 0).winrate
		}
	}
	return said, nil
}

// takeColour returns the colour that the engine takes, White being to move, and White's
// move if it takes that.
func (q *Query) takeColour(ctx context.Context, e *engines) (map[string]any, error) {
	found, err := e.judge(ctx, q, q.At(len(q.Moves)), q.MaxNodes)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	said := map[string]any{"choice": "black", "winrate": ratesOf(found.Value, 0).winrate}
	if !openings.Swaps(found.Value) {
		said["choice"], said["move"] = "white", q.notation.FormatMove(found.Move)
	}
	return said, nil
}

// judge has the classical search think about a position.
func (e *engines) judge(ctx context.Context, q *Query, pos game.Position, nodes int) (*engine.Answer, error) {
	c, err := e.forClassical(q)
	if err != nil {
		return nil, err
	}
	return c.Think(ctx, pos, engine.Limits{Nodes: int64(nodes)})
}
