package selfplay

import (
	"math"
	"testing"

	"github.com/carozero/carozero/mcts"
)

// The ends of the ranges are in them, what is beyond is not.
func TestRangesOfOptions(t *testing.T) {
	for name, c := range map[string]struct {
		set         func(*Options, float64)
		good, wrong []float64
	}{
		"games":              {func(o *Options, v float64) { o.Games = int(v) }, []float64{1, 2}, []float64{0, -1}},
		"games per shard":    {func(o *Options, v float64) { o.GamesPerShard = int(v) }, []float64{1, 2}, []float64{0, -1}},
		"playouts":           {func(o *Options, v float64) { o.Playouts = int(v) }, []float64{2, 3}, []float64{1, 0, -1}},
		"cheap playouts":     {func(o *Options, v float64) { o.CheapPlayouts = int(v) }, []float64{0, 2}, []float64{1, -1}},
		"full share":         {func(o *Options, v float64) { o.FullShare = v }, []float64{0.001, 1}, []float64{0, 1.001, -1, math.NaN()}},
		"cheap weight":       {func(o *Options, v float64) { o.CheapWeight = float32(v) }, []float64{0, 3}, []float64{-0.001, math.NaN()}},
		"temperature":        {func(o *Options, v float64) { o.Temperature.Start = v }, []float64{0, 3}, []float64{-0.001}},
		"temperature at end": {func(o *Options, v float64) { o.Temperature.End = v }, []float64{0, 3}, []float64{-0.001}},
		"opening from":       {func(o *Options, v float64) { o.Opening.MinPlies, o.Opening.MaxPlies = int(v), 4 }, []float64{0, 4}, []float64{-1, 5}},
		"opening distance":   {func(o *Options, v float64) { o.Opening.Distance = int(v) }, []float64{1}, []float64{0, -1}},
		"opening value":      {func(o *Options, v float64) { o.Opening.MaxValue = v }, []float64{0.001, 1}, []float64{0, -1, math.NaN()}},
		"opening tries":      {func(o *Options, v float64) { o.Opening.Tries = int(v) }, []float64{1}, []float64{0, -1}},
		"move limit":         {func(o *Options, v float64) { o.Opening.MaxPlies, o.MaxPlies = 4, int(v) }, []float64{0, 5}, []float64{-1, 1, 4}},
		"resignation":        {func(o *Options, v float64) { o.ResignAt = v }, []float64{0, 1}, []float64{-0.001, 1.001, math.NaN()}},
		"resignation turns":  {func(o *Options, v float64) { o.ResignTurns = int(v) }, []float64{1}, []float64{0, -1}},
		"audited games":      {func(o *Options, v float64) { o.ResignAt, o.ResignAudit = 0.5, v }, []float64{0, 1}, []float64{-0.001, 1.001}},
		"in flight":          {func(o *Options, v float64) { o.Search.InFlight = int(v) }, []float64{1, 2}, []float64{-1}},
		"forced":             {func(o *Options, v float64) { o.Targets.Forced = float32(v) }, []float64{0, 100}, []float64{-1, 101, math.NaN()}},
		"considered":         {func(o *Options, v float64) { o.Targets.Gumbel.Considered = int(v) }, []float64{0, 2}, []float64{1, -1}},
		"scale":              {func(o *Options, v float64) { o.Targets.Gumbel.Scale = v }, []float64{0, 1}, []float64{-1, math.NaN()}},
		"lines":              {func(o *Options, v float64) { o.Labels.Lines = int(v) }, []float64{1, 9}, []float64{-1}},
		"target temperature": {func(o *Options, v float64) { o.Labels.TargetTemperature = v }, []float64{0.001}, []float64{0, -1, math.NaN()}},
		"greatest loss":      {func(o *Options, v float64) { o.Labels.MaxLoss = v }, []float64{0.001, 2}, []float64{-0.001}},
	} {
		check := func(v float64) error {
			o := Options{Games: 10}.WithDefaults()
			c.set(&o, v)
			return o.Check(nil)
		}
		for _, v := range c.good {
			if err := check(v); err != nil {
				t.Errorf("%s = %v: %v", name, v, err)
			}
		}
		for _, v := range c.wrong {
			if err := check(v); !oneLine(err) {
				t.Errorf("%s = %v: %v, want an error of one line", name, v, err)
			}
		}
	}
}

// The zero LabelOptions are what their comments say.
func TestTeacherDefaults(t *testing.T) {
	want := LabelOptions{Lines: 1, TargetTemperature: 0.1, Temperature: mcts.Schedule{Start: 0.1, HalfLife: 6}, MaxLoss: 0.2}
	if got := (LabelOptions{}).WithDefaults(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	given := LabelOptions{Lines: 2, TargetTemperature: 3, Temperature: mcts.Schedule{Start: 4, HalfLife: 5}, MaxLoss: 6}
	if got := given.WithDefaults(); got != given {
		t.Errorf("%+v, %+v was given", got, given)
	}
}
