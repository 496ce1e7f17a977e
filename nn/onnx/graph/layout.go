package graph

import "slices"

// concat joins its inputs along an axis.
func concat(c *call) ([]*value, error) {
	if err := c.need(max(1, len(c.in))); err != nil {
		return nil, err
	}
	dims := slices.Clone(c.in[0].dims)
	at, err := axis(c.int("axis", 0), len(dims))
	if err != nil {
		return nil, err
	}
	known := slices.Clone(c.in[0].known)
	for _, v := range c.in[1:] {
		if len(v.dims) != len(dims) {
			return nil, errShape
		}
		dims[at] += v.dims[at]
		for i, d := range v.dims {
			if i != at && d != dims[i] {
				return nil, errShape
			}
		}
		if known == nil || v.known == nil || len(known)+len(v.known) > mostValues {
			known = nil
		} else {
			known = append(known, v.known...)
		}
		if dims[at] > mostFixed {
			return nil, errTooMuch
		}
	}
	return []*value{{dims: dims, known: known}}, nil
}

// slice never puts out more than it takes, so what is cut off need not be known;
// of a list of numbers it is, where the bounds are.
func slice(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	x := c.in[0]
	dims := slices.Clone(x.dims)
	starts, _, err1 := c.list("starts", 1)
	ends, _, err2 := c.list("ends", 2)
	axes, given, err3 := c.list("axes", 3)
	steps, stepped, err4 := c.list("steps", 4)
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return nil, errOpen
	}
	if len(starts) != len(ends) || given && len(axes) != len(starts) || stepped && len(steps) != len(starts) {
		return nil, errShape
	}
	known := x.known
	for i := range starts {
		at := int64(i)
		if given {
			at = axes[i]
		}
		k, err := axis(at, len(dims))
		if err != nil {
			return nil, err
		}
		if stepped && steps[i] != 1 {
			return nil, errOpen
		}
		from, to := clamp(starts[i], dims[k]), clamp(ends[i], dims[k])
		to = max(from, to)
		if known != nil && len(known) == int(dims[k]) {
			known = known[from:to]
		}
		dims[k] = to - from
	}
	return []*value{{dims: dims, known: known}}, nil
}

// clamp brings a bound of a slice into 0..d.
func clamp(i, d int64) int64 {
	if i < 0 {
		i += d
	}
	return min(max(i, 0), d)
}

// split deals an axis out among its outputs.
func split(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	dims := c.in[0].dims
	at, err := axis(c.int("axis", 0), len(dims))
	if err != nil {
		return nil, err
	}
	sizes, given, err := c.list("split", 1)
	if err != nil {
		return nil, err
	}
	n := int64(len(c.outputs))
	var out []*value
	left := dims[at]
	for i := range n {
		size := min((dims[at]+n-1)/n, left)
		if given {
			if int(i) >= len(sizes) {
				return nil, errShape
			}
			size = sizes[i]
		}
		if size < 0 || size > left {
			return nil, errShape
		}
		left -= size
		part := slices.Clone(dims)
		part[at] = size
		out = append(out, &value{dims: part})
	}
	return out, nil
}

func flatten(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	dims := c.in[0].dims
	at := c.int("axis", 1)
	if at < 0 {
		at += int64(len(dims))
	}
	if at < 0 || at > int64(len(dims)) {
		return nil, errShape
	}
	rows, err := elements(dims[:at])
	if err != nil {
		return nil, err
	}
	columns, err := elements(dims[at:])
	if err != nil {
		return nil, err
	}
	return one([]int64{rows, columns}), nil
}

func reshape(c *call) ([]*value, error) {
	if err := c.need(2); err != nil {
		return nil, err
	}
	x, wanted := c.in[0], c.in[1].known
	if wanted == nil {
		return nil, errOpen
	}
	dims := slices.Clone(wanted)
	open, rest := -1, int64(1)
	for i, d := range dims {
		switch {
		case d == 0 && c.int("allowzero", 0) == 0:
			if i >= len(x.dims) {
				return nil, errShape
			}
			dims[i] = x.dims[i]
		case d == -1 && open < 0:
			open = i
			continue
		case d < 0:
			return nil, errShape
		}
		if dims[i] > mostFixed || rest > mostFixed {
			return nil, errTooMuch
		}
		rest *= dims[i]
	}
	total, err := elements(x.dims)
	if err != nil {
		return nil, err
	}
	if open >= 0 {
		if rest == 0 || total%rest != 0 {
			return nil, errShape
		}
		dims[open] = total / rest
		rest *= dims[open]
	}
	if rest != total {
		return nil, errShape
	}
	return []*value{{dims: dims, known: reshaped(x, dims)}}, nil
}

// reshaped returns the numbers of a value that stays a list or a number.
func reshaped(x *value, dims []int64) []int64 {
	if len(dims) > 1 {
		return nil
	}
	return x.known
}

func squeeze(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	x := c.in[0]
	axes, given, err := c.list("axes", 1)
	if err != nil {
		return nil, err
	}
	drop := make([]bool, len(x.dims))
	for i, d := range x.dims {
		drop[i] = !given && d == 1
	}
	for _, a := range axes {
		at, err := axis(a, len(x.dims))
		if err != nil || x.dims[at] != 1 {
			return nil, errShape
		}
		drop[at] = true
	}
	var dims []int64
	for i, d := range x.dims {
		if !drop[i] {
			dims = append(dims, d)
		}
	}
	return []*value{{dims: dims, known: reshaped(x, dims)}}, nil
}

func unsqueeze(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	x := c.in[0]
	axes, _, err := c.list("axes", 1)
	if err != nil {
		return nil, err
	}
	rank := len(x.dims) + len(axes)
	if rank > mostRank {
		return nil, errShape
	}
	fresh := make([]bool, rank)
	for _, a := range axes {
		at, err := axis(a, rank)
		if err != nil || fresh[at] {
			return nil, errShape
		}
		fresh[at] = true
	}
	dims, next := make([]int64, rank), 0
	for i := range dims {
		dims[i] = 1
		if !fresh[i] {
			dims[i] = x.dims[next]
			next++
		}
	}
	return []*value{{dims: dims, known: reshaped(x, dims)}}, nil
}

func transpose(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	x := c.in[0].dims
	order, given := c.ints["perm"]
	if !given {
		dims := slices.Clone(x)
		slices.Reverse(dims)
		return one(dims), nil
	}
	if len(order) != len(x) {
		return nil, errShape
	}
	dims, taken := make([]int64, len(x)), make([]bool, len(x))
	for i, from := range order {
		if from < 0 || from >= int64(len(x)) || taken[from] {
			return nil, errShape
		}
		dims[i], taken[from] = x[from], true
	}
	return one(dims), nil
}
