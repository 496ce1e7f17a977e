package selfplay

import (
	"cmp"
	"fmt"

	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay/samples"
)

// Options are all settings that can change a game or a shard. Zero stands for
// the default that each field names. They are recorded in the shards, and a
// run can be resumed only with the same ones.
type Options struct {
	// Games is the number of games of the run; it must be positive.
	Games int `sample:"-"`

	// GamesPerShard is how many games a shard holds. Zero means 64.
	GamesPerShard int `sample:"-"`

	// Seed decides everything random, together with the game's id.
	Seed uint64 `sample:"-"`

	// Playouts is the budget of a full search, 2 or more. Zero means 400.
	Playouts int

	// CheapPlayouts turns on playout-cap randomisation (Wu, "Accelerating
	// Self-Play Learning in Go", 2019, section 3.1): a search is full with
	// probability FullShare, else it has this budget and no noise. Zero means
	// that all searches are full; FullShare zero means 0.25.
	CheapPlayouts int
	FullShare     float64

	// CheapWeight is the weight of rows from cheap searches, whose visits are a poor
	// policy target but whose outcomes are as good as any. Zero, the default, leaves
	// such rows out. Rows of full searches have weight 1.
	CheapWeight float32

	// Targets say how full searches make training targets.
	Targets Targets `sample:"-"`

	// Temperature is the schedule by which moves are drawn from the visits.
	// The zero value means 1 falling to 0.2 with a half-life of 10 plies.
	Temperature mcts.Schedule

	// DropTree starts every search from an empty tree. By default the subtree of the
	// move played is kept, and Playouts are added to its visits.
	DropTree bool

	// Opening is how games start.
	Opening Opening

	// MaxPlies ends a game as a draw when it has that many moves. Zero means
	// no limit.
	MaxPlies int

	// ResignAt lets a side resign when its searches gave -ResignAt or less
	// ResignTurns times in a row. Zero, the default, never resigns;
	// ResignTurns zero means 3.
	ResignAt    float64
	ResignTurns int

	// ResignAudit is the share of games, chosen by their seeds, in which a side that
	// would resign plays on, to measure how many resignations are wrong. Zero, the
	// default, audits none.
	ResignAudit float64 `sample:"-"`

	// StopAtProof ends a game with the result that the first full search with a proven
	// root proves, after its move. By default games are played to the end, so that
	// every outcome is decided by the rules.
	StopAtProof bool

	// Teacher says how the opinions of a Setup's Teacher are used. It is ignored without
	// a Teacher; with one, Temperature, Search and all options about playouts and trees
	// are ignored.
	Teacher TeacherOptions `sample:"-"`

	// Search holds the options of the tree search. A zero Memory means 256 MiB here,
	// since every game has a tree.
	Search mcts.Options
}

// Opening describes the random moves that games start with. They are not
// recorded as rows. The zero value starts every game from the start position.
type Opening struct {
	// MinPlies..MaxPlies bounds the number of random moves, each number being
	// equally likely.
	MinPlies, MaxPlies int

	// Distance is how many columns and rows a random stone may be away from
	// one that is there, the first stone from the centre, in games whose
	// moves are cells. Zero means 2.
	Distance int

	// MaxValue is the largest absolute value, by the net without a search, at which a
	// position counts as balanced. Zero means 0.5. If none of Tries positions is, the
	// most balanced one is played; zero Tries means 16.
	MaxValue float64
	Tries    int
}

// Defaults of the zero Options.
const (
	defaultGamesPerShard = 64
	defaultPlayouts      = 400
	defaultFullShare     = 0.25
	defaultResignTurns   = 3
	defaultInFlight      = 2
	defaultMemory        = 256 << 20
	defaultDistance      = 2
	defaultMaxValue      = 0.5
	defaultTries         = 16
)

var defaultTemperature = mcts.Schedule{Start: 1, End: 0.2, HalfLife: 10}

// WithDefaults returns o with each zero replaced by its default, as the shards record
// it.
func (o Options) WithDefaults() Options {
	o.GamesPerShard = cmp.Or(o.GamesPerShard, defaultGamesPerShard)
	o.Playouts = cmp.Or(o.Playouts, defaultPlayouts)
	o.FullShare = cmp.Or(o.FullShare, defaultFullShare)
	o.ResignTurns = cmp.Or(o.ResignTurns, defaultResignTurns)
	o.Temperature = cmp.Or(o.Temperature, defaultTemperature)
	o.Search.InFlight = cmp.Or(o.Search.InFlight, defaultInFlight)
	o.Search.Memory = cmp.Or(o.Search.Memory, defaultMemory)
	o.Search = o.Search.WithDefaults()
	o.Opening.Distance = cmp.Or(o.Opening.Distance, defaultDistance)
	o.Opening.MaxValue = cmp.Or(o.Opening.MaxValue, defaultMaxValue)
	o.Opening.Tries = cmp.Or(o.Opening.Tries, defaultTries)
	o.Teacher = o.Teacher.WithDefaults()
	return o
}

// Check returns an error for the first invalid value. The options must have their
// defaults filled in.
func (o Options) Check() error {
	g := o.Targets.Gumbel
	o.Targets.Gumbel = g.WithDefaults()
	for _, s := range Settings {
		if text := s.Text(&o); s.Check(text) != nil {
			return fmt.Errorf("selfplay: %s: %s: %w", s.Name(), text, s.Check(text))
		}
	}
	for _, c := range []struct {
		ok   bool
		name string
		got  any
		want string
	}{
		{o.Playouts >= 2, "playouts", o.Playouts, "at least 2, so that a move is visited"},
		{o.Opening.MaxPlies >= o.Opening.MinPlies, "opening plies", fmt.Sprintf("%d..%d", o.Opening.MinPlies, o.Opening.MaxPlies), "ascending order"},
		{o.Opening.Distance >= 1, "opening distance", o.Opening.Distance, "at least 1"},
		{o.Opening.MaxValue > 0, "opening value", o.Opening.MaxValue, "above 0"},
		{o.Opening.Tries >= 1, "opening tries", o.Opening.Tries, "at least 1"},
		{o.MaxPlies == 0 || o.MaxPlies > o.Opening.MaxPlies, "move limit", o.MaxPlies, "0 for none, or more than the opening's plies"},
		{o.ResignAudit == 0 || o.ResignAt > 0, "share of audited games", o.ResignAudit, "0 where nobody resigns"},
		{o.Search.InFlight >= 1, "in-flight playouts", o.Search.InFlight, "at least 1"},
		{g.Visits >= 0, "visits of sequential halving", g.Visits, "0 or more"},
		{g.Considered == 0 || o.Targets.Forced == 0, "forced playouts", o.Targets.Forced, "none where sequential halving shares the playouts out"},
		{o.Teacher.Temperature.Start >= 0 && o.Teacher.Temperature.End >= 0, "teacher's temperature", o.Teacher.Temperature, "no negative number"},
	} {
		if !c.ok {
			return fmt.Errorf("selfplay: %s: %v, want %s", c.name, c.got, c.want)
		}
	}
	return nil
}

// fields returns the options as the header's search map has them, followed by the
// caller's fields about the evaluator and the solver.
func (o Options) fields(more samples.Fields) (samples.Fields, error) {
	f, err := samples.FieldsOf(o)
	if err != nil {
		return nil, err
	}
	f = append(f, samples.Field{Key: samples.TargetKey, Value: o.Targets.rule()})
	f = append(append(f, o.Targets.fields()...), o.auditField()...)
	return append(f, more...), nil
}

// taughtFields is fields for games whose positions a teacher searches.
func (o Options) taughtFields(more samples.Fields) (samples.Fields, error) {
	f, err := samples.FieldsOf(o.Teacher)
	if err != nil {
		return nil, err
	}
	rest, err := samples.FieldsOf(optionsTaught{o.Opening, o.MaxPlies, o.ResignAt, o.ResignTurns, o.StopAtProof})
	if err != nil {
		return nil, err
	}
	f = append(append(f, rest...), samples.Field{Key: samples.TargetKey, Value: samples.TargetScores})
	return append(append(f, o.auditField()...), more...), nil
}

// optionsTaught are the Options that affect a teacher's games, except Teacher itself.
type optionsTaught struct {
	Opening     Opening
	MaxPlies    int
	ResignAt    float64
	ResignTurns int
	StopAtProof bool
}

// auditField returns the field of ResignAudit in the header, none if it is off.
func (o Options) auditField() samples.Fields {
	if o.ResignAudit == 0 {
		return nil
	}
	return samples.Fields{{Key: samples.AuditKey, Value: o.ResignAudit}}
}

// Targets say how full searches distribute the playouts at their roots and what the policy
// target is. The zero value means PUCT with noise and the shares of the visits. They do
// not apply to cheap searches.
type Targets struct {
	// Forced is the k of forced playouts, [mcts.Limits].Forced: the target has the
	// visits that are left once they are pruned. Zero means none; KataGo has 2.
	Forced float32

	// Gumbel, with Considered above 0, distributes the playouts by sequential halving.
	// The target is the improved policy, root_q the root's value under it, and the
	// move played is Searcher.Choice; noise, Forced and Options.Temperature are unused.
	Gumbel mcts.Gumbel
}

// rule names the rule that makes the policy target, as the header has it.
func (t Targets) rule() string {
	switch {
	case t.Gumbel.Considered > 0:
		return samples.TargetImproved
	case t.Forced > 0:
		return samples.TargetPruned
	}
	return samples.TargetVisits
}

// fields returns the settings that are on, as the header's search map has them.
func (t Targets) fields() (f samples.Fields) {
	if t.Forced > 0 {
		f = append(f, samples.Field{Key: "forced_playouts", Value: float64(t.Forced)})
	}
	if t.Gumbel.Considered > 0 {
		g := t.Gumbel.WithDefaults()
		f = append(f, samples.Field{Key: "gumbel", Value: samples.Fields{
			{Key: "considered", Value: int64(g.Considered)}, {Key: "visits", Value: g.Visits}, {Key: "scale", Value: g.Scale},
		}})
	}
	return f
}

// root returns the policy of the root in full searches, nil for PUCT.
func (t Targets) root() mcts.RootPolicy {
	if t.Forced > 0 {
		return mcts.Forced(t.Forced)
	}
	return t.Gumbel.Policy()
}

// limits returns the limits of a full search with that many playouts and a policy of root.
func (t Targets) limits(playouts int, seed uint64, root mcts.RootPolicy) mcts.Limits {
	return mcts.Limits{Playouts: playouts, Noise: t.Gumbel.Considered == 0, Seed: seed, Root: root}
}

// leastShare is the share of an improved policy below which a move without visits is left
// out of the target.
const leastShare = 1e-5

// policy turns the children of a search into a target. Its slices are scratch.
type policy struct {
	shares []float64 // of the children
	kept   []uint32  // of their visits
}

// ready makes room for n children.
func (p *policy) ready(n int) {
	for len(p.shares) < n {
		p.shares, p.kept = append(p.shares, 0), append(p.kept, 0)
	}
	p.shares, p.kept = p.shares[:n], p.kept[:n]
}

// visits sets the shares to those of the visits. Without visits the first child, which a
// proof has chosen, gets all.
func (p *policy) visits(children []mcts.Child) {
	p.ready(len(children))
	for i := range children {
		p.kept[i] = children[i].Visits
	}
	p.ofKept()
}

// pruned sets the shares to those of the visits that were not forced. If children are
// proven to win, they share equally and the others get nothing.
func (p *policy) pruned(s *mcts.Searcher, forced mcts.Forced, children []mcts.Child) {
	p.ready(len(children))
	wins := false
	for i := range children {
		p.kept[i] = 0
		if children[i].Proven == mcts.Win {
			p.kept[i], wins = 1, true
		}
	}
	if !wins {
		forced.Prune(s, children, p.kept)
	}
	p.ofKept()
}

// ofKept sets the shares to those of kept.
func (p *policy) ofKept() {
	sum := uint64(0)
	for _, n := range p.kept {
		sum += uint64(n)
	}
	for i, n := range p.kept {
		p.shares[i] = 0
		if sum > 0 {
			p.shares[i] = float64(n) / float64(sum)
		}
	}
	if sum == 0 {
		p.shares[0] = 1
	}
}

// improved sets the shares to the improved policy without negligible shares, and returns
// the root's value under it.
func (p *policy) improved(g mcts.Gumbel, r *mcts.Result) (value float32) {
	p.ready(len(r.Children))
	worth := g.Improve(r, p.shares)
	sum := 0.0
	for i := range r.Children {
		if r.Children[i].Visits == 0 && p.shares[i] < leastShare {
			p.shares[i] = 0
		}
		sum += p.shares[i]
	}
	for i := range p.shares {
		p.shares[i] /= sum
	}
	return float32(max(-1, min(1, worth)))
}

// Settings are the options of a run's games that users may set. The seed, the playouts and
// the options of the search are not among them: they belong to the run and to the player.
var Settings = []option.Setting[Options]{
	option.NumVar(option.Games, func(o *Options) *int { return &o.Games }),
	option.NumVar(option.GamesPerShard, func(o *Options) *int { return &o.GamesPerShard }),

	option.NumVar(option.OpeningPlies.Named("opening-min").With(0, "fewest random moves that a game starts with"), func(o *Options) *int { return &o.Opening.MinPlies }),
	option.NumVar(option.OpeningPlies.Named("opening-max").With(6, "most random moves that a game starts with"), func(o *Options) *int { return &o.Opening.MaxPlies }),
	option.NumVar(option.Part.Named("opening-balance").With(defaultMaxValue, "value, to either side, up to which an opening counts as balanced, by the player's first opinion"), func(o *Options) *float64 { return &o.Opening.MaxValue }),
	option.NumVar(option.GamePlies, func(o *Options) *int { return &o.MaxPlies }),
	option.NumVar(option.Resign, func(o *Options) *float64 { return &o.ResignAt }),
	option.NumVar(option.ResignTurns, func(o *Options) *int { return &o.ResignTurns }),
	option.NumVar(option.ResignAudit, func(o *Options) *float64 { return &o.ResignAudit }),
	option.BoolVar(option.Switch("stop-at-proof", "end a game when its outcome is proven", false), func(o *Options) *bool { return &o.StopAtProof }),

	option.NumVar(option.Temperature.With(defaultTemperature.Start, "temperature of move choice at the start of a game"), func(o *Options) *float64 { return &o.Temperature.Start }),
	option.NumVar(option.Temperature.Named("temperature-end").With(defaultTemperature.End, "temperature that it falls to"), func(o *Options) *float64 { return &o.Temperature.End }),
	option.NumVar(option.HalfLife, func(o *Options) *float64 { return &o.Temperature.HalfLife }),

	// Of the tree search.
	option.NumVar(option.Playouts.Named("cheap-playouts").With(0, "playout-cap randomisation: playouts of a cheap search").Above(2).ZeroMeans("all are full"), func(o *Options) *int { return &o.CheapPlayouts }),
	option.NumVar(option.FullShare, func(o *Options) *float64 { return &o.FullShare }),
	option.NumVar(option.CheapWeight, func(o *Options) *float32 { return &o.CheapWeight }),
	option.BoolVar(option.Switch("drop-tree", "start every search from an empty tree", false), func(o *Options) *bool { return &o.DropTree }),
	option.NumVar(option.ForcedPlayouts, func(o *Options) *float32 { return &o.Targets.Forced }),
	option.NumVar(option.Considered, func(o *Options) *int { return &o.Targets.Gumbel.Considered }),
	option.NumVar(option.GumbelScale, func(o *Options) *float64 { return &o.Targets.Gumbel.Scale }),

	// Of a teacher.
	option.NumVar(option.Lines.With(defaultLines, "with alphabeta: moves that get a score in each position; the best one alone is the target of 1"), func(o *Options) *int { return &o.Teacher.Lines }),
	option.NumVar(option.ResultTemperature, func(o *Options) *float64 { return &o.Teacher.TargetTemperature }),
	option.NumVar(option.MaxLoss, func(o *Options) *float64 { return &o.Teacher.MaxLoss }),
}
