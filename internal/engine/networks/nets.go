package networks

import (
	"errors"
	"github.com/carozero/carozero/internal/engine/games"
	"maps"
	"slices"
	"sync"
)

// Nets opens networks for many variants: each variant when it is first needed, each model
// once. It is safe for concurrent use.
type Nets struct {
	mu     sync.Mutex
	loader *Loader
	model  string
	nets   map[games.Variant]*Net
	owners map[string]*Net // by model: the one that loaded it
}

// NewNets returns a Nets that opens model, as in [Loader.Open], by loader, which it takes
// over.
func NewNets(loader *Loader, model string) *Nets {
	return &Nets{loader: loader, model: model, nets: map[games.Variant]*Net{}, owners: map[string]*Net{}}
}

// Net returns the network for a variant, which Close closes.
func (s *Nets) Net(v games.Variant) (*Net, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.nets[v]; ok {
		return n, nil
	}
	model, err := s.model, error(nil)
	if model == "" {
		if model, err = s.loader.DefaultModel(v); err != nil {
			return nil, err
		}
	}
	var n *Net
	if owner := s.owners[model]; owner != nil {
		n, err = s.loader.lend(owner, v)
	} else if n, err = s.loader.Open(v, model); err == nil {
		s.owners[model] = n
	}
	if err != nil {
		return nil, err
	}
	s.nets[v] = n
	return n, nil
}

// Opened returns the networks opened so far, one for each model, sorted by name.
func (s *Nets) Opened() []*Net {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Collect(maps.Values(s.owners))
	slices.SortFunc(list, func(a, b *Net) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return list
}

// Close frees all networks. Nothing may use them any more.
func (s *Nets) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, n := range s.owners {
		err = errors.Join(err, n.Close())
	}
	clear(s.owners)
	clear(s.nets)
	return err
}
