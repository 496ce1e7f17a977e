package analysis

import (
	"context"
	"errors"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/bookplay"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/crosscheck"
	"github.com/carozero/carozero/internal/record/book"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/nn"
)

// engines are those of one worker. The last of each kind is kept for the next task
// that asks for the same.
type engines struct {
	nets  *networks.Nets
	cache *nn.CacheTable // nil: none
	seed  uint64

	book      *book.Book // nil: none
	bookStats *bookplay.Stats
	endgames  games.Endgames // nil: none

	tree      engine.Engine
	net       *networks.Net // of tree
	treeKey   engineKey
	classical engine.Engine
	classKey  engineKey
	prover    games.Prover
	proves    games.Variant

	client  *Client       // of the task at hand
	treeOf  *Client       // whose game tree knows; nil: nobody's
	classOf *Client       // likewise of classical
	after   *afterthought // what the last answer left to ponder on; nil: nothing
}

// engineKey tells engines apart.
type engineKey struct {
	variant games.Variant
	args    string
	reuses  bool
	solved  bool // knows solved endgames
}

// forTree returns the tree search for a query. It knows nothing of earlier ones, unless it
// pondered for the client whose game goes on.
// For a query with a clock a new one sets up its network first, so that no time of
// the search goes into that.
func (e *engines) forTree(q *Query) (engine.Engine, *networks.Net, error) {
	key := engineKey{q.Variant, option.Format(treeSettings, &q.tree), q.Ponder, q.UseEndgames}
	if e.tree != nil && e.treeKey == key {
		if e.treeOf != e.owner(q) || e.treeOf == nil {
			e.tree.Forget()
		}
		e.treeOf = e.owner(q)
		return e.tree, e.net, nil
	}
	net, err := e.nets.Net(q.Variant)
	if err != nil {
		return nil, nil, err
	}
	o := q.tree.Options(nn.EvaluatorOptions{Threads: 1, Seed: e.seed, Cache: e.cache})
	o.Reuse = q.Ponder
	tree, err := search.NewTree(net, o)
	if err == nil && q.MaxTime > 0 {
		err = tree.Prepare()
	}
	if err != nil {
		return nil, nil, err
	}
	e.tree, e.net, e.treeKey, e.treeOf = tree, net, key, e.owner(q)
	return tree, net, nil
}

// forClassical returns the classical search for a query, as forTree does the tree search.
func (e *engines) forClassical(q *Query) (engine.Engine, error) {
	key := engineKey{q.Variant, option.Format(players.ClassicalSettingsList, &q.classical) + q.Level.Name, q.Ponder, q.UseEndgames}
	if e.classical != nil && e.classKey == key {
		if e.classOf != e.owner(q) || e.classOf == nil {
			e.classical.Forget()
		}
		e.classOf = e.owner(q)
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
	e.classical, e.classKey, e.classOf = c, key, e.owner(q)
	return c, nil
}

// owner returns the client whose game an engine knows after a query; nil for nobody's.
func (e *engines) owner(q *Query) *Client {
	if q.Ponder {
		return e.client
	}
	return nil
}

// forProofs returns the prover of a variant, nil if there is none.
func (e *engines) forProofs(v games.Variant) games.Prover {
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
func (e *engines) verdict(ctx context.Context, q *Query, pos game.Position, mcts, alphaBeta *engine.Answer) (*Verdict, error) {
	if q.MaxTime > 0 {
		bounded, cancel := context.WithTimeout(ctx, q.MaxTime)
		defer cancel()
		ctx = bounded
	}
	judge := crosscheck.NewJudge(q.Variant, q.notation, crosscheck.Engines{MCTS: e.tree, AlphaBeta: e.classical},
		crosscheck.Options{Playouts: q.MaxVisits, Nodes: q.MaxNodes})
	row, err := judge.Row(ctx, pos, mcts, alphaBeta)
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := &Verdict{
		Verdict: string(row.Verdict), MCTSMove: row.MCTS.Move, AlphaBetaMove: row.AlphaBeta.Move,
		MCTSBlunder: row.MCTSBlunder, AlphaBetaBlunder: row.AlphaBetaBlunder,
		MCTSUnproven: row.MCTSUnproven, AlphaBetaUnproven: row.AlphaBetaUnproven,
	}
	if p := row.Proof; p != nil {
		v.Proof = &Replayed{By: p.By, Plies: p.Plies, Line: p.Line, Certificate: p.Certificate}
	}
	if p := row.AlphaBetaProof; p != nil {
		v.AlphaBetaProof = &Replayed{By: p.By, Plies: p.Plies, Line: p.Line, Certificate: p.Certificate}
	}
	return v, nil
}
