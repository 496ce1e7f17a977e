package networks

import (
	"errors"
	"github.com/carozero/carozero/internal/engine/games"
	"maps"
	"slices"
	"sync"
)

// Nets opens the networks of many variants: each variant the first time that it is
// asked for, each model once, however many variants it plays. It is safe for use
// by many goroutines.
type Nets struct {
	mu     sync.Mutex
	loader *Loader
	model  string
	nets   map[games.Variant]*Net
	owners map[string]*Net // by model: the one that its session was loaded for
}

// NewNets returns a Nets whose networks loader opens, which from then on belongs to
// it; model is as in [Loader.Open].
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
		if model, err = DefaultModel(v); err != nil {
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

// Opened returns the networks that were opened so far, one for each model, in the
// order of their names.
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

// Close frees all networks once nothing runs them any more.
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
