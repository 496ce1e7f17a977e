package nn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// side is the edge of the board that the tests of this package play on.
const side = 5

// newPosition returns a random position of the 5,5,4 game that is not over.
func newPosition(rng *rand.Rand) *gametest.MNK {
	for {
		pos := gametest.NewMNK(side, side, 4)
		for range rng.IntN(side*side - 5) {
			if moves := pos.Moves(nil); len(moves) > 0 {
				pos.Play(moves[rng.IntN(len(moves))])
			}
		}
		if pos.Outcome() == game.Undecided {
			return pos
		}
	}
}

func newPositions(seed uint64, n int) []game.Position {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := make([]game.Position, n)
	for i := range list {
		list[i] = newPosition(rng)
	}
	return list
}

// mnkEncoder shows own and opponent's stones, under the square's symmetries,
// and the number of plies.
type mnkEncoder struct {
	version string
	plain   bool // there is the identity alone
	keys    int  // calls of Key
}

func (e *mnkEncoder) Shape() Shape {
	return Shape{Planes: 2, Height: side, Width: side, Globals: 1, Actions: side * side}
}
func (e *mnkEncoder) Version() string { return "mnk-1" + e.version }
func (e *mnkEncoder) Clone() Encoder  { return e }

func (e *mnkEncoder) Symmetries() int {
	if e.plain {
		return 1
	}
	return 8
}

func (e *mnkEncoder) Key(pos game.Position) Key {
	e.keys++
	return Key{pos.Hash(), ^pos.Hash()}
}

func (e *mnkEncoder) Action(_ game.Position, m game.Move, sym int) int {
	x, y := int(m)%side, int(m)/side
	if sym >= 4 {
		x, y = y, x
	}
	for range sym % 4 {
		x, y = side-1-y, x
	}
	return y*side + x
}

func (e *mnkEncoder) Encode(pos game.Position, sym int, planes, globals []float32) {
	p := pos.(*gametest.MNK)
	clear(planes)
	for i, s := range []game.Side{p.ToMove(), p.ToMove().Other()} {
		for cell := range side * side {
			if p.Stones(s)>>cell&1 == 1 {
				planes[i*side*side+e.Action(pos, game.Move(cell), sym)] = 1
			}
		}
	}
	globals[0] = float32(p.Ply())
}

// fakeNet is a network over mnkEncoder's inputs. Its policy is either local,
// and then equivariant under symmetries, or a mix of the whole row.
type fakeNet struct {
	id     uint64
	local  bool
	poison func(b *Batch)            // spoils outputs
	before func(ctx context.Context) // runs at the start of Forward
	closed func() error              // answers Close
	check  func(enc Encoder) error   // answers Check
	rows   func(n int)               // told the size of every batch
}

func (f *fakeNet) Name() string { return fmt.Sprintf("fake-%d", f.id) }
func (f *fakeNet) ID() uint64   { return f.id }

func (f *fakeNet) Planes() string { return (&mnkEncoder{}).Version() }

func (f *fakeNet) Check(enc Encoder) error {
	if f.check != nil {
		return f.check(enc)
	}
	return nil
}

func (f *fakeNet) Close() error {
	if f.closed != nil {
		return f.closed()
	}
	return nil
}

func (f *fakeNet) Forward(ctx context.Context, b *Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.before != nil {
		f.before(ctx)
	}
	if f.rows != nil {
		f.rows(b.Len())
	}
	for i := range b.Len() {
		f.row(b.Planes(i), b.Globals(i), b.Policy(i), b.Value(i))
	}
	if f.poison != nil {
		f.poison(b)
	}
	return nil
}

func (f *fakeNet) row(planes, globals, policy, value []float32) {
	h := chain(f.id, uint64(math.Float32bits(globals[0])))
	if f.local {
		for c := range policy {
			policy[c] = 8 * unit(chain(h, uint64(planes[c]+2*planes[c+side*side])))
		}
	} else {
		for c, v := range planes {
			if v != 0 {
				h = chain(h, uint64(c))
			}
		}
		for c := range policy {
			policy[c] = 16*unit(chain(h, uint64(c))) - 8
		}
	}
	for i := range value {
		value[i] = 4 * unit(chain(h, uint64(1000+i)))
	}
}

// answer is an evaluator's result for one position, in memory of its own.
type answer struct {
	moves  []game.Move
	result Result
}

// evaluate asks for all positions and waits for all whenever the evaluator is
// full.
func evaluate(t testing.TB, e Evaluator, positions []game.Position) []answer {
	t.Helper()
	answers := make([]answer, len(positions))
	waiting := 0
	for i, pos := range positions {
		a := &answers[i]
		a.moves = pos.Moves(nil)
		a.result.Priors = make([]float32, len(a.moves))
		if !e.Add(pos, e.Tag(pos), a.moves, &a.result) {
			waiting++
		}
		if waiting == e.Capacity() || i == len(positions)-1 {
			if err := e.Wait(t.Context(), All); err != nil {
				t.Fatal(err)
			}
			waiting = 0
		}
	}
	return answers
}

// sameBits reports whether two answers are equal bit for bit.
func sameBits(a, b Result) bool {
	if a.Win != b.Win || a.Draw != b.Draw || a.Loss != b.Loss || len(a.Priors) != len(b.Priors) {
		return false
	}
	for i := range a.Priors {
		if math.Float32bits(a.Priors[i]) != math.Float32bits(b.Priors[i]) {
			return false
		}
	}
	return true
}

func checkSame(t testing.TB, what string, got, want []answer) {
	t.Helper()
	for i := range want {
		if !sameBits(got[i].result, want[i].result) {
			t.Fatalf("%s: position %d: got %+v, want %+v", what, i, got[i].result, want[i].result)
		}
	}
}

func newBatcher(t testing.TB, net BatchNetwork, opts BatcherOptions) *Batcher {
	t.Helper()
	return newBatcherWith(t, net, &mnkEncoder{}, opts)
}

func newBatcherWith(t testing.TB, net BatchNetwork, enc Encoder, opts BatcherOptions) *Batcher {
	t.Helper()
	b, err := NewBatcher(net, enc, opts)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ask adds one position and returns where its answer will be.
func ask(e Evaluator, pos game.Position) *Result {
	moves := pos.Moves(nil)
	out := &Result{Priors: make([]float32, len(moves))}
	e.Add(pos, e.Tag(pos), moves, out)
	return out
}
