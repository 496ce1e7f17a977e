package game_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"pgregory.net/rapid"
)

// Openings are a function of their random numbers, of the length asked for, and
// every move is a candidate. They stop where they are refused or the game ends.
func TestDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plies, seed := rapid.IntRange(0, 9).Draw(t, "plies"), rapid.Uint64().Draw(t, "seed")
		most := rapid.IntRange(1, 10).Draw(t, "refused from")
		draw := func() ([]game.Move, bool, game.Position) {
			pos := gametest.NewMNK(3, 3, 3)
			d := game.Drawer{
				Candidates: func(pos game.Position, drawn, buf []game.Move) []game.Move {
					if len(drawn) != pos.Ply() {
						t.Fatalf("%d moves drawn in a game of %d", len(drawn), pos.Ply())
					}
					all := pos.Moves(buf)
					return all[:1+len(all)/2]
				},
				Refuse: func(pos game.Position) bool { return pos.Ply() >= most },
			}
			moves, open := d.Draw(pos, plies, nil, rand.New(rand.NewPCG(seed, 0)))
			return moves, open, pos
		}
		moves, open, pos := draw()
		if again, _, _ := draw(); !slices.Equal(again, moves) {
			t.Fatalf("%v, then %v", moves, again)
		}
		if len(moves) != pos.Ply() || len(moves) > most || open && len(moves) != plies {
			t.Fatalf("%d moves of %d, refused from %d", len(moves), plies, most)
		}
		if ended := pos.Outcome() != game.Undecided || len(moves) == most; open == ended {
			t.Fatalf("open %t after %v, %v", open, moves, pos.Outcome())
		}
		replay := gametest.NewMNK(3, 3, 3)
		for _, m := range moves {
			if all := replay.Moves(nil); !slices.Contains(all[:1+len(all)/2], m) {
				t.Fatalf("%v is no candidate", m)
			}
			replay.Play(m)
		}
	})
}

// Without candidates every legal move is drawn sooner or later, and behind what was
// drawn before.
func TestDrawFromAllMoves(t *testing.T) {
	seen := map[game.Move]bool{}
	for seed := range uint64(200) {
		var d game.Drawer
		moves, open := d.Draw(gametest.NewMNK(3, 3, 3), 2, []game.Move{7}, rand.New(rand.NewPCG(seed, 1)))
		if !open || len(moves) != 3 || moves[0] != 7 {
			t.Fatalf("%v, %t", moves, open)
		}
		seen[moves[1]] = true
	}
	if len(seen) != 9 {
		t.Errorf("%d of 9 first moves", len(seen))
	}
}

// Near is what its words say, on boards of any width.
func TestNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 8).Draw(t, "size")
		pos := gametest.NewMNK(size, size, size+1)
		var stones []game.Move
		for range rapid.IntRange(0, 5).Draw(t, "stones") {
			if m := game.Move(rapid.IntRange(0, size*size-1).Draw(t, "stone")); pos.Legal(m) {
				pos.Play(m)
				stones = append(stones, m)
			}
		}
		distance := rapid.IntRange(0, 3).Draw(t, "distance")
		var want []game.Move
		for _, m := range pos.Moves(nil) {
			near := len(stones) == 0 && apart(m, game.Move(size/2*size+size/2), size) <= distance
			for _, s := range stones {
				near = near || apart(m, s, size) <= distance
			}
			if near {
				want = append(want, m)
			}
		}
		if len(want) == 0 {
			want = pos.Moves(nil)
		}
		got := game.NearOnSquare(size, distance).Moves(pos, stones, []game.Move{99})
		if got[0] != 99 || !slices.Equal(got[1:], want) {
			t.Fatalf("%v, want 99 and %v", got, want)
		}
	})
}

// apart is the distance of two cells in columns or in rows, whichever is more.
func apart(a, b game.Move, size int) int {
	x, y := int(a)%size-int(b)%size, int(a)/size-int(b)/size
	return max(x, -x, y, -y)
}

// A centre between cells has as many of them on either side.
func TestCentreBetweenCells(t *testing.T) {
	n := game.Near{Columns: 4, Distance: 1, Centre: [2]int{3, 3}}
	if got := n.Moves(gametest.NewMNK(4, 4, 5), nil, nil); !slices.Equal(got, []game.Move{5, 6, 9, 10}) {
		t.Errorf("%v, want the four cells in the middle", got)
	}
}

// chosen says by the whole list what is chosen: the first within tolerance of the
// openings that can be tried, else the first of those nearest to 0; -1 if none is
// of use. Values that are no number say that an opening is of no use.
func chosen(values []float64, tolerance float64) int {
	for i, v := range values {
		if math.Abs(v) <= tolerance {
			return i
		}
	}
	best := -1
	for i, v := range values {
		if !math.IsNaN(v) && (best < 0 || math.Abs(v) < math.Abs(values[best])) {
			best = i
		}
	}
	return best
}

func TestBalanced(t *testing.T) {
	var b game.Balanced // for one choice after the other
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.SampledFrom([]float64{math.NaN(), 0, 1, -1, 0.5, -0.5}), rapid.Float64Range(-1, 1))
		values := rapid.SliceOfN(value, 0, 8).Draw(t, "values")
		b.Tolerance, b.Tries = rapid.SampledFrom([]float64{0, 0.1, 0.5, 1}).Draw(t, "tolerance"), len(values)
		b.Reset()
		want := chosen(values, b.Tolerance)
		moves, drawn := make([]game.Move, 0, 2), 0
		for {
			try, more := b.Next()
			if !more {
				break
			}
			if try != drawn {
				t.Fatalf("try %d, want %d", try, drawn)
			}
			moves = append(moves[:0], game.Move(try), 7) // the room of the one before
			if drawn++; rapid.Bool().Draw(t, "left out") && math.IsNaN(values[try]) {
				continue
			}
			b.Judge(moves, values[try])
		}
		got, found := b.Opening()
		if found != (want >= 0) || found && !slices.Equal(got, []game.Move{game.Move(want), 7}) || !found && len(got) != 0 {
			t.Fatalf("%v, %t, want opening %d of %v", got, found, want, values)
		}
		if enough := want >= 0 && math.Abs(values[want]) <= b.Tolerance; enough && drawn != want+1 || !enough &&
			drawn != len(values) {
			t.Fatalf("%d tries of %v to choose %d", drawn, values, want)
		}
	})
}
