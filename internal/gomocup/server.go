package gomocup

import (
	"fmt"
	"runtime"
)

// DefaultPlayouts is the budget of a move where neither the client nor the
// options set any limit.
const DefaultPlayouts = 800

// Options configure a Server. The zero value works.
type Options struct {
	Playouts int    // of a move for which the client set no limit; 0: DefaultPlayouts
	Threads  int    // as many as boards may ask for; 0: as many as there are cores
	Name     string // in the answer to ABOUT; "": CaroZero
	Version  string // likewise
	Time     Time   // nil: SystemTime
}

// Server answers one client.
type Server struct {
	engine Engine
	opts   Options
}

// New returns a Server that has engine think. The engine must not be used by
// anything else while Run runs.
func New(engine Engine, opts Options) *Server {
	if opts.Playouts == 0 {
		opts.Playouts = DefaultPlayouts
	}
	if opts.Threads == 0 {
		opts.Threads = runtime.NumCPU()
	}
	if opts.Name == "" {
		opts.Name = "CaroZero"
	}
	if opts.Time == nil {
		opts.Time = SystemTime{}
	}
	return &Server{engine: engine, opts: opts}
}

// about returns the answer to ABOUT.
func (o *Options) about() string {
	return fmt.Sprintf("name=%q, version=%q, author=%q, country=%q", o.Name, o.Version, "the "+o.Name+" authors", "none")
}
