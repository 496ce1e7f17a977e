package engine

import (
	"fmt"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/nn"
)

// Players builds the entrants of matches from their descriptions. It loads
// every network once. It belongs to one goroutine; the entrants' players may be
// made by many.
type Players struct {
	loader  *Loader
	variant Variant
	seed    uint64
	cache   int // bytes of each network's table
	nets    map[string]*Net
	tables  map[string]*nn.CacheTable
}

// NewPlayers returns a builder for a variant. The seed is that of the networks'
// symmetries, cacheBytes the memory for each network's results.
func NewPlayers(l *Loader, v Variant, seed uint64, cacheBytes int) *Players {
	return &Players{
		loader: l, variant: v, seed: seed, cache: cacheBytes,
		nets: map[string]*Net{}, tables: map[string]*nn.CacheTable{},
	}
}

// Close frees the networks; no player may be in use any more.
func (p *Players) Close() error {
	var first error
	for _, n := range p.nets {
		if err := n.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// CheckSpec returns an error if a description's arguments make no sense; it
// opens nothing.
func CheckSpec(spec Spec) error {
	var err error
	switch spec.Kind {
	case MCTS:
		_, err = readTree(spec)
	case AlphaBeta:
		_, err = classicalOptions(spec)
	case Exec:
		_, err = readExec(spec)
	}
	if err != nil {
		return fmt.Errorf("player %q: %w", spec, err)
	}
	return nil
}

// Entrant builds what a description asks for.
func (p *Players) Entrant(spec Spec) (arena.Entrant, error) {
	if err := CheckSpec(spec); err != nil {
		return arena.Entrant{}, err
	}
	var e arena.Entrant
	var err error
	switch spec.Kind {
	case MCTS:
		e, err = p.searchEntrant(spec)
	case AlphaBeta:
		e, err = p.classicalEntrant(spec)
	case Exec:
		e, err = p.execEntrant(spec)
	}
	if err != nil {
		return arena.Entrant{}, fmt.Errorf("player %q: %w", spec, err)
	}
	e.Description = spec.String()
	e.Parts = func() ([]arena.Part, error) { return p.parts(spec) }
	return e, nil
}

// parts returns the files that a player plays by.
func (p *Players) parts(spec Spec) ([]arena.Part, error) {
	switch spec.Kind {
	case MCTS:
		model, _ := spec.Args.Get("model")
		net, _, err := p.net(model)
		if err != nil {
			return nil, err
		}
		return []arena.Part{{What: "network", Name: net.Name, SHA256: net.SHA256}}, nil
	case Exec:
		return programs(spec.Command)
	}
	return nil, nil
}

// net opens a model, or returns what was opened before.
func (p *Players) net(model string) (*Net, *nn.CacheTable, error) {
	if n, ok := p.nets[model]; ok {
		return n, p.tables[model], nil
	}
	n, err := p.loader.Open(p.variant, model)
	if err != nil {
		return nil, nil, err
	}
	p.nets[model] = n
	if p.cache > 0 && n.network != nil {
		if p.tables[model], err = p.variant.CacheTable(p.cache); err != nil {
			return nil, nil, err
		}
	}
	return n, p.tables[model], nil
}
