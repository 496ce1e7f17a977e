package gomoku

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

// newHistoryFor returns the encoder with history for b.
func newHistoryFor(t tester, b *gomoku.Board) *HistoryEncoder {
	t.Helper()
	h, err := NewHistory(b.Rules(), b.Size())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// capturedLately reports whether one of the last moves that the planes show took stones.
func capturedLately(b *gomoku.Board) bool {
	c, now := b.Copy(), b.Captured(game.First)+b.Captured(game.Second)
	for range min(Earlier, len(b.History())) {
		c.Undo()
	}
	return c.Captured(game.First)+c.Captured(game.Second) != now
}

// cellsOf returns the stones of both sides as they stand on b.
func cellsOf(b *gomoku.Board) (cells [2][]float32) {
	for side := range cells {
		cells[side] = make([]float32, b.Size()*b.Size())
		for c := range cells[side] {
			cells[side][c] = truth(b.At(c) == gomoku.StoneOf(game.Side(side)))
		}
	}
	return cells
}

// Along games of every rule set, from the empty board and from setups, with moves that are
// taken back, the encoder shows what the encoder without history shows, and the boards that
// were seen up to three moves before; boards that nobody has seen are empty. It does so for
// both kinds of boards, under all symmetries.
func TestHistoryShowsTheBoardsBefore(t *testing.T) {
	captured := 0
	rapid.Check(t, func(t *rapid.T) {
		rules := rulesOf(t, rapid.SampledFrom(gomoku.Names()).Draw(t, "rule"))
		size := rapid.IntRange(5, gomoku.MaxSize).Draw(t, "size")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := newBoard(t, rules, size)
		if rapid.Bool().Draw(t, "setup") {
			if s := clutter(rng, rules, size); s != nil && s.Outcome() == game.Undecided {
				b = s
			}
		}
		h, plain, p := newHistoryFor(t, b), newEncoderFor(t, b), pattern.FromBoard(b)
		seen := [][2][]float32{cellsOf(b)}
		for range 40 {
			if len(seen) > 1 && rng.IntN(5) == 0 {
				b.Undo()
				p.Undo()
				seen = seen[:len(seen)-1]
			} else if playNear(rng, b) {
				p.Play(b.Last())
				seen = append(seen, cellsOf(b))
			}
			if b.Rules().Captures && capturedLately(b) {
				captured++
			}
			sym, n := rng.IntN(8), size*size
			want := encode(plain, b, sym)
			for k := 1; k <= Earlier; k++ {
				for _, side := range []game.Side{b.ToMove(), b.ToMove().Other()} {
					plane := make([]float32, n)
					for c := range plane {
						if at := len(seen) - 1 - k; at >= 0 {
							plane[gomoku.Transform(size, sym, c)] = seen[at][side][c]
						}
					}
					want.planes = append(want.planes, plane...)
				}
			}
			if !encode(h, b, sym).equal(want) || !encode(h, p, sym).equal(want) {
				t.Fatalf("after %d moves, under symmetry %d, these are not the boards before\n%v", len(seen)-1, sym, b)
			}
			if h.Key(b) != h.Key(p) {
				t.Fatal("the key depends on the kind of board")
			}
		}
	})
	if captured == 0 {
		t.Error("no stone was captured")
	}
}

// For one side to move, keys are equal exactly if planes, globals and legal moves are:
// among positions of the same few stones in all orders, set up and played, with captures
// and without.
func TestHistoryKeyCoversTheInput(t *testing.T) {
	orders := 0
	rapid.Check(t, func(t *rapid.T) {
		rules := rulesOf(t, rapid.SampledFrom([]string{"caro", "renju", "school42"}).Draw(t, "rule"))
		size := rapid.IntRange(5, 7).Draw(t, "size")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		boards := []*gomoku.Board{newBoard(t, rules, size)}
		for range 3 {
			b := playout(t, rng, rules, size, rng.IntN(8))
			boards = append(boards, b, turn(t, b, 0), changed(t, rng, b))
			for range 4 {
				if other := reordered(t, rng, b); other != nil {
					boards = append(boards, other)
				}
			}
		}
		h := newHistoryFor(t, boards[0])
		for _, a := range boards {
			for _, b := range boards {
				same := a.ToMove() == b.ToMove() && encode(h, a, 0).equal(encode(h, b, 0)) &&
					slices.Equal(a.Moves(nil), b.Moves(nil))
				if got := h.Key(a) == h.Key(b); got != same {
					t.Fatalf("equal keys: %v, equal inputs: %v\n%v%v", got, same, a, b)
				}
				if a.Key() == b.Key() && !same {
					orders++
				}
			}
		}
	})
	if orders == 0 {
		t.Error("no position was reached in two orders")
	}
}

// reordered plays each side's moves of b in another order, nil if that is no game.
func reordered(t tester, rng *rand.Rand, b *gomoku.Board) *gomoku.Board {
	t.Helper()
	moves := b.History()
	for side := range 2 {
		for i := side; i < len(moves); i += 2 {
			j := side + 2*rng.IntN((len(moves)-side+1)/2)
			moves[i], moves[j] = moves[j], moves[i]
		}
	}
	to := newBoard(t, b.Rules(), b.Size())
	for _, m := range moves {
		if !to.Legal(m) {
			return nil
		}
		to.Play(m)
	}
	return to
}

// twoOrders returns a position of caro twice, reached by different last moves.
func twoOrders(t tester) (a, b *gomoku.Board) {
	t.Helper()
	var boards [2]*gomoku.Board
	for i, text := range []string{"e5d4f6c3g7", "g7c3e5d4f6"} {
		var err error
		if boards[i], err = gomoku.ParsePosition(rulesOf(t, "caro"), 9, text); err != nil {
			t.Fatal(err)
		}
	}
	return boards[0], boards[1]
}

// lastMove is a network whose value says whether the opponent's stone on a cell was there
// before its last move.
type lastMove struct{ cell int }

func (l lastMove) Name() string           { return "last move" }
func (l lastMove) ID() uint64             { return 1 }
func (l lastMove) Planes() string         { return HistoryVersion }
func (l lastMove) Check(nn.Encoder) error { return nil }

func (l lastMove) Forward(_ context.Context, b *nn.Batch) error {
	for row := range b.Len() {
		clear(b.Policy(row))
		clear(b.Value(row))
		b.Value(row)[0] = b.Planes(row)[(Planes+1)*len(b.Policy(row))+l.cell]
	}
	return nil
}

// A position that was reached in two orders gets the answer that belongs to each, from a
// cache too, and never that of the other.
func TestCachesTellOrdersApart(t *testing.T) {
	one, two := twoOrders(t)
	if one.Key() != two.Key() || newEncoderFor(t, one).Key(one) != newEncoderFor(t, two).Key(two) {
		t.Fatal("these are two positions")
	}
	batcher, err := nn.NewBatcher(lastMove{cell: 5*9 + 5}, newHistoryFor(t, one), nn.BatcherOptions{Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	cache := nn.NewCache(batcher, nn.NewCacheTable(1<<20, 81))
	ask := func(pos game.Position) float32 {
		moves := pos.Moves(nil)
		r := nn.Result{Priors: make([]float32, len(moves))}
		if !cache.Add(pos, cache.Tag(pos), moves, &r) {
			if err := cache.Wait(t.Context(), nn.All); err != nil {
				t.Fatal(err)
			}
		}
		return r.Win
	}
	first, second := ask(one), ask(two)
	if first == second {
		t.Errorf("both orders are worth %v", first)
	}
	if again := ask(one); again != first || cache.Stats().Hits != 1 || cache.Stats().Evals != 2 {
		t.Errorf("the first order is worth %v, then %v; %+v", first, again, cache.Stats())
	}
}
