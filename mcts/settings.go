package mcts

import "github.com/carozero/carozero/internal/support/option"

// byDefault is the help text for the value 0.
const byDefault = "the default"

// Settings are the options of a search that users may set. Their defaults are those of
// [Options.WithDefaults], except for the memory, whose default differs by command.
var Settings = []option.Setting[Options]{
	option.NumVar(option.InFlight.With(defaultInFlight, "playouts under way at once; part of the algorithm: changes the tree"), func(o *Options) *int { return &o.InFlight }),
	option.NumVar(option.Float{
		Key: "cpuct", Help: "exploration constant", Default: defaultCInit, Max: 100, Zero: byDefault,
	}, func(o *Options) *float32 { return &o.CInit }),
	option.NumVar(option.Float{
		Key: "cpuct-base", Help: "visits by which the exploration constant begins to grow", Default: defaultCBase, Max: 1e9, Zero: byDefault,
	}, func(o *Options) *float32 { return &o.CBase }),
	option.NumVar(option.Float{
		Key: "spread", Help: "how much more is explored where values spread; negative: none", Default: defaultSpread, Min: -1, Max: 1, Zero: byDefault, Step: 0.1,
	}, func(o *Options) *float32 { return &o.Spread }),
	option.NumVar(option.Float{
		Key: "fpu", Help: "first play: how far below its parent a move without a visit is taken to be; negative: no reduction", Default: defaultFPUReduction, Min: -1, Max: 2, Zero: byDefault, Step: 0.05,
	}, func(o *Options) *float32 { return &o.FPUReduction }),
	option.NumVar(option.Float{
		Key: "root-fpu", Help: "the same at the root", Default: defaultRootFPUReduction, Min: -1, Max: 2, Zero: byDefault, Step: 0.05,
	}, func(o *Options) *float32 { return &o.RootFPUReduction }),
	option.NumVar(option.Float{
		Key: "stride", Help: "for how many playouts in a row a chosen move is kept to, as a share of its visits, with networks that answer at once; negative: for one", Default: defaultStride, Min: -1, Max: 1, Zero: byDefault, Step: 0.05,
	}, func(o *Options) *float32 { return &o.Stride }),
	option.NumVar(option.Float{
		Key: "noise-total", Help: "sum of the Dirichlet parameters of the noise at the root", Default: defaultNoiseTotal, Max: 10_000, Zero: byDefault,
	}, func(o *Options) *float64 { return &o.NoiseTotal }),
	option.NumVar(option.Float{
		Key: "noise-share", Help: "part of the noise in the priors of the root; negative: none", Default: defaultNoiseFraction, Min: -1, Max: 1, Zero: byDefault,
	}, func(o *Options) *float64 { return &o.NoiseFraction }),
	option.NumVar(option.Float{
		Key: "lcb", Help: "standard errors below the mean by which the best move is chosen; negative: the most visited one", Default: defaultLCB, Min: -1, Max: 100, Zero: byDefault,
	}, func(o *Options) *float32 { return &o.LCB }),
	option.BoolVar(option.Switch("early-stop", "stop when the most visited move is certain", false), func(o *Options) *bool { return &o.EarlyStop }).As("earlystop"),
	option.MiBVar(option.TreeMemory, func(o *Options) *int64 { return &o.Memory }),
}
