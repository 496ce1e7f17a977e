//go:build !cgo

package onnx

import (
	"fmt"

	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/nn"
)

// Available reports whether this build can load a library at all.
const Available = false

// noCgo returns the error of every attempt to load the library.
func noCgo(n option.Naming) error {
	return fmt.Errorf(
		"%w: this program was built without cgo and cannot load it; use a line network, %s uniform or %s alphabeta, "+
			"or a build with cgo",
		ErrNoRuntime, n.FlagName("model"), n.FlagName("engine"),
	)
}

// Runtime exists in builds without cgo only so that callers compile.
type Runtime struct{}

// Find returns an error that wraps [ErrNoRuntime].
func Find(s Search) (*Runtime, error) { return nil, noCgo(s.Naming) }

// Path returns "": nothing was loaded.
func (r *Runtime) Path() string { return "" }

// Version returns "": nothing was loaded.
func (r *Runtime) Version() string { return "" }

// LoadFile returns an error that wraps [ErrNoRuntime].
func (r *Runtime) LoadFile(string, Options) (*Session, error) { return nil, noCgo(nil) }

// Load returns an error that wraps [ErrNoRuntime].
func (r *Runtime) Load(string, []byte, Options) (*Session, error) { return nil, noCgo(nil) }

// Session exists in builds without cgo only so that callers compile.
type Session struct{ nn.Network }
