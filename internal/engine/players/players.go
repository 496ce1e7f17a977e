package players

import (
	"fmt"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/nn"
)

// Players builds the entrants of matches from their descriptions. It loads
// every network once. It belongs to one goroutine; the entrants' players may be
// made by many.
type Players struct {
	loader  *networks.Loader
	variant games.Variant
	seed    uint64
	cache   int // bytes of each network's table
	nets    map[string]*networks.Net
	tables  map[string]*nn.CacheTable

	books     map[string]*openBook
	bookOrder []string
}

// NewPlayers returns a builder for a variant. seed is that of the networks'
// symmetries, cacheBytes the memory for each network's cache.
func NewPlayers(l *networks.Loader, v games.Variant, seed uint64, cacheBytes int) *Players {
	return &Players{
		loader: l, variant: v, seed: seed, cache: cacheBytes,
		nets: map[string]*networks.Net{}, tables: map[string]*nn.CacheTable{},
		books: map[string]*openBook{},
	}
}

// Close frees the networks and the books; no player may be in use any more.
func (p *Players) Close() error {
	var first error
	for _, n := range p.nets {
		if err := n.Close(); err != nil && first == nil {
			first = err
		}
	}
	for _, b := range p.books {
		if err := b.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Entrant returns the entrant of a description.
func (p *Players) Entrant(spec PlayerSpec) (arena.Entrant, error) {
	build, err := spec.setup.prepare(p)
	if err != nil {
		return arena.Entrant{}, fmt.Errorf("player %q: %w", spec, err)
	}
	return arena.Entrant{
		Name:        spec.Name(),
		Control:     spec.Control,
		Description: spec.String(),
		Parts:       func() ([]arena.Part, error) { return spec.setup.parts(p) },
		New:         build,
	}, nil
}

// net opens a model, or returns it if it is already open.
func (p *Players) net(model string) (*networks.Net, *nn.CacheTable, error) {
	if n, ok := p.nets[model]; ok {
		return n, p.tables[model], nil
	}
	n, err := p.loader.Open(p.variant, model)
	if err != nil {
		return nil, nil, err
	}
	p.nets[model] = n
	if p.cache > 0 && n.Trained() {
		if p.tables[model], err = p.variant.CacheTable(p.cache); err != nil {
			return nil, nil, err
		}
	}
	return n, p.tables[model], nil
}
