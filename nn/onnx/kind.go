package onnx

import "github.com/carozero/carozero/nn"

// Kind returns the kind of ONNX files. Sessions use the runtime that library returns and
// the named provider; "": CPU.
func Kind(library func() (*Runtime, error), provider string) nn.Kind {
	begin := func() (*Runtime, Options, error) {
		rt, err := library()
		if err != nil {
			return nil, Options{}, err
		}
		p, err := ParseProvider(provider)
		return rt, Options{Provider: p}, err
	}
	return nn.Kind{
		Name:      "onnx",
		Recognize: recognize,
		Load: func(name string, data []byte, sha256 string) (nn.Network, error) {
			rt, opts, err := begin()
			if err != nil {
				return nil, err
			}
			opts.SHA256 = sha256
			return network(rt.Load(name, data, opts))
		},
		LoadFile: func(path string) (nn.Network, error) {
			rt, opts, err := begin()
			if err != nil {
				return nil, err
			}
			return network(rt.LoadFile(path, opts))
		},
	}
}

// network returns a session as a network, nil after an error.
func network(s *Session, err error) (nn.Network, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// recognize reports whether a file begins as ONNX files do: with the version of the
// format, a number below 128, and the tag of another field of a ModelProto.
func recognize(start []byte) bool {
	const version, fields = 1 << 3, 25
	return len(start) > 2 && start[0] == version && start[1] < 128 && start[2]>>3 > 1 && start[2]>>3 <= fields && start[2]&7&^2 == 0
}
