//go:build cgo

package onnx

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/carozero/carozero/nn"
)

// Session is the [nn.Network] of one model, which computes batches. It is safe for
// concurrent use, and on cores the fastest way is one goroutine per core on one session
// with one thread each.
//
// On a CPU a row's output does not depend on the size of its batch. On other
// providers it may, because their kernels are chosen by shape; use
// nn.BatcherOptions.FixedBatch there.
type Session struct {
	name      string
	id        uint64
	sha256    string
	provider  Provider
	metadata  nn.Metadata
	signature signature

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
	return nn.BatchEvaluator(s, v, o, s.provider != CPU)
}

// Exact implements [nn.Network]: the order of summation depends on the processor and the
// runtime.
func (s *Session) Exact() bool { return false }

// Planes implements [nn.BatchNetwork].
func (s *Session) Planes() string { return s.metadata.Planes }

// Check implements [nn.BatchNetwork].
func (s *Session) Check(enc nn.Encoder) error {
	if enc.Version() != s.metadata.Planes {
		return fmt.Errorf("model %s: %w: it reads input planes %s, needed are %s", s.name, nn.ErrModel, s.metadata.Planes, enc.Version())
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
		return fmt.Errorf("model %s: %s", s.name, oneLine(err.Error()))
	}
	return nil
}

// Close implements [nn.Network]. It blocks until every running Forward has
// returned.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil
	}
	err := s.session.Destroy()
	s.session = nil
	if err != nil {
		return fmt.Errorf("model %s: %s", s.name, oneLine(err.Error()))
	}
	return nil
}
