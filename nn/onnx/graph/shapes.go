package graph

import (
	"errors"
	"slices"
)

var (
	errInputs = errors.New("an input is missing")
	errShape  = errors.New("its inputs do not fit together")
	errOpen   = errors.New("a shape that only a run would tell")
)

// need returns an error unless the first n inputs are given.
func (c *call) need(n int) error {
	if len(c.in) < n || slices.Contains(c.in[:n], nil) {
		return errInputs
	}
	return nil
}

// optional returns an input, nil if it is not given.
func (c *call) optional(i int) *value {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// int returns an attribute that is one number.
func (c *call) int(name string, fallback int64) int64 {
	if list := c.ints[name]; len(list) > 0 {
		return list[0]
	}
	return fallback
}

// list returns numbers that are an attribute or, in newer versions, an input; given is
// false if they are neither. Numbers that depend on the number of positions are refused,
// since only some batch sizes are measured.
func (c *call) list(name string, input int) (numbers []int64, given bool, err error) {
	if list, ok := c.ints[name]; ok {
		return list, true, nil
	}
	v := c.optional(input)
	if v == nil {
		return nil, false, nil
	}
	if v.known == nil || c.varies(input) {
		return nil, true, errOpen
	}
	return v.known, true, nil
}

// varies reports whether the numbers of an input differ from those for a single position.
func (c *call) varies(input int) bool {
	return c.run.single != nil && !slices.Equal(c.in[input].known, c.run.single[c.inputs[input]].known)
}

// axis brings an axis into 0..rank-1.
func axis(a int64, rank int) (int, error) {
	if a < 0 {
		a += int64(rank)
	}
	if a < 0 || a >= int64(rank) {
		return 0, errShape
	}
	return int(a), nil
}

func one(dims []int64) []*value { return []*value{{dims: dims}} }

// same is for operators whose outputs are like their first input.
func same(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	x := c.in[0]
	out := []*value{{dims: x.dims}, {dims: x.dims}, {dims: x.dims}}
	if c.op == "Identity" || c.op == "Cast" {
		out[0].known = x.known
	}
	return out, nil
}

func dynamicQuantize(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	return []*value{{dims: c.in[0].dims}, {}, {}}, nil
}

// broadcast is for operators that stretch their inputs to one shape.
func broadcast(c *call) ([]*value, error) {
	if err := c.need(max(1, len(c.in))); err != nil {
		return nil, err
	}
	dims := c.in[0].dims
	for _, v := range c.in[1:] {
		var err error
		if dims, err = stretch(dims, v.dims); err != nil {
			return nil, err
		}
	}
	return one(dims), nil
}

// The operators that exporters compute shapes with, such as h*w.
func add(c *call) ([]*value, error) {
	return c.compute(func(a, b int64) int64 { return a + b })
}

func sub(c *call) ([]*value, error) {
	return c.compute(func(a, b int64) int64 { return a - b })
}

func mul(c *call) ([]*value, error) {
	return c.compute(func(a, b int64) int64 { return a * b })
}

// compute is broadcast, and computes the numbers of the output where those of both
// inputs are known and small.
func (c *call) compute(of func(a, b int64) int64) ([]*value, error) {
	out, err := broadcast(c)
	if err != nil || len(c.in) != 2 || c.in[0].known == nil || c.in[1].known == nil {
		return out, err
	}
	a, b := c.in[0].known, c.in[1].known
	if len(a) != len(b) && len(a) != 1 && len(b) != 1 {
		return out, nil // a table of both, which no exporter computes a shape by
	}
	n, err := elements(out[0].dims)
	if err != nil {
		return nil, err
	}
	if n != int64(max(len(a), len(b))) {
		return out, nil
	}
	known := make([]int64, n)
	for i := range known {
		x, y := a[min(i, len(a)-1)], b[min(i, len(b)-1)] // a single number goes with all
		if max(x, -x, y, -y) > mostFixed {
			return out, nil
		}
		known[i] = of(x, y)
	}
	out[0].known = known
	return out, nil
}

// stretch returns the shape to which two are broadcast.
func stretch(a, b []int64) ([]int64, error) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, d := range b {
		at := &out[len(a)-len(b)+i]
		switch {
		case *at == 1:
			*at = d
		case d != 1 && d != *at:
			return nil, errShape
		}
	}
	return out, nil
}

func gemm(c *call) ([]*value, error) {
	if err := c.need(2); err != nil {
		return nil, err
	}
	a, b := slices.Clone(c.in[0].dims), slices.Clone(c.in[1].dims)
	if len(a) != 2 || len(b) != 2 {
		return nil, errShape
	}
	if c.int("transA", 0) != 0 {
		slices.Reverse(a)
	}
	if c.int("transB", 0) != 0 {
		slices.Reverse(b)
	}
	if a[1] != b[0] {
		return nil, errShape
	}
	return one([]int64{a[0], b[1]}), nil
}

func matMul(c *call) ([]*value, error) { return multiply(c, 0, 1) }

func matMulInteger(c *call) ([]*value, error) { return multiply(c, 0, 1) }

func qlinearMatMul(c *call) ([]*value, error) { return multiply(c, 0, 3) }

// multiply is for products of matrices, of which there may be many.
func multiply(c *call, left, right int) ([]*value, error) {
	if err := c.need(right + 1); err != nil {
		return nil, err
	}
	a, b := c.in[left].dims, c.in[right].dims
	if len(a) < 2 || len(b) < 2 || a[len(a)-1] != b[len(b)-2] {
		return nil, errShape
	}
	dims, err := stretch(a[:len(a)-2], b[:len(b)-2])
	if err != nil {
		return nil, err
	}
	return one(append(dims, a[len(a)-2], b[len(b)-1])), nil
}

func globalPool(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	dims := slices.Clone(c.in[0].dims)
	for i := 2; i < len(dims); i++ {
		dims[i] = 1
	}
	return one(dims), nil
}

func reduce(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	dims := slices.Clone(c.in[0].dims)
	axes, given, err := c.list("axes", 1)
	if err != nil {
		return nil, err
	}
	if !given || len(axes) == 0 {
		for i := range dims {
			axes = append(axes, int64(i))
		}
	}
	for _, a := range axes {
		at, err := axis(a, len(dims))
		if err != nil {
			return nil, err
		}
		dims[at] = -1
	}
	var kept []int64
	for _, d := range dims {
		if d >= 0 {
			kept = append(kept, d)
		} else if c.int("keepdims", 1) != 0 {
			kept = append(kept, 1)
		}
	}
	return one(kept), nil
}

func constant(c *call) ([]*value, error) {
	if c.value != nil {
		return []*value{c.value}, nil
	}
	if n, ok := c.ints["value_int"]; ok && len(n) == 1 {
		return []*value{{known: n}}, nil
	}
	if list, ok := c.ints["value_ints"]; ok {
		return []*value{{dims: []int64{int64(len(list))}, known: append([]int64{}, list...)}}, nil
	}
	if _, ok := c.ints["value_float"]; ok {
		return one(nil), nil
	}
	return nil, errors.New("a constant that is no tensor of numbers")
}

func shapeOf(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	dims := c.in[0].dims
	rank := int64(len(dims))
	from, to := clamp(c.int("start", 0), rank), clamp(c.int("end", rank), rank)
	dims = dims[from:max(from, to)]
	return []*value{{dims: []int64{int64(len(dims))}, known: append([]int64{}, dims...)}}, nil
}

func gather(c *call) ([]*value, error) {
	if err := c.need(2); err != nil {
		return nil, err
	}
	x, index := c.in[0], c.in[1]
	at, err := axis(c.int("axis", 0), len(x.dims))
	if err != nil {
		return nil, err
	}
	dims := slices.Concat(x.dims[:at], index.dims, x.dims[at+1:])
	out := &value{dims: dims}
	if x.known != nil && index.known != nil && len(x.dims) == 1 && !c.varies(1) {
		out.known = []int64{}
		for _, i := range index.known {
			k, err := axis(i, len(x.known))
			if err != nil {
				return nil, err
			}
			out.known = append(out.known, x.known[k])
		}
	}
	return []*value{out}, nil
}
