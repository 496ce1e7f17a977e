package gomocup

import (
	"fmt"
	"runtime"

	"github.com/carozero/carozero/internal/engine"
)

// DefaultNodes is the budget of a move where neither the client nor the options
// set any limit: playouts for a tree search.
const DefaultNodes = 800

// defaultQuick is the Options.Quick that zero means.
const defaultQuick = 16

// Options configure a Server. The zero value works.
type Options struct {
	Nodes   int         // of a move for which the client set no limit; 0: DefaultNodes
	Depth   int         // plies to look ahead at most where the client names no number; 0: no bound
	Quick   int         // nodes of a move that is wanted as fast as possible; 0: 16
	Threads int         // as many as clients may ask for; 0: as many as there are cores
	Memory  int64       // bytes, as many as clients may ask for; 0: what the machine has
	Seed    uint64      // of the limits of every move
	Name    string      // in the answer to ABOUT; "": CaroZero
	Version string      // likewise
	Time    engine.Time // nil: engine.SystemTime
}

// Server answers one client.
type Server struct {
	open Open
	opts Options
}

// New returns a Server that has the engines of open think. They must not be used
// by anything else while Run runs, and are not closed.
func New(open Open, opts Options) *Server {
	if opts.Nodes == 0 {
		opts.Nodes = DefaultNodes
	}
	if opts.Quick == 0 {
		opts.Quick = defaultQuick
	}
	if opts.Threads == 0 {
		opts.Threads = runtime.NumCPU()
	}
	if opts.Memory == 0 {
		opts.Memory = machineMemory()
	}
	if opts.Memory == 0 {
		opts.Memory = assumedMemory
	}
	if opts.Name == "" {
		opts.Name = "CaroZero"
	}
	if opts.Time == nil {
		opts.Time = engine.SystemTime{}
	}
	return &Server{open: open, opts: opts}
}

// about returns the answer to ABOUT.
func (o *Options) about() string {
	return fmt.Sprintf("name=%q, version=%q, author=%q, country=%q", o.Name, o.Version, "the "+o.Name+" authors", "none")
}
