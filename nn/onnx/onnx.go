// Package onnx runs networks with ONNX Runtime. It is the only package that uses cgo.
// [Find] loads the runtime's library at run time, once per process; [Runtime.Load] makes
// a [Session], the nn.Network of one model file, and checks its digest, inputs, outputs and
// properties. Without cgo the package compiles, and Find returns an error that says what
// is missing.
package onnx

import "github.com/carozero/carozero/nn"

// Kind returns the kind of ONNX files. Sessions use the runtime that library returns and
// the named provider; "": CPU. devices and turns are as in Options.
func Kind(library func() (*Runtime, error), provider string, devices []uint, turns *nn.Turns) nn.Kind {
	return nn.Kind{
		Name:      "onnx",
		Recognize: recognize,
		Load: func(path string, data []byte, sha256 string) (nn.Network, error) {
			rt, err := library()
			if err != nil {
				return nil, err
			}
			p, err := ParseProvider(provider)
			if err != nil {
				return nil, err
			}
			s, err := rt.Load(path, data, Options{Provider: p, Devices: devices, SHA256: sha256, Turns: turns})
			if err != nil {
				return nil, err
			}
			return s, nil
		},
	}
}

// recognize reports whether a file begins as ONNX files do: with the version of the
// format, a number below 128, and the tag of another field of a ModelProto.
func recognize(start []byte) bool {
	const version, fields = 1 << 3, 25
	return len(start) > 2 && start[0] == version && start[1] < 128 && start[2]>>3 > 1 && start[2]>>3 <= fields &&
		start[2]&7&^2 == 0
}

// Options configures a session. The zero value is the fastest on cores.
type Options struct {
	Provider Provider // "": CPU
	Devices  []uint   // numbers of the provider's devices; none: its usual one

	// SHA256 is the required digest of the model in hexadecimal; "" accepts any. Only
	// this or the model's own property carozero.weights detects damaged weights;
	// without either a damaged model loads and computes nonsense.
	SHA256 string

	// Turns are those of the goroutines that use a device; nil: of this session alone.
	Turns *nn.Turns
}
