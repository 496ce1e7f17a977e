//go:build cgo

package onnx

import (
	"errors"
	"fmt"
	"runtime"

	ort "github.com/yalue/onnxruntime_go"
	"gorgonia.org/tensor"

	"github.com/carozero/carozero/nn"
)

// native is this package's part of a batch: the runtime's tensors over the batch's
// memory, for every number of rows computed so far. Tensors do not belong to a session,
// so all sessions of the process share them. A cleanup frees them when the batch is
// garbage-collected.
type native struct {
	memory *memory
}

// memory is the part of native that its cleanup needs.
type memory struct {
	pin  runtime.Pinner
	rows []*values // by number of rows; nil: not made yet
}

// values are the arguments of a run.
type values struct {
	inputs, outputs []ort.Value // planes, globals; policy, value
}

// nativeOf returns the batch's native part, made on its first use.
func nativeOf(b *nn.Batch) (*native, error) {
	switch v := b.Native.(type) {
	case *native:
		return v, nil
	case nil:
		m := &memory{rows: make([]*values, b.Cap()+1)}
		// C keeps these addresses between calls, so the memory must not move.
		m.pin.Pin(&b.Planes(0)[0])
		m.pin.Pin(&b.Globals(0)[0])
		m.pin.Pin(&b.Policy(0)[0])
		m.pin.Pin(&b.Value(0)[0])
		n := &native{memory: m}
		runtime.AddCleanup(n, (*memory).free, m)
		b.Native = n
		return n, nil
	}
	return nil, errors.New("the batch is in use by another backend")
}

func (m *memory) free() {
	for _, v := range m.rows {
		if v != nil {
			v.destroy()
		}
	}
	m.pin.Unpin()
}

// values returns the tensors over the first b.Len() rows.
func (n *native) values(b *nn.Batch) (*values, error) {
	if v := n.memory.rows[b.Len()]; v != nil {
		return v, nil
	}
	t := b.Tensors(b.Len())
	v := &values{inputs: make([]ort.Value, 0, 2), outputs: make([]ort.Value, 0, 2)}
	for _, part := range []struct {
		list *[]ort.Value
		view *tensor.Dense
	}{
		{&v.inputs, t.Planes}, {&v.inputs, t.Globals}, {&v.outputs, t.Policy}, {&v.outputs, t.Value},
	} {
		value, err := wrap(part.view)
		if err != nil {
			v.destroy()
			return nil, err
		}
		*part.list = append(*part.list, value)
	}
	n.memory.rows[b.Len()] = v
	return v, nil
}

func (v *values) destroy() {
	for _, list := range [][]ort.Value{v.inputs, v.outputs} {
		for _, t := range list {
			t.Destroy()
		}
	}
}

// wrap returns a tensor of the runtime over the view's memory.
func wrap(view *tensor.Dense) (ort.Value, error) {
	data, ok := view.Data().([]float32)
	if !ok {
		return nil, fmt.Errorf("the batch holds %T, not float32", view.Data())
	}
	shape := make(ort.Shape, view.Dims())
	for i, d := range view.Shape() {
		shape[i] = int64(d)
	}
	value, err := ort.NewTensor(shape, data)
	if err != nil {
		return nil, err
	}
	return value, nil
}
