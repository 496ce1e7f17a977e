package engine

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/internal/think"
)

// GomocupClassical sets up classical searches for what clients of the Gomocup
// protocol ask for.
type GomocupClassical struct {
	opts     ClassicalOptions // Threads and TableMiB where the client names none
	settings gomocup.Settings // of engine
	engine   *Classical       // nil: none was set up
}

// Budgets of the classical search in a dialogue.
const (
	quickNodes = 10_000  // for a move that is wanted as fast as possible: a few hundredths of a second
	endless    = 1 << 40 // bounds nothing, where only clocks or a depth were given
)

// GomocupBudget returns the options of a dialogue with the classical search whose
// clients give the clocks.
func GomocupBudget() gomocup.Options {
	return gomocup.Options{Nodes: endless, Quick: quickNodes}
}

// defaultTableMiB is the size of a table where nothing names one.
const defaultTableMiB = 64

// NewGomocupClassical returns a GomocupClassical.
func NewGomocupClassical(o ClassicalOptions) *GomocupClassical {
	if o.Search.TableMiB == 0 {
		o.Search.TableMiB = defaultTableMiB
	}
	return &GomocupClassical{opts: o}
}

// Open is a [gomocup.Open]. A table for which there is no memory is an error. A
// table that changes its size keeps what it knows if there is room for both.
func (g *GomocupClassical) Open(s gomocup.Settings) (think.Engine, error) {
	if g.engine != nil && s == g.settings {
		return g.engine, nil
	}
	v, err := NewVariant(VariantOptions{Rule: s.Rule, Size: s.Size})
	if err != nil {
		return nil, err
	}
	if g.engine != nil && s.Threads == g.settings.Threads && g.adapt(s) {
		g.settings = s
		return g.engine, nil
	}
	o := g.opts
	o.Search.TableMiB = g.tableMiB(s)
	if s.Threads > 0 {
		o.Search.Threads = min(s.Threads, MaxThreads)
	}
	g.engine = nil // its table need not stand beside the new one
	e, err := NewClassical(v, o)
	if err != nil {
		return nil, err
	}
	if err := warm(v, e); err != nil {
		return nil, err
	}
	g.engine, g.settings = e, s
	return e, nil
}

// warm has an engine search the start of a game and forget it again, so that
// nothing has to be allocated during a move: the table's memory is taken from
// the machine when it is first written to, which Forget does.
func warm(v Variant, e *Classical) error {
	start, err := v.Start()
	if err != nil {
		return err
	}
	if _, err := e.Search(context.Background(), start, alphabeta.Limits{Nodes: 1}); err != nil {
		return fmt.Errorf("searching %s %dx%d: %w", v.Rule(), v.Size, v.Size, err)
	}
	e.Forget()
	return nil
}

// adapt makes the engine one for other settings that name the same threads, and
// reports whether it could. Without a network the search is the same under all
// rules, on boards of all sizes; what it has learned is not.
func (g *GomocupClassical) adapt(s gomocup.Settings) bool {
	other := s.Rule != g.settings.Rule || s.Size != g.settings.Size
	if other && (g.opts.Line != nil || g.opts.Weights == BestWeights) {
		return false
	}
	mib := g.tableMiB(s)
	resized := mib != g.tableMiB(g.settings)
	if resized && g.engine.Resize(mib) != nil {
		return false
	}
	if g.engine.learned && other || !g.engine.learned && resized {
		g.engine.Forget()
	}
	return true
}

// tableMiB returns the size of the table: what the client named, or half of the
// memory that the program may use, up to mostTableMiB.
func (g *GomocupClassical) tableMiB(s gomocup.Settings) int {
	const mostTableMiB = 1024
	switch {
	case s.Table > 0:
		return int(max(s.Table>>20, 1))
	case s.Memory > 0:
		return int(max(min(s.Memory/2>>20, mostTableMiB), 1))
	}
	return g.opts.Search.TableMiB
}
