package line

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
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
	codeRows     [maxCells]codeRows // of which the sums are
	quads        [mostSpots]uint32  // scratch
	whole        int32              // 2^20 / cells of the board
	rowLen       uint32             // of packed.rows, 2K

	acc  []int16 // [cell][side][K]
	sums []int16 // [region][side][K], of acc within 0..maxFeature; in sumsOf

	// Records bottom..top-1 lie at their numbers modulo remembered, with the former
	// values of acc at their spots, [record][spot][side][K]. The last of their steps has
	// number step; sumsOf has the sums after each step, at its number modulo remembered.
	bottom, top       int
	step              int
	records           [remembered]record
	spotsWere, sumsOf []int16

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
		acc:       make([]int16, size*size*both),
		spotsWere: make([]int16, remembered*mostSpots*both), sumsOf: make([]int16, remembered*regions*both),
	}
	a.take(0)
	a.scratch = newScratch(n, size)
	a.begin()
	return a
}

// Rebind makes the accumulator read another board of the same size and rules.
func (a *Accumulator) Rebind(b *pattern.Board) { a.board = b }

// begin computes everything for an empty board with the codes of this one; sync then adds
// the stones.
func (a *Accumulator) begin() {
	a.lines = a.geo.bare
	for d := range a.lines {
		t := &a.lines[d]
		for i := range t.rows {
			t.rows[i] = pair(t.behind[i], t.ahead[i]) * a.rowLen
		}
	}
	both, found := 2*a.net.channels, [mostSpots]codeRows{}
	for c := range a.cells {
		a.lookUp([]uint16{uint16(c)}, &found)
		a.codeRows[c] = found[0]
		var rows [pattern.Directions]uint32
		for d, start := range a.geo.neighbourhoods[c].starts {
			rows[d] = a.lines[d].rows[start+reach]
		}
		acc, sums := a.acc[c*both:][:both], a.sums[int(a.geo.region[c])*both:][:both]
		all := found[0].rows(rows[0], both)
		for _, row := range append(all[:], rows[1:]...) {
			for k, x := range a.net.packed.rows[row:][:both] {
				acc[k] += int16(x)
			}
		}
		for k, x := range acc {
			sums[k] += feature(x)
		}
	}
	a.sync()
	a.bottom = a.top
}

// lookUp looks up the rows of the codes of some cells.
func (a *Accumulator) lookUp(cells []uint16, rows *[mostSpots]codeRows) {
	quads, codes := a.quads[:len(cells)], a.codes
	a.board.Quads(cells, quads)
	for i, q := range quads {
		now := &rows[i]
		now[0], now[1] = codes[q&0xffff], codes[q>>16]
	}
}

// sync brings the sums up to date.
func (a *Accumulator) sync() {
	for a.goesBack() {
		a.takeBack()
	}
	b, first := a.board.Board(), a.top
	for y := range a.size {
		one, two := b.Row(game.First, y), b.Row(game.Second, y)
		changed := (one ^ a.syncedStones[0][y]) | (two ^ a.syncedStones[1][y])
		for ; changed != 0; changed &= changed - 1 {
			x := bits.TrailingZeros32(changed)
			was := content(a.syncedStones[0][y]>>x, a.syncedStones[1][y]>>x)
			a.change(cellChange{y*a.size + x, was, content(one>>x, two>>x)}, a.top-first+1)
		}
	}
}

// content returns the content of a cell as First sees it, from the lowest bits of its
// stones.
func content(first, second uint32) int { return int(first&1 | second&1<<1) }

// change gives a cell another content and updates the cells of its neighbourhood. It
// records the change as the last of so many in its step.
func (a *Accumulator) change(at cellChange, steps int) {
	r, around := a.record(a.top), &a.geo.neighbourhoods[at.cell]
	r.at, r.steps = at, steps
	if steps == 1 {
		sums := a.sums
		a.take(a.step + 1)
		copy(a.sums, sums)
	}
	a.kernels.turn(a.net, &a.lines, &around.starts, at.turn(), r)
	a.lookUp(around.cells[:around.count], &r.codesNow)
	a.kernels.update(a.net, a.acc, a.sums, a.spotsOf(a.top), &a.codeRows, around, r)
	a.stand(at)
	a.top++
	a.bottom = max(a.bottom, a.top-remembered+1)
}

// stand records the content of a cell.
func (a *Accumulator) stand(at cellChange) {
	x, y := at.cell%a.size, at.cell/a.size
	by := at.was ^ at.now
	a.syncedStones[0][y] ^= uint32(by&1) << x
	a.syncedStones[1][y] ^= uint32(by>>1) << x
	a.stones += min(at.now, 1) - min(at.was, 1)
}

// neighbourhood lists the cells whose features depend on a cell: those at most reach
// steps from it on its four lines.
type neighbourhood struct {
	// starts are the slots of the first cells of its windows, by direction. A window
	// has 2*reach+1 cells, with the cell in the middle and some perhaps beyond the edge.
	starts [pattern.Directions]uint16

	spots [mostSpots]spot // by regions of the board
	cells [mostSpots]uint16
	count int
}

// spot is a cell of a neighbourhood. window is direction*lanes plus its index in the
// window. region is the cell's region plus one if the next spot is in another region, else
// 0. The cell in the middle is a spot of every direction.
type spot struct {
	cell   uint16
	window uint8
	region uint8
}

const (
	mostSpots = pattern.Directions * (2*reach + 1)
	lanes     = 16 // of a window; five more than it needs
)

// geometry is what depends on the size of the board alone.
type geometry struct {
	neighbourhoods [maxCells]neighbourhood
	region         [maxCells]uint8
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

// gather lists the spots of a cell.
func (g *geometry) gather(size, c int) {
	a := &g.neighbourhoods[c]
	for r := range uint8(regions) {
		before := a.count
		for d, step := range steps {
			for i := -reach; i <= reach; i++ {
				x, y := c%size+i*step[0], c/size+i*step[1]
				if x >= 0 && x < size && y >= 0 && y < size && g.region[y*size+x] == r {
					cell := uint16(y*size + x)
					a.cells[a.count], a.spots[a.count] = cell, spot{cell: cell, window: uint8(d*lanes + reach + i)}
					a.count++
				}
			}
		}
		if a.count > before {
			a.spots[a.count-1].region = r + 1
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

// record is the change of one cell's content with the former values, to undo it. The
// former sums of the cells are in Accumulator.spotsWere.
type record struct {
	was, now [pattern.Directions * lanes]uint32 // rows of its windows
	codesNow [mostSpots]codeRows
	codesWas [mostSpots]codeRows
	at       cellChange
	steps    int // records since the accumulator was last up to date, with this one
}

// codeRows are the offsets of the rows of a cell's two codes in packed.rows, First's
// counted from First's first code, Second's from Second's.
type codeRows [2]uint32

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

// remembered is how many records an accumulator keeps, a power of two.
const remembered = 64

// goesBack reports whether the position before the last step is at least as close to the
// board as the one after it.
func (a *Accumulator) goesBack() bool {
	if a.top == a.bottom {
		return false
	}
	steps := a.record(a.top - 1).steps
	if a.top-steps < a.bottom {
		return false
	}
	b, nearer := a.board.Board(), 0
	for i := a.top - steps; i < a.top; i++ {
		at := a.record(i).at
		switch int(b.At(at.cell)) {
		case at.was:
			nearer++
		case at.now:
			nearer--
		}
	}
	return nearer >= 0
}

func (a *Accumulator) record(i int) *record { return &a.records[i&(remembered-1)] }

// spotsOf returns the former values of acc at the spots of a record.
func (a *Accumulator) spotsOf(i int) []int16 {
	room := mostSpots * int(a.rowLen)
	return a.spotsWere[i&(remembered-1)*room:][:room]
}

// take makes a step the last one.
func (a *Accumulator) take(step int) {
	room := regions * int(a.rowLen)
	a.step, a.sums = step, a.sumsOf[step&(remembered-1)*room:][:room]
}

// takeBack undoes the records of the last step.
func (a *Accumulator) takeBack() {
	first := a.top - a.record(a.top-1).steps
	for ; a.top > first; a.top-- {
		last := a.top - 1
		r := a.record(last)
		around := &a.geo.neighbourhoods[r.at.cell]
		a.kernels.turnBack(&a.lines, &around.starts, r.at.back().turn(), r)
		a.kernels.restore(a.net.channels, a.acc, a.spotsOf(last), &a.codeRows, around, r)
		a.stand(r.at.back())
	}
	a.take(a.step - 1)
}
