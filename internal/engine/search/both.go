package search

import (
	"context"
	"fmt"
	"math"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/support/option"
)

// BothSettings are the settings of an engine that uses both searches, beside those of
// each.
type BothSettings struct {
	Share    float64 // of the budget for the classical half; 0: the rule set's
	Rate     float64 // moves played by the classical half that cost as much as a playout
	Exchange bool    // the halves tell each other what they have found
	Check    bool    // the classical half searches the move that is about to be played
	Decides  string  // who does where neither a proof nor a claim does: by numbers, or a half
	Threads  int     // 1: the halves take turns; 2: side by side
}

// Words of BothSettings.Decides.
const (
	DecidesRule      = "rule"
	DecidesMCTS      = "mcts"
	DecidesAlphaBeta = "alphabeta"
)

// DefaultBothSettings returns the defaults.
func DefaultBothSettings() BothSettings {
	return BothSettings{Rate: defaultRate, Exchange: true, Check: true, Decides: DecidesRule, Threads: 1}
}

// defaultRate is the cost of a playout with a line network, some 90 thousand
// instructions, in moves of the classical search, some 18 thousand each.
const defaultRate = 5

// BothSettingsList are the settings of [BothSettings] but the threads.
var BothSettingsList = []option.Setting[BothSettings]{
	option.NumVar(option.Float{
		Key: "share", Help: "part of the budget for the classical search; 0: what is best for the rule set", Min: 0.2, Max: 0.8, Zero: "the rule set's", Step: 0.1,
	}, func(s *BothSettings) *float64 { return &s.Share }),
	option.NumVar(option.Float{
		Key: "rate", Help: "moves of the classical search that cost as much as a playout, so that a budget in playouts can be divided", Default: defaultRate, Min: 0.1, Max: 10_000,
	}, func(s *BothSettings) *float64 { return &s.Rate }),
	option.BoolVar(option.Switch("exchange", "the two searches tell each other on the way what they have found", true), func(s *BothSettings) *bool { return &s.Exchange }),
	option.BoolVar(option.Switch("check", "the classical search checks the move that is about to be played", true), func(s *BothSettings) *bool { return &s.Check }),
	option.StringVar(option.Choice{
		Key: "decides", Help: "whose move is played where no proof, claim or check decides: by the numbers of the rule set (rule), the tree search's or the classical search's",
		Words: []string{DecidesRule, DecidesMCTS, DecidesAlphaBeta}, Default: DecidesRule,
	}, func(s *BothSettings) *string { return &s.Decides }),
}

// Both is tree search and classical search in one [engine.Engine]: doc.go says how they
// share a budget, what they tell each other, and who decides.
//
// Limits.Nodes is in playouts. The tree search gets its share of them, the classical one
// the rest times the settings' rate, in moves played. Stats.Nodes is in playouts likewise;
// Halves has both numbers. Visits, Depth, Lines and Noise are ignored.
type Both struct {
	tree      *Tree
	classical *Classical
	settings  BothSettings
	weights   weights

	rounds rounds // of the current search
}

var _ engine.Engine = (*Both)(nil)

// NewBoth returns an engine of two searches of one variant, which it closes. The classical
// one has one thread, whatever the settings' number; the tree one plays its best move.
func NewBoth(t *Tree, c *Classical, s BothSettings) *Both {
	w := weightsFor(c.variant)
	if s.Share == 0 {
		s.Share = w.share
	}
	return &Both{tree: t, classical: c, settings: s, weights: w}
}

// Settings returns the settings with the rule set's in place of defaults.
func (b *Both) Settings() BothSettings { return b.settings }

// Prepare does the setup of both searches before a clock runs. It forgets everything.
func (b *Both) Prepare() error {
	if err := b.tree.Prepare(); err != nil {
		return err
	}
	return b.classical.Prepare()
}

// Forget implements [engine.Engine].
func (b *Both) Forget() {
	b.tree.Forget()
	b.classical.Forget()
}

// Close implements [engine.Engine].
func (b *Both) Close() error {
	err := b.tree.Close()
	if other := b.classical.Close(); err == nil {
		err = other
	}
	return err
}

// split divides a budget in playouts. One that is too small for both goes to the tree.
func (b *Both) split(n int64) (playouts int, nodes int64) {
	if n <= 0 {
		return 0, 0
	}
	playouts = max(1, int(math.Round(float64((1-b.settings.Share)*float64(n)))))
	return playouts, int64(float64(n-int64(playouts)) * b.settings.Rate)
}

// spent returns the cost of a search in playouts.
func (b *Both) spent(playouts, nodes int64) int64 {
	return playouts + int64(float64(nodes)/b.settings.Rate)
}

// Think implements [engine.Engine].
func (b *Both) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	began := b.tree.opts.Time.Now()
	playouts, nodes := b.split(l.Nodes)
	if b.settings.Share <= 0 || l.Nodes > 0 && nodes == 0 {
		return b.alone(ctx, b.tree, pos, l)
	}
	if b.settings.Share >= 1 {
		l.Nodes = int64(float64(l.Nodes) * b.settings.Rate)
		return b.alone(ctx, b.classical, pos, l)
	}
	if l.Restrict != nil {
		b.Forget()
		defer b.Forget()
	}
	r := &b.rounds
	*r = rounds{both: b, pos: pos, limits: &l, playouts: playouts, nodes: nodes, budget: l.Clock.Anytime()}
	a, err := r.think(ctx)
	if err != nil {
		b.tree.Forget()
		return nil, fmt.Errorf("searching: %w", err)
	}
	a.Stats.Elapsed = b.tree.opts.Time.Now().Sub(began)
	return a, nil
}

// alone returns the answer of one of the searches.
func (b *Both) alone(ctx context.Context, e engine.Engine, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	a, err := e.Think(ctx, pos, l)
	if err != nil {
		return nil, err
	}
	h := &engine.Halves{Reason: engine.Alone, Checked: engine.Finding{Move: game.NoMove}}
	f := engine.Finding{Move: a.Move, Value: a.Value, Proof: a.Proof}
	if e == engine.Engine(b.classical) {
		f.Depth = a.Stats.Depth
		h.Decided, h.Other, h.Nodes = engine.ClassicalHalf, f, a.Stats.Nodes
		h.Tree.Move = game.NoMove
		a.Stats.Nodes = b.spent(0, h.Nodes)
	} else {
		f.Visits = visitsOf(a, a.Move)
		h.Tree, h.Playouts = f, a.Stats.Nodes
		h.Other.Move = game.NoMove
	}
	a.Halves = h
	return a, nil
}

// visitsOf returns the visits of a move, 0 if it was not judged.
func visitsOf(a *engine.Answer, m game.Move) int {
	for i := range a.Moves {
		if a.Moves[i].Move == m {
			return a.Moves[i].Visits
		}
	}
	return 0
}

// Ponder implements [engine.Engine]: both halves search pos, without a decision.
func (b *Both) Ponder(ctx context.Context, pos game.Position) {
	r := &b.rounds
	*r = rounds{both: b, pos: pos, limits: &engine.Limits{}}
	if err := r.search(ctx); err != nil && ctx.Err() == nil {
		b.tree.Forget()
	}
	_, _ = r.classical.end()
}
