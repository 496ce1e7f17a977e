package gomoku_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// A renju diagram marks empty cells: f is forbidden to black, and a, which
// looks forbidden in some way, is allowed. Empty rows below are left out.
var renjuDiagrams = []struct{ name, diagram string }{
	{"double-three", `
		. . . . . . . . .
		. . . . . . . . .
		. . . . X . . . .
		. . . . X . . . .
		. . X X f . . . .`},
	{"double-three of broken threes", `
		. . . . . . . . .
		. . . . X . . . .
		. . . . . . . . .
		. . . . X . . . .
		. X X . f . . . .`},
	{"a three without room is none", `
		. . . . . . . . .
		. . . . . . . . .
		. . . . X . . . .
		. . . . X . . . .
		O . X X a . O . .`},
	{"a three whose four would be overlong on one side is none", `
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . X . . . .
		. . . . . . X . . . .
		O . . . X X a . X . .`},
	{"four and three", `
		. . . . . . . . .
		. . . . . . . . .
		. . . . X . . . .
		. . . . X . . . .
		. X X X a . . . .`},
	{"double-four", `
		. . . . . . . . .
		. . . . X . . . .
		. . . . X . . . .
		. . . . X . . . .
		O X X X f . . . .`},
	{"a four that cannot become five is none", `
		. . . . . . . . .
		. . . . X . . . .
		. . . . X . . . .
		. . . . X . . . .
		O X X X a O . . .`},
	{"a straight four is one four", `
		. . . . . . . . .
		. . . . . . . . .
		. . X X X a . . .`},
	{"two fours on one line", `
		. . . . . . . . . . .
		X . X f X . X . . . .
		. . . . . . . . . . .
		. X X . f X . X X . .
		. . . . . . . . . . .
		. . X X X . f . X X X`},
	{"two on one line, but one would be six", `
		. . . . . . . . . . .
		X . X a X . X X . . .`},
	{"overlines", `
		. . . . . . . . . . .
		. X X X f X X . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . X . .
		. . . . . . . X . . .
		. . . . . . f . . . .
		. . . . . X . . . . .
		. . . . X . . . . . .
		. . . X . . . . . . .`},
	{"five beats all", `
		. . . . . . . . . . .
		. . . . X . . . . . .
		. . . . X . . . . . .
		. . . . X . . . . . .
		X X X X a O . . . . .
		. . . . X X . . . . .
		. . . . X . X . . . .
		. . . . . . . X . . .`},
	{"one three would have to become a straight four by an overline", `
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . X . . X . . . .
		. . . X . . . . . . .
		. . . . . . X . . . .
		. . X . . X a . . . .
		. . . . . . . . . . .
		. . . X . . . . . . .
		. . . X . . . . . . .
		. . . X . . . . . . .`},
	{"two ways to the straight four, only one of them an overline", `
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . X . . X . . . .
		. . . X . . . . . . .
		. . . . . . X . . . .
		. . . . X X f . . . .
		. . . X . . . . . . .
		. . . X . . . . . . .
		. . . X . . . . . . .`},
	{"one three would have to become a straight four by a double-four", `
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . X . . . .
		. . . . . . X . . . .
		. . X . X a . . . . .
		. . . . . . . . . . .
		. . . X . . . . . . .
		. . . X . . . . . . .
		. . . X . . . . . . .`},
	{"one three would have to become a straight four by making five", `
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . X . . X . . . .
		. . . X . . . . . . .
		. . . . . . X . . . .
		. . X . X . a . . . .
		. . . X . . . . . . .
		. . . X . . . . . . .`},
	{"one three would have to become a straight four by a double-three", `
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . X . . X . . . .
		. . . . X . X . . . .
		. . . X X . a . . . .
		. . . . . X . . . . .
		. . . . . X . . . . .`},
	{"the same, but that double-three has a false three", `
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . X . . X . . . .
		. . . . X O X . . . .
		. . . X X . f . . . .
		. . . . . X . . . . .
		. . . . . X . . . . .
		. . . . . . . . . . .
		. . . . . O . . . . .`},
	{"three threes, one of them false", `
		. . . . . . . . . . .
		. . . . . . . . . . .
		. . . X . . X . . . .
		. . . . . . . . X . .
		. . . . . . X X . . .
		. . X . X . f . . . .
		. . . . . . . . . . .
		. . . X . . . . . . .
		. . . X . . . . . . .
		. . . X . . . . . . .`},
}

func TestRenjuDiagrams(t *testing.T) {
	for _, d := range renjuDiagrams {
		t.Run(d.name, func(t *testing.T) {
			rows := strings.Split(strings.TrimSpace(d.diagram), "\n")
			width := len(strings.Fields(rows[0]))
			diagram := strings.Join(rows, "\n") + strings.Repeat("\n"+strings.Repeat(".", width), width-len(rows))
			plain := strings.NewReplacer("f", ".", "a", ".").Replace(diagram)
			b, err := gomoku.ParseDiagram(mustRules(t, "renju"), 0, plain, gomoku.DiagramOptions{ToMove: new(game.First)})
			if err != nil {
				t.Fatal(err)
			}
			r := referenceOf(b)
			marks := strings.Join(strings.Fields(diagram), "")
			size := b.Size()
			notation := gomoku.Notation{Size: size}
			for i, mark := range marks {
				cell := (size-1-i/size)*size + i%size
				want := mark == 'f'
				if mark != 'f' && mark != 'a' {
					continue
				}
				if got := r.forbidden(cell%size, cell/size); got != want {
					t.Errorf("%s: the reference says forbidden %v", notation.FormatMove(game.Move(cell)), got)
				}
				if got := !b.AllowedFor(game.First, cell); got != want {
					t.Errorf("%s: forbidden %v, want %v", notation.FormatMove(game.Move(cell)), got, want)
				}
			}
		})
	}
}

// dense returns a random renju board crowded with black stones, none of which
// makes five.
func dense(tb failer, rng *rand.Rand) *gomoku.Board {
	size := 7 + rng.IntN(9)
	black, white := 10+rng.IntN(20), rng.IntN(12)
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size)}
	r := newReference("renju", size)
	for c := range s.Stones {
		n := rng.IntN(100)
		stone := gomoku.FirstStone
		switch {
		case n >= black+white:
			continue
		case n >= black:
			stone = gomoku.SecondStone
		}
		r.grid[c] = ".XO"[stone]
		s.Stones[c] = stone
		if r.anyFive(r.grid[c]) {
			s.Stones[c], r.grid[c] = gomoku.Empty, '.'
		}
	}
	b, err := gomoku.NewSetup(mustRules(tb, "renju"), size, s)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// The forbidden points of crowded boards equal the definitions', and the
// boards reach what makes the definition hard: double-threes that are judged
// for the sake of other double-threes, and apparent ones that are allowed.
func TestForbiddenOnCrowdedBoards(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	forbidden, allowed, nested := 0, 0, 0
	for range 250 {
		b := dense(t, rng)
		r := referenceOf(b)
		var want []game.Move
		for cell, c := range r.grid {
			if c != '.' {
				continue
			}
			deep := 0
			if r.forbiddenDepth(cell%r.size, cell/r.size, &deep) {
				want = append(want, game.Move(cell))
				forbidden++
			} else if deep > 0 {
				allowed++
			}
			if deep > 1 {
				nested++
			}
		}
		for range 2 { // the second answer is a remembered one
			if got := b.Forbidden(nil); !slices.Equal(got, want) {
				t.Fatalf("forbidden %v, want %v\n%v", got, want, b)
			}
		}
	}
	if forbidden < 200 || allowed < 20 || nested < 20 {
		t.Errorf("too easy: %d forbidden, %d apparent double-threes allowed, %d nested", forbidden, allowed, nested)
	}
	t.Logf("%d forbidden, %d apparent double-threes allowed, %d nested", forbidden, allowed, nested)
}

// A renju board where only forbidden cells are left to Black is a draw, and
// White's move that leaves it so ends the game.
func TestRenjuNoMoves(t *testing.T) {
	diagram := `
		O O O O X O O
		X O X O O X O
		O O O O X O X
		X X X . X X X
		O O X O X O O
		O O X O X X O
		O X O X O . X`
	b, err := gomoku.ParseDiagram(mustRules(t, "renju"), 0, diagram, gomoku.DiagramOptions{ToMove: new(game.Second)})
	if err != nil {
		t.Fatal(err)
	}
	if b.Outcome() != game.Undecided {
		t.Fatalf("outcome %v before White's move", b.Outcome())
	}
	b.Play(5)
	if b.Outcome() != game.Draw || b.Reason() != game.NoMoves || len(b.Moves(nil)) != 0 {
		t.Errorf("outcome %v (%v), want a draw for want of moves", b.Outcome(), b.Reason())
	}
	if got := b.Forbidden(nil); !slices.Equal(got, []game.Move{24}) {
		t.Errorf("forbidden %v, want the centre", got)
	}
	if b.Undo(); b.Outcome() != game.Undecided {
		t.Errorf("outcome %v after Undo", b.Outcome())
	}
}
