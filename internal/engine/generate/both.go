package generate

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// judgeKey is the field of a header's search map with the digest of what judges in the
// classical half of a player of both searches; the header's own is of the tree's network.
const judgeKey = "judge_sha256"

// ParseBothTeaching reads the description of a player of both searches. Like
// [ParseTeaching] it rejects what would make games depend on more than their seeds. It
// names no network of the tree search.
func ParseBothTeaching(spec players.Spec) (Teaching, error) {
	if spec.Kind != players.Both {
		return Teaching{}, fmt.Errorf("player %q: want both:..., as in match", spec)
	}
	f, err := players.ParseFixedBoth(spec)
	if err != nil {
		return Teaching{}, fmt.Errorf("player %q: %w", spec, err)
	}
	if _, given := spec.Args.Get("table"); !given {
		f.SetTable(teacherTableMiB)
	}
	return Teaching{both: &f, text: described(spec, "playouts", f.Playouts, teacherTableMiB)}, nil
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

// BothSetup returns what package selfplay needs for games of a network's variant that both
// searches play on one budget.
func BothSetup(n *networks.Net, t Teaching, o SelfplayOptions) (selfplay.Setup, error) {
	v := n.Variant()
	setup, err := newSetup(v, v.Searchable)
	if err != nil {
		return setup, err
	}
	c, err := t.both.Classical().Judged(v)
	if err != nil {
		return setup, err
	}
	setup.Header, err = newHeader(v, o, samples.Fields{
		{Key: playerKey, Value: t.text},
		{Key: judgeKey, Value: digestOf(v, c)},
		{Key: "symmetry_seed", Value: o.Seed},
	})
	if err != nil {
		return setup, err
	}
	setup.Header.Model, setup.Header.ModelSHA256 = n.Name, n.SHA256
	var cache *nn.CacheTable
	if o.CacheBytes > 0 {
		cache = nn.NewCacheTable(o.CacheBytes, setup.Start.MaxMoves())
	}
	setup.Teacher = func(int) (selfplay.Teacher, error) {
		both, err := t.both.OpenFixed(n, cache, o.Seed)
		if err != nil {
			return nil, err
		}
		return &bothTeacher{engine: both, budget: int64(t.both.Playouts)}, nil
	}
	return setup, nil
}

// bothTeacher implements [selfplay.Teacher] with both searches.
type bothTeacher struct {
	engine *search.Both
	budget int64       // of a search, in playouts
	wins   []game.Move // scratch
	nodes  int64       // of all searches
}

// Forget implements [selfplay.Teacher].
func (t *bothTeacher) Forget() { t.engine.Forget() }

// Nodes implements [selfplay.Teacher]: the moves that the classical halves have played.
func (t *bothTeacher) Nodes() int64 { return t.nodes }

// Search implements [selfplay.Teacher]. The first move is that of the half that decides; no
// other counts as better. Claims of the classical half are no proofs.
func (t *bothTeacher) Search(ctx context.Context, pos game.Position, lines int, o *selfplay.Opinion) error {
	o.Moves, o.Proven, o.Decided = o.Moves[:0], mcts.Unknown, samples.NoHalf
	a, err := t.think(ctx, pos, t.budget)
	if err != nil {
		return err
	}
	o.Static = a.NetValue
	if t.wins = pos.Wins(t.wins[:0]); len(t.wins) > 0 {
		for _, m := range t.wins {
			o.Moves = append(o.Moves, selfplay.Scored{Move: m, Value: 1})
		}
		o.Proven = mcts.Win
		return nil
	}
	o.Decided = samples.TreeHalf
	if a.Halves.Decided == engine.ClassicalHalf {
		o.Decided = samples.ClassicalHalf
	}
	o.Moves = append(o.Moves, selfplay.Scored{Move: a.Move, Value: a.Value})
	for i := range a.Moves {
		if m := &a.Moves[i]; m.Move != a.Move && m.Judged() && len(o.Moves) < lines {
			o.Moves = append(o.Moves, selfplay.Scored{Move: m.Move, Value: min(m.Value, a.Value)})
		}
	}
	if p := a.Proof; !p.Claimed {
		o.Proven = map[engine.Result]mcts.Proof{engine.Win: mcts.Win, engine.Loss: mcts.Loss, engine.Draw: mcts.Draw}[p.Result]
	}
	return nil
}

// Balance implements [selfplay.Teacher].
func (t *bothTeacher) Balance(ctx context.Context, pos game.Position) (float64, error) {
	a, err := t.think(ctx, pos, max(2, t.budget/balanceShare))
	if err != nil {
		return 0, err
	}
	return float64(a.Value), nil
}

// think searches within a budget in playouts.
func (t *bothTeacher) think(ctx context.Context, pos game.Position, budget int64) (*engine.Answer, error) {
	a, err := engine.Complete(ctx, t.engine, pos, engine.Limits{Nodes: budget})
	if err != nil {
		return nil, fmt.Errorf("searching: %w", err)
	}
	t.nodes += a.Halves.Nodes
	return a, nil
}
