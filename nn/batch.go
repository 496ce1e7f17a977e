package nn

import (
	"fmt"

	"gorgonia.org/tensor"
)

// ValueLogits is the width of the value output: win, draw and loss for the
// side to move.
const ValueLogits = 3

// Batch is the memory of a network's inputs and outputs for up to Cap
// positions of one shape, allocated once. Encoders write into it and the
// runtime reads and writes the same memory; nothing is copied between them.
// A batch belongs to one goroutine at a time.
type Batch struct {
	// Native belongs to the network's backend, for example for its own tensors over
	// this memory. Other code must not use it.
	Native any

	shape   Shape
	cap     int
	n       int
	planes  []float32 // [cap, Planes, Height, Width]
	globals []float32 // [cap, Globals]
	policy  []float32 // [cap, Actions]
	value   []float32 // [cap, ValueLogits]
	views   []*Tensors
}

// Tensors are dense views over the first n rows of a batch's memory.
type Tensors struct {
	Planes  *tensor.Dense // [n, Planes, Height, Width]
	Globals *tensor.Dense // [n, Globals]
	Policy  *tensor.Dense // [n, Actions]
	Value   *tensor.Dense // [n, ValueLogits]
}

// NewBatch returns an empty batch with room for capacity positions. It panics
// if a dimension of the shape or the capacity is not positive.
func NewBatch(shape Shape, capacity int) *Batch {
	if min(shape.Planes, shape.Height, shape.Width, shape.Globals, shape.Actions, capacity) < 1 {
		panic(fmt.Sprintf("nn: impossible batch: shape %+v, capacity %d", shape, capacity))
	}
	return &Batch{
		shape:   shape,
		cap:     capacity,
		planes:  make([]float32, capacity*shape.PlaneSize()),
		globals: make([]float32, capacity*shape.Globals),
		policy:  make([]float32, capacity*shape.Actions),
		value:   make([]float32, capacity*ValueLogits),
		views:   make([]*Tensors, capacity+1),
	}
}

// Shape returns the sizes of one row.
func (b *Batch) Shape() Shape { return b.shape }

// Cap returns the number of rows that there is memory for.
func (b *Batch) Cap() int { return b.cap }

// Len returns the number of rows that Forward computes.
func (b *Batch) Len() int { return b.n }

// SetLen sets the number of rows, in 0..Cap. Rows keep what they hold.
func (b *Batch) SetLen(n int) {
	if n < 0 || n > b.cap {
		panic(fmt.Sprintf("nn: %d rows in a batch of %d", n, b.cap))
	}
	b.n = n
}

// Planes returns the input planes of row i, [Planes, Height, Width].
func (b *Batch) Planes(i int) []float32 { return row(b.planes, i, b.shape.PlaneSize()) }

// Globals returns the scalar inputs of row i, [Globals].
func (b *Batch) Globals(i int) []float32 { return row(b.globals, i, b.shape.Globals) }

// Policy returns the policy logits of row i, [Actions].
func (b *Batch) Policy(i int) []float32 { return row(b.policy, i, b.shape.Actions) }

// Value returns the win, draw and loss logits of row i, [ValueLogits].
func (b *Batch) Value(i int) []float32 { return row(b.value, i, ValueLogits) }

func row(data []float32, i, width int) []float32 {
	return data[i*width : (i+1)*width : (i+1)*width]
}

// Tensors returns the views over the first n rows, n in 1..Cap. They are made
// on the first call for each n and stay valid as long as the batch.
func (b *Batch) Tensors(n int) *Tensors {
	if v := b.views[n]; v != nil {
		return v
	}
	s := b.shape
	v := &Tensors{
		Planes:  dense(b.planes, n, s.Planes, s.Height, s.Width),
		Globals: dense(b.globals, n, s.Globals),
		Policy:  dense(b.policy, n, s.Actions),
		Value:   dense(b.value, n, ValueLogits),
	}
	b.views[n] = v
	return v
}

func dense(data []float32, shape ...int) *tensor.Dense {
	size := 1
	for _, d := range shape {
		size *= d
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data[:size:size]))
}
