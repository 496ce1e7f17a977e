package line

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

// Evaluator implements [nn.Instant] with a line network. It uses no symmetries.
type Evaluator struct {
	net   *Network
	enc   nn.Encoder     // whose keys tell positions apart
	board *pattern.Board // copy of the last plain board
	acc   *Accumulator
	bits  []int32
	stats nn.Stats

	capacity    int     // returned by Capacity; nothing ever waits
	temperature float32 // divides the policy's logits
}

var _ nn.Instant = (*Evaluator)(nil)

// NewEvaluator returns an evaluator of boards of one rule set and size. enc encodes such
// boards and belongs to the Evaluator from now on. The options' temperature divides the
// policy's logits; the network's own temperature is ignored. It fails where pattern.New
// does.
func NewEvaluator(n *Network, r gomoku.Rules, size int, enc nn.Encoder, o nn.EvaluatorOptions) (*Evaluator, error) {
	board, err := pattern.New(r, size)
	if err != nil {
		return nil, fmt.Errorf("line network: %w", err)
	}
	return &Evaluator{
		net: n, enc: enc, board: board, acc: NewAccumulator(n, board), bits: make([]int32, size*size),
		capacity: cmp.Or(o.Capacity, nn.DefaultCapacity), temperature: cmp.Or(o.Temperature, 1),
	}, nil
}

// Tag implements [nn.Evaluator].
func (e *Evaluator) Tag(pos game.Position) nn.Tag {
	return nn.Tag{Key: e.enc.Key(pos), Source: e.net.id ^ uint64(math.Float32bits(e.temperature))}
}

// Add implements [nn.Evaluator]; it answers at once.
func (e *Evaluator) Add(pos game.Position, _ nn.Tag, moves []game.Move, out *nn.Result) bool {
	chances := e.chances(pos)
	out.Win, out.Draw, out.Loss = chances[0], chances[1], chances[2]
	e.priors(moves, out.Priors)
	return true
}

// Value implements [nn.Instant].
func (e *Evaluator) Value(pos game.Position) float32 {
	chances := e.chances(pos)
	return chances[0] - chances[2]
}

// Priors implements [nn.Instant].
func (e *Evaluator) Priors(pos game.Position, moves []game.Move, priors []float32) {
	e.setPosition(pos)
	e.priors(moves, priors)
}

// chances makes the accumulator follow pos and returns its probabilities of win, draw and
// loss.
func (e *Evaluator) chances(pos game.Position) (chances [outcomes]float32) {
	e.setPosition(pos)
	e.stats.Evals++
	for i, v := range e.acc.Value() {
		chances[i] = float32(v) * (1.0 / (1 << ValueBits))
	}
	nn.Softmax(chances[:], 1) // sums of integers are finite, and so are these
	return chances
}

// priors fills in the policy of the accumulator's position.
func (e *Evaluator) priors(moves []game.Move, priors []float32) {
	e.acc.PolicyAt(moves, e.bits)
	for i, bits := range e.bits[:len(moves)] {
		priors[i] = float32(bits) * (1.0 / (1 << nn.PolicyBits))
	}
	nn.Softmax(priors[:len(moves)], 1/e.temperature)
}

// setPosition makes the accumulator follow a position.
func (e *Evaluator) setPosition(pos game.Position) {
	switch pos := pos.(type) {
	case *pattern.Board:
		e.acc.Rebind(pos)
	case *gomoku.Board:
		e.board.CopyFrom(pos)
		e.acc.Rebind(e.board)
	default:
		panic(fmt.Sprintf("line: %T is not a board of gomoku", pos))
	}
}

// Wait implements [nn.Evaluator]; there is nothing to wait for.
func (e *Evaluator) Wait(ctx context.Context, _ int) error { return ctx.Err() }

// Capacity implements [nn.Evaluator].
func (e *Evaluator) Capacity() int { return e.capacity }

// Stats implements [nn.Evaluator].
func (e *Evaluator) Stats() nn.Stats { return e.stats }

// Accumulator keeps the features of one board up to date: for each cell and side the sum
// of the rows of its four lines and of its codes, and the sums of the features over the
// regions of the board. It is updated when it is asked, by the difference to the position
// of the last question, so that moves and undoing them cost nothing by themselves. It
// records the last changes and restores them when their stones are gone again. The sums
// are integers and always equal those computed from scratch. It belongs to one goroutine.
type Accumulator struct {
	net     *Network
	board   *pattern.Board
	kernels *kernels
	geo     *geometry
	codes   *codeTable

	size, cells  int
	stones       int
	syncedStones [2][gomoku.MaxSize]uint32 // the stones that the sums are of
	lines        lines
	whole        int32  // 2^20 / cells of the board
	rowLen       uint32 // of packed.rows, 2K

	acc  []int16 // [cell][side][K]
	sums []int16 // [region][side][K], of acc within 0..maxFeature; in sumsOf

	// Steps led to the board from a position before which nothing is known. turns are the
	// changes of all steps, were the former values of acc at their cells, [cell][side][K],
	// and sumsOf the sums before and after each step.
	steps        []step
	turns        []turned
	were, sumsOf []int16

	scratch scratch
}

const (
	maxSize  = gomoku.MaxSize
	maxCells = maxSize * maxSize
)

// NewAccumulator returns an accumulator that follows a board.
func NewAccumulator(n *Network, b *pattern.Board) *Accumulator {
	return newAccumulator(n, b, fastest())
}

func newAccumulator(n *Network, b *pattern.Board, k *kernels) *Accumulator {
	size, both := b.Board().Size(), 2*n.channels
	a := &Accumulator{
		net: n, board: b, kernels: k, geo: geometries[size](), codes: codeTables[n.channels/16](), size: size,
		cells: size * size,
		whole: int32(1 << 20 / (size * size)), rowLen: uint32(both),
		acc:   make([]int16, size*size*both),
		steps: make([]step, 0, remembered),
		were:  make([]int16, 0, remembered*mostSpots*both), sumsOf: make([]int16, (remembered+1)*regions*both),
	}
	a.scratch = newScratch(n, size)
	a.begin()
	return a
}

// Rebind makes the accumulator read another board of the same size and rules.
func (a *Accumulator) Rebind(b *pattern.Board) { a.board = b }

// begin computes everything.
func (a *Accumulator) begin() {
	a.lines = a.geo.bare
	for d := range a.lines {
		t := &a.lines[d]
		for i := range t.rows {
			t.rows[i] = pair(t.behind[i], t.ahead[i]) * a.rowLen
		}
	}
	a.sums = a.sumsOf[:regions*int(a.rowLen)]
	all := pattern.Set{}
	for c := range a.cells {
		all.Add(c)
	}
	a.advance(all)
	a.forget()
}

// sync brings the sums up to date.
func (a *Accumulator) sync() {
	for a.goesBack() {
		a.takeBack()
	}
	a.advance(pattern.Set{})
}

// advance makes a step to the board, in which cells and those around the stones that differ
// change.
func (a *Accumulator) advance(cells pattern.Set) {
	if len(a.steps) == cap(a.steps) || cap(a.were)-len(a.were) < len(a.acc) {
		a.forget()
	}
	b, first := a.board.Board(), len(a.turns)
	for y := range a.size {
		one, two := b.Row(game.First, y), b.Row(game.Second, y)
		changed := (one ^ a.syncedStones[0][y]) | (two ^ a.syncedStones[1][y])
		for ; changed != 0; changed &= changed - 1 {
			x := bits.TrailingZeros32(changed)
			was := content(a.syncedStones[0][y]>>x, a.syncedStones[1][y]>>x)
			at := cellChange{y*a.size + x, was, content(one>>x, two>>x)}
			a.turn(at)
			cells = cells.Or(&a.geo.neighbourhoods[at.cell].cells)
		}
	}
	if cells.Empty() {
		return
	}
	a.steps = append(a.steps, step{cells, len(a.turns) - first})
	from, to, before := len(a.were), len(a.were)+cells.Len()*int(a.rowLen), a.sums
	a.were, a.sums = a.were[:to], a.sumsOf[len(a.steps)*len(before):][:len(before)]
	copy(a.sums, before)
	a.kernels.update(a, &a.steps[len(a.steps)-1].cells, a.were[from:])
}

// forget makes the board's position the one before which nothing is known.
func (a *Accumulator) forget() {
	copy(a.sumsOf, a.sums)
	a.sums = a.sumsOf[:len(a.sums)]
	a.steps, a.turns, a.were = a.steps[:0], a.turns[:0], a.were[:0]
}

// content returns the content of a cell as First sees it, from the lowest bits of its
// stones.
func content(first, second uint32) int { return int(first&1 | second&1<<1) }

// turn gives a cell another content.
func (a *Accumulator) turn(at cellChange) {
	n := len(a.turns)
	a.turns = slices.Grow(a.turns, 1)[:n+1]
	a.turns[n].at = at
	a.kernels.turn(a.net, &a.lines, &a.geo.neighbourhoods[at.cell].starts, at.turn(), &a.turns[n].was)
	a.stand(at)
}

// stand records the content of a cell.
func (a *Accumulator) stand(at cellChange) {
	x, y := at.cell%a.size, at.cell/a.size
	by := at.was ^ at.now
	a.syncedStones[0][y] ^= uint32(by&1) << x
	a.syncedStones[1][y] ^= uint32(by>>1) << x
	a.stones += min(at.now, 1) - min(at.was, 1)
}

// neighbourhood tells which cells' features depend on a cell: those at most reach steps
// from it on its four lines.
type neighbourhood struct {
	// starts are the slots of the first cells of its windows, by direction. A window
	// has 2*reach+1 cells, with the cell in the middle and some perhaps beyond the edge.
	starts [pattern.Directions]uint16

	cells pattern.Set
}

// spot tells where the rows of a cell's four lines are, as indices of numbers in lines.
type spot [pattern.Directions]uint32

const (
	mostSpots = pattern.Directions * (2*reach + 1) // at least the cells of a neighbourhood
	lanes     = 16                                 // of a window; five more than it needs
)

// geometry is what depends on the size of the board alone.
type geometry struct {
	spots          [maxCells]spot
	region         [maxCells]uint8
	neighbourhoods [maxCells]neighbourhood
	share          [regions]int32 // 2^20 / cells of the region
	bare           lines          // of the empty board, its rows not filled in
}

// geometries has the geometry of every size, computed at the first call.
var geometries = func() (all [gomoku.MaxSize + 1]func() *geometry) {
	for size := range all {
		all[size] = sync.OnceValue(func() *geometry { return newGeometry(size) })
	}
	return all
}()

func newGeometry(size int) *geometry {
	g := new(geometry)
	var count [regions]int
	for c := range size * size {
		r := 3*(3*(c/size)/size) + 3*(c%size)/size
		g.region[c] = uint8(r)
		count[r]++
	}
	for r, cells := range count {
		g.share[r] = int32(1 << 20 / cells)
	}
	for d := range steps {
		g.layOut(size, d)
	}
	for c := range size * size {
		g.gather(size, c)
	}
	return g
}

// steps are those from a cell to the next one of a line, by direction.
var steps = [pattern.Directions][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}

// layOut numbers the slots of a direction.
func (g *geometry) layOut(size, d int) {
	t, next, step := &g.bare[d], reach, steps[d]
	for c := range size * size {
		x, y := c%size, c/size
		if before := x - step[0]; before >= 0 && before < size && y >= step[1] {
			continue // not the first of its line
		}
		first := next
		for ; x >= 0 && x < size && y < size; x, y = x+step[0], y+step[1] {
			g.neighbourhoods[y*size+x].starts[d] = uint16(next - reach)
			next++
		}
		for i := first; i < next; i++ {
			t.behind[i], t.ahead[i] = bare(i-first), bare(next-1-i)
		}
		next += reach
	}
}

// gather finds what lies around a cell.
func (g *geometry) gather(size, c int) {
	around := &g.neighbourhoods[c]
	for d, step := range steps {
		g.spots[c][d] = uint32(d*trackLen+rowsAt) + uint32(around.starts[d]) + reach
		for i := -reach; i <= reach; i++ {
			x, y := c%size+i*step[0], c/size+i*step[1]
			if x >= 0 && x < size && y >= 0 && y < size {
				around.cells.Add(y*size + x)
			}
		}
	}
}

// lines keeps the lines of all cells, by direction.
type lines [pattern.Directions]track

// track keeps the lines of one direction as First sees them, by slot. Slots number the
// cells so that those of a line are consecutive, with reach unused slots between two
// lines.
type track struct {
	behind, ahead [maxSlots]uint32 // numbers of the arms
	middle        [maxSlots]uint32 // the content in the middle times pairCount
	rows          [maxSlots]uint32 // offset of the line's row in packed.rows
}

// maxSlots has room for the slots of any board size, and for what kernels read beyond.
const maxSlots = maxCells + 2*(maxSize+1)*reach + lanes

// Where the rows are in a track, and how many numbers it has.
const (
	rowsAt   = 3 * maxSlots
	trackLen = 4 * maxSlots
)

// step is a change of the board: of so many of the last turns, and of the features of cells.
type step struct {
	cells pattern.Set
	turns int
}

// turned is the change of one cell's content, with the rows of its windows from before.
type turned struct {
	was windowRows
	at  cellChange
}

// windowRows are the rows of the lines in the windows of a cell, in packed.rows.
type windowRows [pattern.Directions * lanes]uint32

// cellChange is a change of a cell's content, as First sees it.
type cellChange struct{ cell, was, now int }

// turn is by how much the numbers of the lines in a window change when the content in its
// middle changes.
type turn struct{ ahead, behind, middle [lanes]uint32 }

// turns holds the turn for each difference of contents, from -2 on.
var turns = func() (all [2*contents - 1]turn) {
	for i := range all {
		t, by := &all[i], uint32(i)-(contents-1)
		for far, power := range powers {
			t.ahead[reach-1-far], t.behind[reach+1+far] = by*power, by*power
		}
		t.middle[reach] = by * pairCount
	}
	return all
}()

// turn returns what the lines change by.
func (c cellChange) turn() *turn { return &turns[c.now-c.was+contents-1] }

// back returns the change that undoes c.
func (c cellChange) back() cellChange { return cellChange{c.cell, c.now, c.was} }

// remembered is how many steps an accumulator can take back, if they are as small as those of
// single moves.
const remembered = 64

// goesBack reports whether the position before the last step is at least as close to the
// board as the one after it.
func (a *Accumulator) goesBack() bool {
	last := len(a.steps) - 1
	if last < 0 {
		return false
	}
	b, nearer := a.board.Board(), 0
	for i := len(a.turns) - a.steps[last].turns; i < len(a.turns); i++ {
		at := &a.turns[i].at
		switch int(b.At(at.cell)) {
		case at.was:
			nearer++
		case at.now:
			nearer--
		}
	}
	return nearer >= 0
}

// takeBack undoes the last step.
func (a *Accumulator) takeBack() {
	last := len(a.steps) - 1
	s := &a.steps[last]
	for ; s.turns > 0; s.turns-- {
		t := &a.turns[len(a.turns)-1]
		a.kernels.turnBack(&a.lines, &a.geo.neighbourhoods[t.at.cell].starts, t.at.back().turn(), &t.was)
		a.stand(t.at.back())
		a.turns = a.turns[:len(a.turns)-1]
	}
	from := len(a.were) - s.cells.Len()*int(a.rowLen)
	a.kernels.restore(a.net.channels, a.acc, a.were[from:], &s.cells)
	a.were, a.steps = a.were[:from], a.steps[:last]
	a.sums = a.sumsOf[last*len(a.sums):][:len(a.sums)]
}
