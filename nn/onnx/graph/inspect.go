package graph

import (
	"errors"
	"fmt"
	"maps"
)

// MostBytes bounds what the values of a graph take together for one position on
// any board, as if none were freed before the end, and what its constants
// take. A network of forty blocks of 256 filters needs less than half of it.
const MostBytes = 512 << 20

// The side lengths of boards.
const smallestBoard, largestBoard = 5, 22

// mostPositions is the largest batch that is ever computed.
const mostPositions = 4096

// elementBytes is what an element of any value is taken to need: the most there
// is.
const elementBytes = 8

var errTooMuch = fmt.Errorf("it would take more than %d MiB of memory", MostBytes>>20)

// Inspect returns a one-line error unless the model can be loaded and run within bounded
// memory and its weights match their digest, if it states one; see the package comment.
// sealed reports whether the file states a digest; without one, damaged weights go
// unnoticed.
func Inspect(data []byte) (sealed bool, err error) {
	m, err := parse(data)
	if err == nil {
		sealed, err = m.sealed()
	}
	if err == nil {
		err = m.sort()
	}
	if err == nil {
		err = m.fits()
	}
	return sealed, err
}

// fits returns an error if the values exceed the memory bound on any board with any number
// of positions. A graph may compute with the board's sides, so every board is measured,
// except those too small for it. How it can depend on the number of positions is limited
// (call.varies): the smallest and the largest board are measured with every power of two,
// the others with one position and with the most.
func (m *model) fits() error {
	for board := int64(smallestBoard); board <= largestBoard; board++ {
		single, err := m.infer(board, 1, nil)
		if errors.Is(err, errShape) && board < largestBoard {
			continue // a runtime refuses it too
		}
		if err != nil {
			return err
		}
		one := max(single.total(), 1)
		step := int64(mostPositions)
		if board == smallestBoard || board == largestBoard {
			step = 2
		}
		for positions := step; positions <= mostPositions; positions *= step {
			r, err := m.infer(board, positions, single.values)
			if err != nil {
				return err
			}
			if bytes := r.total(); bytes > MostBytes*positions || bytes/positions > 2*one {
				return errTooMuch
			}
		}
		if one > MostBytes {
			return errTooMuch
		}
	}
	return nil
}

// total returns the bytes that all values take together.
func (r *run) total() int64 { return r.bytes + r.space }

// infer infers the shape of every value for a number of positions on a board of a
// side length. single has the values of one position, nil for itself.
func (m *model) infer(board, positions int64, single map[string]*value) (*run, error) {
	r := &run{values: make(map[string]*value, len(single)), single: single, most: MostBytes * positions}
	maps.Copy(r.values, m.tensors) // whose bytes are counted
	for _, in := range m.inputs {
		if m.tensors[in.name] != nil {
			continue // its default, in old files
		}
		if err := r.put(in.name, &value{dims: in.measured(board, positions)}); err != nil {
			return r, err
		}
	}
	for i := range m.nodes {
		if err := r.node(&m.nodes[i]); err != nil {
			return r, err
		}
	}
	for _, name := range m.outputs {
		if r.values[name] == nil {
			return r, fmt.Errorf("its output %s is not computed", excerpt(name))
		}
	}
	return r, nil
}

// sort puts the operators into an order in which each comes after those whose
// outputs it takes.
func (m *model) sort() error {
	maker := map[string]int{} // of each value, by its number in nodes
	for i := range m.nodes {
		for _, name := range m.nodes[i].outputs {
			if _, twice := maker[name]; twice && name != "" {
				return fmt.Errorf("the value %s is computed twice", excerpt(name))
			}
			maker[name] = i
		}
	}
	waits := make([]int, len(m.nodes)) // for so many inputs
	takers := make([][]int, len(m.nodes))
	var ready []int
	for i := range m.nodes {
		for _, name := range m.nodes[i].inputs {
			if from, ok := maker[name]; ok && name != "" {
				waits[i]++
				takers[from] = append(takers[from], i)
			}
		}
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	sorted := make([]node, 0, len(m.nodes))
	for ; len(ready) > 0; ready = ready[1:] {
		sorted = append(sorted, m.nodes[ready[0]])
		for _, to := range takers[ready[0]] {
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	if len(sorted) < len(m.nodes) {
		return errors.New("its operators wait for each other")
	}
	m.nodes = sorted
	return nil
}

// measured returns the dimensions of an input: those that are open are
// positions, then the side of the board.
func (in *input) measured(board, positions int64) []int64 {
	dims := make([]int64, len(in.dims))
	for i, d := range in.dims {
		switch {
		case d > 0:
			dims[i] = d
		case i == 0:
			dims[i] = positions
		default:
			dims[i] = board
		}
	}
	return dims
}

// run is the state of one measurement.
type run struct {
	values map[string]*value
	single map[string]*value // those of one position; nil: these are
	bytes  int64             // of all values
	space  int64             // of the largest workspace
	most   int64
}

// put names a value and counts it.
func (r *run) put(name string, v *value) error {
	if name == "" {
		return nil // an output that is not wanted
	}
	if r.values[name] != nil {
		return fmt.Errorf("the value %s is computed twice", excerpt(name))
	}
	r.values[name] = v
	return r.take(v.dims)
}

// take counts a tensor of these dimensions.
func (r *run) take(dims []int64) error {
	if len(dims) > mostRank {
		return fmt.Errorf("a value has more than %d dimensions", mostRank)
	}
	n, err := elements(dims)
	if err != nil {
		return err
	}
	if n > r.most/elementBytes {
		return errTooMuch
	}
	if r.bytes += n * elementBytes; r.bytes > r.most {
		return errTooMuch
	}
	return nil
}

// work counts a workspace of so many elements, which is freed again.
func (r *run) work(n int64) error {
	if n > r.most/elementBytes {
		return errTooMuch
	}
	r.space = max(r.space, n*elementBytes)
	return nil
}

// node infers what an operator puts out.
func (r *run) node(n *node) error {
	infer, ok := operators[n.op]
	if !ok {
		return fmt.Errorf("its operator %s is not among those that networks here may have", excerpt(n.op))
	}
	c := &call{node: n, run: r}
	for _, name := range n.inputs {
		v := r.values[name]
		if name != "" && v == nil {
			return fmt.Errorf("the input %s of %s is not there", excerpt(name), n.op)
		}
		c.in = append(c.in, v)
	}
	out, err := infer(c)
	if err == nil && len(out) < len(n.outputs) {
		err = fmt.Errorf("%d outputs", len(n.outputs))
	}
	if err != nil {
		if errors.Is(err, errTooMuch) {
			return err
		}
		return fmt.Errorf("its operator %s makes no sense: %w", n.op, err)
	}
	for i, name := range n.outputs {
		if err := r.put(name, out[i]); err != nil {
			return err
		}
	}
	return nil
}
