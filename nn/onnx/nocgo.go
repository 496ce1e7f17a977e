//go:build !cgo

package onnx

import (
	"fmt"

	"github.com/carozero/carozero/nn"
)

// Available reports whether this build can load a library at all.
const Available = false

// Runtime exists in builds without cgo only so that callers compile.
type Runtime struct{}

// Find returns an error that wraps [ErrNoRuntime].
func Find(s Search) (*Runtime, error) {
	return nil, fmt.Errorf("%w: this program was built without cgo and cannot load it; use a line network, %s uniform or "+
		"%s alphabeta, or a build with cgo", ErrNoRuntime, s.Naming.FlagName("model"), s.Naming.FlagName("engine"))
}

// Path returns "": nothing was loaded.
func (r *Runtime) Path() string { return "" }

// Version returns "": nothing was loaded.
func (r *Runtime) Version() string { return "" }

// Load returns an error that wraps [ErrNoRuntime].
func (r *Runtime) Load(string, []byte, Options) (*Session, error) { return nil, ErrNoRuntime }

// Session exists in builds without cgo only so that callers compile.
type Session struct{ nn.Network }
