//go:build cgo

package onnx

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
	"gorgonia.org/tensor"

	"github.com/carozero/carozero/nn"
)

// Session is the [nn.Network] of one model, which computes batches. It is safe for
// concurrent use, and on cores the fastest way is one goroutine per core on one session
// with one thread each.
//
// On a CPU a row's output does not depend on the size of its batch. On other
// providers it may, because their kernels are chosen by shape; they are an nn.Device,
// whose batches have one size.
type Session struct {
	name      string
	id        uint64
	sha256    string
	provider  Provider
	metadata  nn.Metadata
	signature signature
	device    *nn.Device // nil: the processor
	others    []*Session // on further devices

	// mu is read-locked by every Forward: the runtime crashes the process if
	// a session is destroyed while it runs.
	mu      sync.RWMutex
	session *ort.DynamicAdvancedSession // nil after Close
}

var (
	_ nn.Network      = (*Session)(nil)
	_ nn.BatchNetwork = (*Session)(nil)
)

// Name implements [nn.Network].
func (s *Session) Name() string { return s.name }

// ID implements [nn.BatchNetwork]: it covers the model's bytes, the provider and
// the version of the runtime.
func (s *Session) ID() uint64 { return s.id }

// SHA256 implements [nn.Network].
func (s *Session) SHA256() string { return s.sha256 }

// Metadata implements [nn.Network].
func (s *Session) Metadata() nn.Metadata { return s.metadata }

// Suits implements [nn.Network].
func (s *Session) Suits(v nn.Variant) error {
	enc, err := nn.EncoderFor(s, v)
	if err != nil {
		return err
	}
	return s.Check(enc)
}

// Evaluator implements [nn.Network].
func (s *Session) Evaluator(v nn.Variant, o nn.EvaluatorOptions) (nn.Evaluator, error) {
	o.Temperature = s.metadata.Tempered(o.Temperature)
	if s.device != nil {
		return s.device.Evaluator(v, o)
	}
	return nn.BatchEvaluator(s, v, o)
}

// Device implements [nn.DeviceNetwork]: nil if the processor computes.
func (s *Session) Device() *nn.Device { return s.device }

// Exact implements [nn.Network]: the order of summation depends on the processor and the
// runtime.
func (s *Session) Exact() bool { return false }

// Planes implements [nn.BatchNetwork].
func (s *Session) Planes() string { return s.metadata.Planes }

// Check implements [nn.BatchNetwork].
func (s *Session) Check(enc nn.Encoder) error {
	if enc.Version() != s.metadata.Planes {
		return fmt.Errorf("model %s: %w: it reads input planes %s, needed are %s", s.name, nn.ErrModel, s.metadata.Planes,
			enc.Version())
	}
	if err := s.signature.check(enc.Shape()); err != nil {
		return fmt.Errorf("model %s: %w: %w", s.name, nn.ErrModel, err)
	}
	return nil
}

// Forward implements [nn.BatchNetwork]. A computation that has begun is not
// interrupted by ctx.
func (s *Session) Forward(ctx context.Context, b *nn.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.Len() == 0 {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.session == nil {
		return fmt.Errorf("model %s: %w", s.name, nn.ErrClosed)
	}
	n, err := nativeOf(b)
	if err != nil {
		return fmt.Errorf("model %s: %w", s.name, err)
	}
	v, err := n.values(b)
	if err != nil {
		return fmt.Errorf("model %s: %s", s.name, oneLine(err.Error()))
	}
	err = s.session.Run(v.inputs, v.outputs)
	runtime.KeepAlive(b)
	if err != nil {
		return fmt.Errorf("model %s: %w", s.name, s.provider.runFailure(err, b.Len()))
	}
	return nil
}

// Close implements [nn.Network]. It blocks until every running Forward has
// returned.
func (s *Session) Close() error {
	if s.device != nil {
		s.device.Close()
	}
	var err error
	for _, other := range s.others {
		err = errors.Join(err, other.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return err
	}
	if failed := s.session.Destroy(); failed != nil {
		err = fmt.Errorf("model %s: %s", s.name, oneLine(failed.Error()))
	}
	s.session = nil
	return err
}

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
	count, s := b.Len(), b.Shape()
	planes, globals, policy, value := b.Rows(count)
	v := &values{inputs: make([]ort.Value, 0, 2), outputs: make([]ort.Value, 0, 2)}
	for _, part := range []struct {
		list *[]ort.Value
		view *tensor.Dense
	}{
		{&v.inputs, dense(planes, count, s.Planes, s.Height, s.Width)}, {&v.inputs, dense(globals, count, s.Globals)},
		{&v.outputs, dense(policy, count, s.Actions)}, {&v.outputs, dense(value, count, nn.ValueLogits)},
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

// dense returns a view over memory.
func dense(data []float32, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
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
