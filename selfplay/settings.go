package selfplay

import "github.com/carozero/carozero/internal/support/option"

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
