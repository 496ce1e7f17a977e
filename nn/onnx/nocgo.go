//go:build !cgo

package onnx

import (
	"fmt"

	"github.com/carozero/carozero/nn"
)

// Available reports whether this build can load a library at all.
const Available = false

// errNoCgo is returned by every attempt to load the library.
var errNoCgo = fmt.Errorf("%w: this program was built without cgo and cannot load it; use a line network, --model uniform or --engine alphabeta, or a build with cgo", ErrNoRuntime)

// Runtime exists in builds without cgo only so that callers compile.
type Runtime struct{}

// Find returns an error that wraps [ErrNoRuntime].
func Find(Search) (*Runtime, error) { return nil, errNoCgo }

// Path returns "": nothing was loaded.
func (r *Runtime) Path() string { return "" }

// Version returns "": nothing was loaded.
func (r *Runtime) Version() string { return "" }

// LoadFile returns an error that wraps [ErrNoRuntime].
func (r *Runtime) LoadFile(string, Options) (*Session, error) { return nil, errNoCgo }

// Load returns an error that wraps [ErrNoRuntime].
func (r *Runtime) Load(string, []byte, Options) (*Session, error) { return nil, errNoCgo }

// Session exists in builds without cgo only so that callers compile.
type Session struct{ nn.Network }
