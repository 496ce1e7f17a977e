package selfplay

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay/samples"
)

// Defaults of a [Labeler]. It does short searches of many positions, so that clearing a
// larger table would cost more than it saves.
const (
	labelerNodes    = 2_000
	labelerTableMiB = 2
)

// balanceShare is the fraction 1/balanceShare of its budget used to evaluate an
// opening.
const balanceShare = 4

// Labeler is a classical player that plays and scores the moves of a run.
type Labeler struct {
	engine search.ClassicalOptions
	nodes  int64  // of a search
	text   string // the description with all budgets
}

// ParseLabeler reads the description of a classical player. It rejects clocks, threads and
// pondering, because they would make games depend on more than their seeds.
func ParseLabeler(text string) (Labeler, error) {
	spec, err := players.ParseSpec(text)
	if err != nil {
		return Labeler{}, err
	}
	if spec.Kind != players.AlphaBeta {
		return Labeler{}, fmt.Errorf("player %q: want alphabeta:..., whose searches give scores", spec)
	}
	o, nodes, err := players.ParseFixedClassical(spec)
	if err != nil {
		return Labeler{}, fmt.Errorf("player %q: %w", spec, err)
	}
	if _, given := spec.Args.Get("nodes"); !given {
		nodes = labelerNodes
	}
	if _, given := spec.Args.Get("table"); !given {
		o.Search.TableMiB = labelerTableMiB
	}
	return Labeler{engine: o, nodes: nodes, text: described(spec, "nodes", nodes, o.Search.TableMiB)}, nil
}

// described returns a description with the budget and the table that it leaves out.
func described(spec players.Spec, budget string, n any, table int) string {
	args := append(players.Args{}, spec.Args...)
	for _, a := range []players.Arg{{Key: budget, Value: fmt.Sprint(n)}, {Key: "table", Value: fmt.Sprint(table)}} {
		if _, given := args.Get(a.Key); !given {
			args = append(args, a)
		}
	}
	return players.Spec{Kind: spec.Kind, Args: args}.String()
}

// Bytes returns the most memory that one takes.
func (l Labeler) Bytes() int64 { return games.ClassicalBytes(1, l.engine.Search.TableMiB) }

// judgeDigest returns the digest of what judges in a classical search, "" for none.
func judgeDigest(v games.Variant, o search.ClassicalOptions) string {
	switch {
	case o.Judge != nil:
		return o.Judge.SHA256()
	case v.Of().Weights != nil:
		return v.Of().Weights(v, o.Weights)
	}
	return ""
}

// labelled returns what package selfplay needs for games that the classical player plays.
func (r *Run) labelled(v games.Variant) (Setup, error) {
	setup, err := newSetup(v, v.Searchable)
	if err != nil {
		return setup, err
	}
	l, err := ParseLabeler(r.Player)
	if err == nil {
		l.engine, err = l.engine.Judged(v)
	}
	if err != nil {
		return setup, err
	}
	curve := v.Curve()
	setup.Header, err = r.header(v, samples.Fields{
		{Key: "player", Value: l.text},
		{Key: "score_scale", Value: curve.Scale},
	})
	if err != nil {
		return setup, err
	}
	setup.Header.Model = string(players.AlphaBeta)
	setup.Header.ModelSHA256 = judgeDigest(v, l.engine)
	setup.Teacher = func(int) (Teacher, error) {
		c, err := search.NewClassical(v, l.engine)
		if err != nil {
			return nil, err
		}
		return &teacher{engine: c, game: l.engine.Game(v), budget: l.nodes, curve: curve}, nil
	}
	return setup, nil
}

// teacher implements [Teacher] with the classical search.
type teacher struct {
	engine *search.Classical
	game   alphabeta.Game
	budget int64 // of a search, in nodes
	curve  games.Curve
	wins   []game.Move // scratch
	nodes  int64       // of all searches
}

// Forget implements [Teacher].
func (t *teacher) Forget() { t.engine.Forget() }

// Nodes implements [Teacher].
func (t *teacher) Nodes() int64 { return t.nodes }

// Search implements [Teacher]. If a move ends the game it does not search. Only
// results of the rules and of solvers count as proven, not claims of the search.
func (t *teacher) Search(ctx context.Context, pos game.Position, lines int, o *Opinion) error {
	o.Moves, o.Proven = o.Moves[:0], mcts.Unknown
	var err error
	if o.Static, err = t.static(pos); err != nil {
		return err
	}
	if t.wins = pos.Wins(t.wins[:0]); len(t.wins) > 0 {
		for _, m := range t.wins {
			o.Moves = append(o.Moves, Scored{Move: m, Value: 1})
		}
		o.Proven = mcts.Win
		return nil
	}
	r, proven, err := t.engine.SearchProven(ctx, pos, alphabeta.Limits{Nodes: t.budget, Lines: lines})
	if err != nil {
		return fmt.Errorf("searching: %w", err)
	}
	t.nodes += r.Stats.Nodes
	for _, line := range r.Lines {
		o.Moves = append(o.Moves, Scored{Move: line.Moves[0], Value: t.curve.Value(line.Score)})
	}
	if proven {
		o.Proven = mcts.Win
	}
	return nil
}

// Balance implements [Teacher].
func (t *teacher) Balance(ctx context.Context, pos game.Position) (float64, error) {
	r, err := t.engine.Search(ctx, pos, alphabeta.Limits{Nodes: max(1, t.budget/balanceShare)})
	if err != nil {
		return 0, fmt.Errorf("searching: %w", err)
	}
	t.nodes += r.Stats.Nodes
	return float64(t.curve.Value(r.Score)), nil
}

// static returns the static evaluation.
func (t *teacher) static(pos game.Position) (float32, error) {
	parts, err := t.game.Bind(pos.Clone())
	if err != nil {
		return 0, err
	}
	if parts.Evaluation == nil {
		return 0, errors.New("the game has no evaluation")
	}
	return t.curve.Value(parts.Evaluation.Evaluate()), nil
}
