package bench

import (
	"context"
	"math"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
)

// SMP compares one search of several threads to as many independent searches at
// the same time, and to one search of one thread.
type SMP struct {
	Threads   int     `json:"threads"`
	Depth     int     `json:"depth"`
	Positions int     `json:"positions"`
	Speed     float64 `json:"speed"`         // nodes/s of all threads over those of the independent searches together
	Time      float64 `json:"time_to_depth"` // of one thread over that of all: geometric mean
	Nodes     float64 `json:"nodes"`         // of all threads over those of one: geometric mean
}

// MeasureSMP searches the quiet positions to a depth by all three, one after
// the other on each position, so that a machine whose speed drifts skews no
// ratio.
func MeasureSMP(ctx context.Context, v games.Variant, o AlphaBetaOptions, progress func()) (*SMP, error) {
	_, list, err := quietPositions(v)
	if err != nil {
		return nil, err
	}
	m, err := newSMPRun(v, o)
	if err != nil {
		return nil, err
	}
	for _, pos := range list {
		if err := m.position(ctx, pos, o.Depth); err != nil {
			return nil, err
		}
		progress()
	}
	return &SMP{
		Threads: o.Search.Threads, Depth: o.Depth, Positions: len(list),
		Speed: (m.together.nodes / m.together.seconds) / (m.apart.nodes / m.apart.seconds),
		Time:  math.Exp(m.logs / float64(len(list))),
		Nodes: math.Exp(m.nodeLogs / float64(len(list))),
	}, nil
}

// smpRun is the state of one measurement.
type smpRun struct {
	all   engine.Engine   // of all threads
	alone []engine.Engine // of one thread each

	together, apart struct{ nodes, seconds float64 }
	logs            float64 // of the ratios of times
	nodeLogs        float64 // of the ratios of nodes
}

func newSMPRun(v games.Variant, o AlphaBetaOptions) (*smpRun, error) {
	m := &smpRun{}
	var err error
	if m.all, err = search.NewClassical(v, o.classical()); err != nil {
		return nil, err
	}
	threads := o.Search.Threads
	o.Search.Threads = 1
	for range threads {
		c, err := search.NewClassical(v, o.classical())
		if err != nil {
			return nil, err
		}
		m.alone = append(m.alone, c)
	}
	return m, nil
}

// position searches one position by one thread, by all, and apart.
func (m *smpRun) position(ctx context.Context, pos game.Position, depth int) error {
	limits := engine.Limits{Depth: depth}
	m.alone[0].Forget()
	one, err := engine.Complete(ctx, m.alone[0], pos, limits)
	if err != nil {
		return err
	}
	m.all.Forget()
	all, err := engine.Complete(ctx, m.all, pos, limits)
	if err != nil {
		return err
	}
	m.together.nodes += float64(all.Stats.Nodes)
	m.together.seconds += all.Stats.Elapsed.Seconds()
	m.logs += math.Log(one.Stats.Elapsed.Seconds() / all.Stats.Elapsed.Seconds())
	m.nodeLogs += math.Log(float64(all.Stats.Nodes) / float64(one.Stats.Nodes))
	return m.independent(ctx, pos, limits)
}

// independent searches a position by as many searches as there are threads, at
// the same time; the first to be done ends it.
func (m *smpRun) independent(ctx context.Context, pos game.Position, limits engine.Limits) error {
	ending, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make([]*engine.Answer, len(m.alone))
	var running sync.WaitGroup
	for i, c := range m.alone {
		c.Forget()
		running.Go(func() {
			defer cancel()
			answers[i], _ = c.Think(ending, pos, limits) // none if it ends before it began
		})
	}
	running.Wait()
	longest := 0.0
	for _, a := range answers {
		if a == nil {
			continue
		}
		m.apart.nodes += float64(a.Stats.Nodes)
		longest = max(longest, a.Stats.Elapsed.Seconds())
	}
	m.apart.seconds += longest
	return ctx.Err()
}
