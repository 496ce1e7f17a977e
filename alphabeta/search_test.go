package alphabeta_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// solved are toy games whose value brute force finds in no time.
var solved = [][3]int{{3, 3, 3}, {4, 3, 3}, {3, 4, 3}, {1, 5, 1}, {2, 2, 2}}

// known are larger ones; the long tests find the same by brute force.
var known = map[[3]int]alphabeta.Score{
	{5, 3, 3}: alphabeta.WinIn(7),
	{4, 4, 3}: alphabeta.WinIn(5),
	{4, 4, 4}: 0,
}

// long runs the tests that take longer: go test -long.
var long = flag.Bool("long", false, "run the long tests")

// exactly returns the score that brute force gives pos.
func exactly(pos game.Position) alphabeta.Score {
	switch value, plies := gametest.MinimaxPlies(pos); value {
	case 1:
		return alphabeta.WinIn(plies)
	case -1:
		return alphabeta.LossIn(plies)
	}
	return 0
}

// Solved games have their exact value and distance with every sound technique
// and without any.
func TestSolvedGames(t *testing.T) {
	for _, shape := range solved {
		pos := gametest.NewMNK(shape[0], shape[1], shape[2])
		want := exactly(pos)
		for name, o := range off() {
			if pos.MaxMoves() >= 12 && o.TableMiB < 0 {
				continue // too long without a table
			}
			t.Run(fmt.Sprint(shape, name), func(t *testing.T) {
				r := search(t, alphabeta.Plain{}, o.Exhaustive(), pos, alphabeta.Limits{Depth: pos.MaxMoves()})
				if r.Score != want {
					t.Errorf("%v, want %v", r.Score, want)
				}
			})
		}
	}
}

func TestKnownGames(t *testing.T) {
	for shape, want := range known {
		pos := gametest.NewMNK(shape[0], shape[1], shape[2])
		if *long {
			if got := exactly(pos); got != want {
				t.Errorf("%v: brute force finds %v, want %v", shape, got, want)
			}
		}
		r := search(t, alphabeta.Plain{}, alphabeta.Options{}.Exhaustive(), pos, alphabeta.Limits{Depth: pos.MaxMoves()})
		if r.Score != want {
			t.Errorf("%v: %v, want %v", shape, r.Score, want)
		}
	}
}

// So they have in every position after a few moves, whatever the knowledge
// that orders moves, and with a line that ends the game when it is decided.
func TestSolvedPositions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		shape := rapid.SampledFrom(solved[:3]).Draw(rt, "shape")
		pos := gametest.NewMNK(shape[0], shape[1], shape[2])
		for range rapid.IntRange(min(4, pos.MaxMoves()-1), pos.MaxMoves()-1).Draw(rt, "plies") {
			pos.Play(rapid.SampledFrom(pos.Moves(nil)).Draw(rt, "move"))
			if pos.Outcome() != game.Undecided {
				pos.Undo()
				break
			}
		}
		g := rough{seed: rapid.Uint64().Draw(rt, "seed")}
		r := search(t, g, alphabeta.Options{}.Exhaustive(), pos, alphabeta.Limits{})
		if want := exactly(pos); r.Score != want {
			rt.Fatalf("%v, want %v", r.Score, want)
		}
		if plies, ok := r.Score.Claim(); ok && plies < len(r.Lines[0].Moves) {
			rt.Fatalf("%v by %v", r.Score, r.Lines[0].Moves)
		}
	})
}

// To a fixed depth an exhaustive search has the value of plain minimax with
// the same evaluation, quiescence and endgames, with or without each sound technique.
func TestFixedDepthEqualsMinimax(t *testing.T) {
	options := off()
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		var pos game.Position = newTree(seed)
		depth := rapid.IntRange(1, 6).Draw(rt, "depth")
		if rapid.Bool().Draw(rt, "board") {
			// Transpositions meet at equal depths here, so that the table changes nothing.
			pos, depth = gametest.NewMNK(4, 3, 3), min(depth, 4)
		}
		g := rough{seed: seed, quiesce: rapid.Bool().Draw(rt, "quiescence"),
			knows: rapid.SampledFrom([]int{0, 9, 40}).Draw(rt, "knows")}
		want := oracle(t, g, pos, depth)
		for name, o := range options {
			r := search(t, g, o.Exhaustive(), pos, alphabeta.Limits{Depth: depth})
			if r.Score != want && !early(r, depth) {
				rt.Fatalf("%s: %v at depth %d, want %v", name, r.Score, depth, want)
			}
		}
	})
}

// early reports whether a search ended before the depth because of a claim
// that holds at every greater depth as well.
func early(r alphabeta.Result, depth int) bool {
	plies, ok := r.Score.Claim()
	return ok && r.Depth < depth && plies <= r.Depth
}

// Every line of several has the value of its move, and they are the best.
func TestLines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		depth := rapid.IntRange(1, 5).Draw(rt, "depth")
		pos := newTree(seed)
		g := rough{seed: seed, quiesce: true}
		n := len(pos.Moves(nil))
		width := rapid.IntRange(1, n+1).Draw(rt, "lines")
		r := search(t, g, alphabeta.Options{}.Exhaustive(), pos, alphabeta.Limits{Depth: depth, Lines: width})
		if len(r.Lines) != min(n, width) {
			rt.Fatalf("%d lines of %d moves, want %d", len(r.Lines), n, width)
		}
		if r.Depth < depth {
			return
		}
		listed := map[game.Move]bool{}
		value := func(m game.Move) alphabeta.Score {
			parts, _ := g.Bind(pos.Clone())
			parts.Position.Play(m)
			return -minimax(&parts, depth-1, 1)
		}
		for _, l := range r.Lines {
			listed[l.Moves[0]] = true
			if want := value(l.Moves[0]); l.Score != want || l.Depth != depth {
				rt.Fatalf("move %d: %v at depth %d, want %v at %d", l.Moves[0], l.Score, l.Depth, want, depth)
			}
		}
		worst := r.Lines[len(r.Lines)-1].Score
		for _, m := range pos.Moves(nil) {
			if v := value(m); !listed[m] && v > worst {
				rt.Fatalf("move %d is worth %v and not among the lines %v", m, v, r.Lines)
			}
		}
	})
}

// Selective searches give legal lines whatever the game, and never miss or
// invent a win in one move.
func TestSelectiveSearchIsLegal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		var pos game.Position = newTree(seed)
		if rapid.Bool().Draw(rt, "board") {
			pos = gametest.NewMNK(5, 5, 4)
			for range rapid.IntRange(0, 6).Draw(rt, "plies") {
				pos.Play(rapid.SampledFrom(pos.Moves(nil)).Draw(rt, "move"))
				if pos.Outcome() != game.Undecided {
					pos.Undo()
				}
			}
		}
		g := rough{seed: seed, quiesce: rapid.Bool().Draw(rt, "quiescence"), margin: 20, extend: true}
		r := search(t, g, alphabeta.Options{}, pos,
			alphabeta.Limits{Depth: 12, Nodes: 5000, Lines: rapid.IntRange(0, 3).Draw(rt, "lines")})
		if wins := pos.Wins(nil); (len(wins) > 0) != (r.Score == alphabeta.WinIn(1)) {
			rt.Fatalf("%v, but %v wins at once", r.Score, wins)
		}
	})
}

// Searches come out the same everywhere. Another number means that they go another way: say
// why in the commit.
func TestGoldenSearches(t *testing.T) {
	const want = 0xe19caa0805523224
	sum := fnv.New64a()
	add := func(r alphabeta.Result) {
		r.Stats.Elapsed = 0
		fmt.Fprintln(sum, r.Lines, r.Iterations, r.Stats)
	}
	for seed := range uint64(60) {
		g := rough{seed: seed, quiesce: seed%2 == 0, margin: alphabeta.Score(seed % 3 * 10), extend: seed%5 < 2,
			knows: int(seed % 4 * 20)}
		o := alphabeta.Options{}
		if seed%7 == 6 {
			o = o.Exhaustive()
		}
		add(search(t, g, o, newTree(seed), alphabeta.Limits{Depth: 12, Nodes: 5000, Lines: int(seed % 4)}))
	}
	// A game on one table, which overflows, by a clock that moves on with every look.
	var now int64
	o := alphabeta.Options{TableMiB: 1, Clock: func() int64 { now += int64(time.Millisecond); return now }}
	s := searcher(t, rough{seed: 1, margin: 20, quiesce: true}, o)
	var first []alphabeta.Line
	for pass := range 2 {
		pos := gametest.NewMNK(8, 8, 5)
		for range 8 {
			r, err := s.Search(t.Context(), pos, alphabeta.Limits{Nodes: 40_000, Soft: 30 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			add(r)
			pos.Play(r.Move)
			if first = append(first, r.Lines[0]); pass == 1 && !reflect.DeepEqual(r.Lines[0], first[len(first)-9]) {
				t.Error("Clear has not forgotten everything")
			}
		}
		s.Clear()
	}
	if sum.Sum64() != want {
		t.Errorf("the signature is %#x, not %#x", sum.Sum64(), uint64(want))
	}
}
