package gomocup

import (
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/search"
)

// BothSetup sets up engines of both searches for what clients of the Gomocup protocol ask
// for. The Tree is the caller's to close.
type BothSetup struct {
	Tree      *TreeSetup
	Classical *ClassicalSetup
	Settings  search.BothSettings // but the threads, which the client names
}

// Open is a [Open]. The searches share the memory that a client allows.
func (g BothSetup) Open(s Settings) (engine.Engine, error) {
	settings := g.Settings
	settings.Threads = min(2, max(1, s.Threads))
	whole := s.Memory
	s.Memory /= 2
	t, err := g.Tree.Open(s)
	if err != nil {
		return nil, err
	}
	s.Threads = 1
	c, err := g.Classical.Open(s)
	if err != nil {
		return nil, err
	}
	limitMemory(whole)
	return search.NewBoth(t.(*search.Tree), c.(*search.Classical), settings), nil
}
