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
	Opening Opening `sample:"all"`

	// MaxPlies ends a game as a draw when it has that many moves. Zero means
	// no limit.
	MaxPlies int `sample:"all"`

	// ResignAt lets a side resign when its searches gave -ResignAt or less
	// ResignTurns times in a row. Zero, the default, never resigns;
	// ResignTurns zero means 3.
	ResignAt    float64 `sample:"all"`
	ResignTurns int     `sample:"all"`

	// ResignAudit is the share of games, chosen by their seeds, in which a side that
	// would resign plays on, to measure how many resignations are wrong. Zero, the
	// default, audits none.
	ResignAudit float64 `sample:"-"`

	// StopAtProof ends a game with the result that the first full search with a proven
	// root proves, after its move. By default games are played to the end, so that
	// every outcome is decided by the rules.
	StopAtProof bool `sample:"all"`

	// Labels say how the opinions of a Setup's Labeler are used. They are ignored without
	// one; with one, Temperature, Search and all options about playouts and trees are.
	Labels LabelOptions `sample:"-"`

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
	o.Labels = o.Labels.WithDefaults()
	return o
}

// Check returns an error for the first invalid value, with options named by name. The options
// must have their defaults filled in.
func (o Options) Check(name option.Naming) error {
	considered := o.Targets.Gumbel.Considered
	o.Targets.Gumbel = o.Targets.Gumbel.WithDefaults()
	for _, s := range Settings {
		if text := s.Text(&o); s.Check(text) != nil {
			return fmt.Errorf("%s %s: %w", name.FlagName(s.Name()), text, s.Check(text))
		}
	}
	for _, c := range []struct {
		ok   bool
		key  string
		got  any
		want string
	}{
		{o.Playouts >= 2, "playouts", o.Playouts, "want at least 2, so that a move is visited"},
		{o.Opening.MinPlies <= o.Opening.MaxPlies, "opening-min", o.Opening.MinPlies,
			fmt.Sprintf("want at most %s %d", name.FlagName("opening-max"), o.Opening.MaxPlies)},
		{o.MaxPlies == 0 || o.Opening.MaxPlies < o.MaxPlies, "opening-max", o.Opening.MaxPlies,
			fmt.Sprintf("games end after %d moves: want fewer, or more %s", o.MaxPlies, name.FlagName("max-plies"))},
		{o.ResignAudit == 0 || o.ResignAt > 0, "resign-audit", o.ResignAudit,
			"want 0 without " + name.FlagName("resign")},
		{considered == 0 || o.Targets.Forced == 0, "forced-playouts", o.Targets.Forced,
			name.FlagName("gumbel") + " shares the playouts out, so that none are forced"},
	} {
		if !c.ok {
			return fmt.Errorf("%s %v: %s", name.FlagName(c.key), c.got, c.want)
		}
	}
	return nil
}

// ofAllGames tags the options that affect games with labels too.
const ofAllGames = "all"

// fields returns the options as the header's search map has them: those that affect games of
// the tree search, or games with labels of a Labeler.
func (o Options) fields(labels bool) (samples.OrderedMap, error) {
	f, err := samples.FieldsOf(o)
	rule, more := o.Targets.rule(), o.Targets.fields()
	if labels {
		both, err2 := samples.FieldsOf(o, ofAllGames)
		f, err = samples.FieldsOf(o.Labels)
		f, err = append(f, both...), cmp.Or(err, err2)
		rule, more = samples.TargetScores, nil
	}
	f = append(append(f, samples.Field{Key: samples.TargetKey, Value: rule}), more...)
	if o.ResignAudit > 0 {
		f = append(f, samples.Field{Key: samples.AuditKey, Value: o.ResignAudit})
	}
	return f, err
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
func (t Targets) fields() (f samples.OrderedMap) {
	if t.Forced > 0 {
		f = append(f, samples.Field{Key: "forced_playouts", Value: float64(t.Forced)})
	}
	if t.Gumbel.Considered > 0 {
		g := t.Gumbel.WithDefaults()
		f = append(f, samples.Field{Key: "gumbel", Value: samples.OrderedMap{
			{Key: "considered", Value: int64(g.Considered)},
			{Key: "visits", Value: g.Visits},
			{Key: "scale", Value: g.Scale},
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

// Settings are the options of a run's games that users may set. The seed, the playouts and
// the options of the search are not among them: they belong to the run and to the player.
var Settings = []option.Setting[Options]{
	option.NumVar(option.Games, func(o *Options) *int { return &o.Games }),
	option.NumVar(option.GamesPerShard, func(o *Options) *int { return &o.GamesPerShard }),

	option.NumVar(option.OpeningPlies.Named("opening-min").With(0, "fewest random moves that a game starts with"),
		func(o *Options) *int { return &o.Opening.MinPlies }),
	option.NumVar(option.OpeningPlies.Named("opening-max").With(6, "most random moves that a game starts with"),
		func(o *Options) *int { return &o.Opening.MaxPlies }),
	option.NumVar(option.Part.Named("opening-balance").With(defaultMaxValue,
		"value, to either side, up to which an opening counts as balanced, by the player's first opinion"),
		func(o *Options) *float64 { return &o.Opening.MaxValue }),
	option.NumVar(option.GamePlies, func(o *Options) *int { return &o.MaxPlies }),
	option.NumVar(option.Resign, func(o *Options) *float64 { return &o.ResignAt }),
	option.NumVar(option.ResignTurns, func(o *Options) *int { return &o.ResignTurns }),
	option.NumVar(option.ResignAudit, func(o *Options) *float64 { return &o.ResignAudit }),
	option.BoolVar(option.Switch("stop-at-proof", "end a game when its outcome is proven", false),
		func(o *Options) *bool { return &o.StopAtProof }),

	option.NumVar(
		option.Temperature.With(defaultTemperature.Start, "temperature of move choice at the start of a game"),
		func(o *Options) *float64 { return &o.Temperature.Start }),
	option.NumVar(
		option.Temperature.Named("temperature-end").With(defaultTemperature.End, "temperature that it falls to"),
		func(o *Options) *float64 { return &o.Temperature.End }),
	option.NumVar(option.HalfLife, func(o *Options) *float64 { return &o.Temperature.HalfLife }),

	// Of the tree search.
	option.NumVar(option.Playouts.Named("cheap-playouts").With(0,
		"playout-cap randomisation: playouts of a cheap search").Above(2).ZeroMeans("all are full"),
		func(o *Options) *int { return &o.CheapPlayouts }),
	option.NumVar(option.FullShare, func(o *Options) *float64 { return &o.FullShare }),
	option.NumVar(option.CheapWeight, func(o *Options) *float32 { return &o.CheapWeight }),
	option.BoolVar(option.Switch("drop-tree", "start every search from an empty tree", false),
		func(o *Options) *bool { return &o.DropTree }),
	option.NumVar(option.ForcedPlayouts, func(o *Options) *float32 { return &o.Targets.Forced }),
	option.NumVar(option.Considered, func(o *Options) *int { return &o.Targets.Gumbel.Considered }),
	option.NumVar(option.GumbelScale, func(o *Options) *float64 { return &o.Targets.Gumbel.Scale }),

	// Of labels by alpha-beta.
	option.NumVar(option.Lines.With(defaultLines,
		"with alphabeta: moves that get a score in each position; the best one alone is the target of 1"),
		func(o *Options) *int { return &o.Labels.Lines }),
	option.NumVar(option.ResultTemperature, func(o *Options) *float64 { return &o.Labels.TargetTemperature }),
	option.NumVar(option.MaxLoss, func(o *Options) *float64 { return &o.Labels.MaxLoss }),
}
