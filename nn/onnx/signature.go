//go:build cgo

package onnx

import (
	"fmt"
	"strings"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/carozero/carozero/nn"
)

// The names of the inputs and outputs that every model has. Further outputs are allowed
// and not computed.
var (
	inputNames  = []string{"planes", "globals"}
	outputNames = []string{"policy", "value"}
)

// dynamic marks a dimension that the model leaves open.
const dynamic = -1

// signature is what a model's inputs and outputs leave open or fix. Each
// number is positive or dynamic; the number of rows is always dynamic.
type signature struct {
	planes, height, width int
	globals               int
	actions               int
}

// readSignature checks names, types and ranks.
func readSignature(inputs, outputs []ort.InputOutputInfo) (signature, error) {
	if len(inputs) != len(inputNames) {
		return signature{}, fmt.Errorf("its inputs are %s, needed are planes and globals", list(inputs))
	}
	planes, err := dims(inputs, "input", "planes", 4)
	if err != nil {
		return signature{}, err
	}
	globals, err := dims(inputs, "input", "globals", 2)
	if err != nil {
		return signature{}, err
	}
	policy, err := dims(outputs, "output", "policy", 2)
	if err != nil {
		return signature{}, err
	}
	value, err := dims(outputs, "output", "value", 2)
	if err != nil {
		return signature{}, err
	}
	if value[1] != nn.ValueLogits && value[1] != dynamic {
		return signature{}, fmt.Errorf("its output value has %d columns, needed are %d: win, draw and loss", value[1], nn.ValueLogits)
	}
	return signature{
		planes: planes[1], height: planes[2], width: planes[3],
		globals: globals[1],
		actions: policy[1],
	}, nil
}

// dims returns the dimensions of the named float32 tensor of the given rank.
func dims(infos []ort.InputOutputInfo, kind, name string, rank int) ([]int, error) {
	for _, info := range infos {
		if info.Name != name {
			continue
		}
		if info.OrtValueType != ort.ONNXTypeTensor || info.DataType != ort.TensorElementDataTypeFloat {
			return nil, fmt.Errorf("its %s %s is not a tensor of float32", kind, name)
		}
		if len(info.Dimensions) != rank {
			return nil, fmt.Errorf("its %s %s has %d dimensions, needed are %d", kind, name, len(info.Dimensions), rank)
		}
		if n := info.Dimensions[0]; n > 0 {
			return nil, fmt.Errorf("its %s %s is fixed to batches of %d, needed is a dynamic number of rows", kind, name, n)
		}
		out := make([]int, rank)
		for i, d := range info.Dimensions {
			out[i] = int(d)
			if d <= 0 {
				out[i] = dynamic
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("it has no %s named %s, only %s", kind, name, list(infos))
}

func list(infos []ort.InputOutputInfo) string {
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name
	}
	return strings.Join(names, ", ")
}

// check returns nil if a model with this signature takes rows of that shape.
func (s signature) check(shape nn.Shape) error {
	for _, d := range []struct {
		what        string
		found, need int
	}{
		{"input planes", s.planes, shape.Planes},
		{"input globals", s.globals, shape.Globals},
		{"board rows", s.height, shape.Height},
		{"board columns", s.width, shape.Width},
		{"policy actions", s.actions, shape.Actions},
	} {
		if d.found != dynamic && d.found != d.need {
			return fmt.Errorf("it has %d %s, needed are %d", d.found, d.what, d.need)
		}
	}
	return nil
}
