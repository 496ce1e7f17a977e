package gomocup

import (
	"context"

	"github.com/carozero/carozero/internal/engine"

	"github.com/carozero/carozero/internal/engine/games"

	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
)

// ClassicalSetup sets up classical searches for what clients of the Gomocup
// protocol ask for.
type ClassicalSetup struct {
	opts     search.ClassicalOptions // Threads and TableMiB where the client names none
	settings Settings                // of engine
	engine   *search.Classical       // nil: none was set up
}

// Budgets of the classical search in a dialogue.
const (
	quickNodes = 10_000  // for a move that is wanted as fast as possible: a few hundredths of a second
	endless    = 1 << 40 // bounds nothing, where only clocks or a depth were given
)

// ClassicalBudget returns the options of a dialogue with the classical search whose
// clients give the clocks.
func ClassicalBudget() Options {
	return Options{Nodes: endless, Quick: quickNodes}
}

// defaultTableMiB is the size of a table where nothing names one.
const defaultTableMiB = 64

// NewClassicalSetup returns a ClassicalSetup.
func NewClassicalSetup(o search.ClassicalOptions) *ClassicalSetup {
	if o.Search.TableMiB == 0 {
		o.Search.TableMiB = defaultTableMiB
	}
	return &ClassicalSetup{opts: o}
}

// Open is a [Open]. A table for which there is no memory is an error. A
// table that changes its size keeps what it knows if there is room for both; in a
// hurry the memory for it is left to Settle. The first call for a size of board makes ready for
// all rules that a client may name, since many name theirs with the first move.
func (g *ClassicalSetup) Open(s Settings) (engine.Engine, error) {
	hurry := s.Hurry
	s.Hurry = false
	if g.engine != nil && s == g.settings {
		if !hurry {
			g.engine.Settle(context.Background())
		}
		return g.engine, nil
	}
	v, err := games.NewVariant(games.VariantOptions{Rule: s.Rule, Size: s.Size})
	if err != nil {
		return nil, err
	}
	if g.engine != nil && s.Threads == g.settings.Threads && g.adapt(v, s, hurry) {
		g.settings = s
		return g.engine, nil
	}
	o := g.opts
	o.Search.TableMiB = g.tableMiB(s)
	if s.Threads > 0 {
		o.Search.Threads = min(s.Threads, int(option.SearchThreads.Max))
	}
	g.engine = nil // its table need not stand beside the new one
	e, err := search.NewClassical(v, o)
	if err != nil {
		return nil, err
	}
	if err := prepareRules(e, g.opts); err != nil {
		return nil, err
	}
	g.engine, g.settings = e, s
	return e, nil
}

// prepareRules readies e for the rules that clients may name on boards of the size
// that it is for, its own last.
func prepareRules(e *search.Classical, o search.ClassicalOptions) error {
	own := e.Variant()
	for _, name := range Rules() {
		v, err := games.NewVariant(games.VariantOptions{Rule: name, Size: own.Size})
		if err != nil || name == own.Rule() {
			continue // not played here
		}
		if err := e.Adopt(v, o); err != nil {
			return err
		}
		if err := e.Prepare(); err != nil {
			return err
		}
	}
	if err := e.Adopt(own, o); err != nil {
		return err
	}
	return e.Prepare()
}

// adapt makes the engine one for other settings that name the same threads, for a
// variant, and reports whether it could.
func (g *ClassicalSetup) adapt(v games.Variant, s Settings, hurry bool) bool {
	other := s.Rule != g.settings.Rule
	if s.Size != g.settings.Size {
		other = true
		if g.engine.Adopt(v, g.opts) != nil || prepareRules(g.engine, g.opts) != nil {
			return false
		}
	} else if other && g.engine.Adopt(v, g.opts) != nil {
		return false
	}
	if mib := g.tableMiB(s); hurry {
		g.engine.ResizeLater(mib)
		return true
	} else if mib != g.engine.TableMiB() {
		return g.engine.Resize(mib) == nil
	}
	g.engine.Settle(context.Background())
	return true
}

// tableMiB returns the size of the table: what the client named, or half of the
// memory that the program may use, up to mostTableMiB.
func (g *ClassicalSetup) tableMiB(s Settings) int {
	const mostTableMiB = 1024
	switch {
	case s.Table > 0:
		return int(max(s.Table>>20, 1))
	case s.Memory > 0:
		return int(max(min(s.Memory/2>>20, mostTableMiB), 1))
	}
	return g.opts.Search.TableMiB
}
