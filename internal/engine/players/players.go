package players

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/option"
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
	solved  map[string]games.Endgames // by file

	books     map[string]*openBook
	bookOrder []string
}

// NewPlayers returns a builder for a variant. seed is that of the networks'
// symmetries, cacheBytes the memory for each network's cache.
func NewPlayers(l *networks.Loader, v games.Variant, seed uint64, cacheBytes int) *Players {
	return &Players{
		loader: l, variant: v, seed: seed, cache: cacheBytes,
		nets: map[string]*networks.Net{}, tables: map[string]*nn.CacheTable{},
		solved: map[string]games.Endgames{}, books: map[string]*openBook{},
	}
}

// Close frees the networks, the endgames and the books; no player may be in use any more.
func (p *Players) Close() error {
	var first error
	for _, n := range p.nets {
		if err := n.Close(); err != nil && first == nil {
			first = err
		}
	}
	for _, e := range p.solved {
		if err := e.Close(); err != nil && first == nil {
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

// bitbaseOption names a file of solved endgames.
var bitbaseOption = option.Text{Key: "bitbase", Help: "solved endgames of Onitama that the search knows: a file of 'carozero bitbase'", Sample: "FILE"}

// endgames opens a file of solved endgames, or returns it if it is already open; nil
// without a file. It must suit the position that games of the variant begin at.
func (p *Players) endgames(file string) (games.Endgames, error) {
	if e, ok := p.solved[file]; ok || file == "" {
		return e, nil
	}
	start, err := p.variant.Start()
	if err != nil {
		return nil, err
	}
	e, err := p.variant.OpenEndgames(context.Background(), file)
	if err == nil {
		p.solved[file] = e
		err = e.Suits(start)
	}
	if err != nil {
		return nil, fmt.Errorf("bitbase=%s: %w", file, err)
	}
	return e, nil
}

// fileParts appends the parts that a player reads from files to its others: a bitbase and
// a book, if their paths are not empty.
func fileParts(parts []arena.Part, bitbase, book string) ([]arena.Part, error) {
	for _, f := range []struct{ what, path string }{{"bitbase", bitbase}, {"book", book}} {
		if f.path == "" {
			continue
		}
		sum, err := disk.SHA256(f.path)
		if err != nil {
			return nil, err
		}
		parts = append(parts, arena.Part{What: f.what, Name: f.path, SHA256: sum})
	}
	return parts, nil
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
