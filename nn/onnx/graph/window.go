package graph

// mostWindow bounds kernels, strides, dilations and padding.
const mostWindow = 1 << 16

// window is what convolutions and pools move over the board.
type window struct{ kernel, pads, strides, dilations []int64 }

// window reads the attributes of a window over rank dimensions.
func (c *call) window(kernel []int64, rank int) (w window, err error) {
	if given, ok := c.ints["kernel_shape"]; ok {
		kernel = given
	}
	w = window{kernel: kernel, pads: c.ints["pads"], strides: c.ints["strides"], dilations: c.ints["dilations"]}
	if len(w.pads) == 0 {
		w.pads = make([]int64, 2*rank)
	}
	if len(w.strides) == 0 {
		w.strides = ones(rank)
	}
	if len(w.dilations) == 0 {
		w.dilations = ones(rank)
	}
	if len(w.kernel) != rank || len(w.pads) != 2*rank || len(w.strides) != rank || len(w.dilations) != rank {
		return w, errShape
	}
	for _, list := range [][]int64{w.kernel, w.strides, w.dilations} {
		for _, n := range list {
			if n < 1 || n > mostWindow {
				return w, errShape
			}
		}
	}
	for _, n := range w.pads {
		if n < 0 || n > mostWindow {
			return w, errShape
		}
	}
	return w, nil
}

func ones(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// over returns the dimensions after the window has moved over those of a board.
func (w *window) over(c *call, board []int64) ([]int64, error) {
	out := make([]int64, len(board))
	for i, d := range board {
		span := (w.kernel[i]-1)*w.dilations[i] + 1
		switch c.word["auto_pad"] {
		case "", "NOTSET":
			d += w.pads[i] + w.pads[i+len(board)]
		case "VALID":
		case "SAME_UPPER", "SAME_LOWER":
			out[i] = (d + w.strides[i] - 1) / w.strides[i]
			continue
		default:
			return nil, errShape
		}
		if d < span {
			return nil, errShape
		}
		out[i] = (d-span)/w.strides[i] + 1
		if c.int("ceil_mode", 0) != 0 {
			out[i]++
		}
	}
	return out, nil
}

func conv(c *call) ([]*value, error) { return convolve(c, 0, 1) }

func convInteger(c *call) ([]*value, error) { return convolve(c, 0, 1) }

func qlinearConv(c *call) ([]*value, error) { return convolve(c, 0, 3) }

// convolve is for convolutions, whose workspace is counted: a kernel may lay out
// what every cell's window sees.
func convolve(c *call, input, weight int) ([]*value, error) {
	if err := c.need(weight + 1); err != nil {
		return nil, err
	}
	x, k := c.in[input].dims, c.in[weight].dims
	rank := len(x) - 2
	if rank < 1 || len(k) != len(x) {
		return nil, errShape
	}
	groups := c.int("group", 1)
	if groups < 1 || groups > mostFixed || k[1] > mostFixed/groups || k[1]*groups != x[1] || k[0]%groups != 0 {
		return nil, errShape
	}
	w, err := c.window(k[2:], rank)
	if err != nil {
		return nil, err
	}
	for i, n := range w.kernel {
		if n != k[2+i] {
			return nil, errShape
		}
	}
	board, err := w.over(c, x[2:])
	if err != nil {
		return nil, err
	}
	seen, err := elements(append(append([]int64{k[1]}, w.kernel...), board...))
	if err != nil {
		return nil, err
	}
	if err := c.run.work(seen); err != nil {
		return nil, err
	}
	return one(append([]int64{x[0], k[0]}, board...)), nil
}

// pool is for pools with a window; the second output are the places of maxima.
func pool(c *call) ([]*value, error) {
	if err := c.need(1); err != nil {
		return nil, err
	}
	x := c.in[0].dims
	rank := len(x) - 2
	if rank < 1 {
		return nil, errShape
	}
	w, err := c.window(nil, rank)
	if err != nil {
		return nil, err
	}
	board, err := w.over(c, x[2:])
	if err != nil {
		return nil, err
	}
	dims := append([]int64{x[0], x[1]}, board...)
	return []*value{{dims: dims}, {dims: dims}}, nil
}
