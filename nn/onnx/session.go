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
	name     string
	id       uint64
	sha256   string
	provider Provider
	metadata nn.Metadata
	sizes    sizes
	device   *nn.Device // nil: the processor
	others   []*Session // on further devices

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
	if err := s.sizes.check(enc.Shape()); err != nil {
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
	v, err := values(b)
	if err != nil {
		return fmt.Errorf("model %s: %s", s.name, oneLine(err.Error()))
	}
	err = s.session.Run(v[:2], v[2:])
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

// native is this package's part of a batch: the runtime's tensors over the batch's memory,
// by the number of rows, nil for a number that was not computed so far. Tensors do not belong
// to a session, so all sessions of the process share them. A cleanup frees them when the
// batch is garbage-collected.
type native struct {
	rows [][]ort.Value // planes, globals, policy, value
}

// values returns the runtime's tensors over the batch's rows, made on their first use.
func values(b *nn.Batch) ([]ort.Value, error) {
	n, ours := b.Native.(*native)
	switch {
	case b.Native == nil:
		n = &native{rows: make([][]ort.Value, b.Cap()+1)}
		rows, pin := n.rows, new(runtime.Pinner)
		planes, globals, policy, value := b.Rows(b.Cap())
		for _, data := range [][]float32{planes, globals, policy, value} {
			pin.Pin(&data[0]) // C keeps the address between calls
		}
		runtime.AddCleanup(n, func(pin *runtime.Pinner) {
			for _, each := range rows {
				destroy(each)
			}
			pin.Unpin()
		}, pin)
		b.Native = n
	case !ours:
		return nil, errors.New("the batch is in use by another backend")
	}
	if n.rows[b.Len()] != nil {
		return n.rows[b.Len()], nil
	}
	planes, globals, policy, value := b.Rows(b.Len())
	shapes := sizesOf(b.Shape())
	var made []ort.Value
	for i, data := range [][]float32{planes, globals, policy, value} {
		t, err := tensorOver(data, append([]int64{int64(b.Len())}, shapes[i]...))
		if err != nil {
			destroy(made)
			return nil, err
		}
		made = append(made, t)
	}
	n.rows[b.Len()] = made
	return made, nil
}

func destroy(list []ort.Value) {
	for _, t := range list {
		t.Destroy()
	}
}

// tensorOver returns a tensor of the runtime over the memory of a dense one.
func tensorOver(data []float32, shape ort.Shape) (ort.Value, error) {
	dims := make([]int, len(shape))
	for i, n := range shape {
		dims[i] = int(n)
	}
	view := tensor.New(tensor.WithShape(dims...), tensor.WithBacking(data))
	return ort.NewTensor(shape, view.Data().([]float32))
}
