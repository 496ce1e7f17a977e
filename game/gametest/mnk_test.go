package gametest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// board is the plainest m,n,k game there is, the oracle of these tests.
type board struct {
	m, n, k int
	cells   []byte // ' ', 'X', 'O', row by row from row 1
}

func (b board) won(stone byte) bool {
	at := func(x, y int) bool { return x >= 0 && x < b.m && y >= 0 && y < b.n && b.cells[y*b.m+x] == stone }
	for y := range b.n {
		for x := range b.m {
			for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
				run := 0
				for at(x+run*d[0], y+run*d[1]) {
					run++
				}
				if run >= b.k {
					return true
				}
			}
		}
	}
	return false
}

// solve returns the value for stone, which is to move, and the plies to the
// end.
func (b board) solve(stone, other byte, known map[string][2]int) (value, plies int) {
	switch {
	case b.won(other):
		return -1, 0
	case !slices.Contains(b.cells, ' '):
		return 0, 0
	}
	if r, ok := known[string(b.cells)]; ok {
		return r[0], r[1]
	}
	longest := map[int]int{}                     // by value
	shortest := map[int]int{1: len(b.cells) + 1} // of the wins
	value = -1
	for cell := range b.cells {
		if b.cells[cell] != ' ' {
			continue
		}
		b.cells[cell] = stone
		v, p := b.solve(other, stone, known)
		b.cells[cell] = ' '
		value = max(value, -v)
		longest[-v] = max(longest[-v], p+1)
		shortest[-v] = min(shortest[-v], p+1)
	}
	plies = longest[value]
	if value == 1 {
		plies = shortest[1]
	}
	known[string(b.cells)] = [2]int{value, plies}
	return value, plies
}

func TestMinimaxAgainstBruteForce(t *testing.T) {
	tests := []struct {
		m, n, k     int
		start       []game.Move
		value       int // known results; 2: ask the oracle alone
		description string
	}{
		{3, 3, 3, nil, 0, "tic-tac-toe is a draw"},
		{4, 3, 3, nil, 1, "on 4x3 three in a row is won"},
		{3, 4, 4, nil, 0, "four in a column of 3x4"},
		{4, 4, 4, []game.Move{0, 15, 5, 10, 2, 1}, 2, "four in a row"},
		{3, 3, 3, []game.Move{0, 1, 4}, 2, "a lost defence"},
		{3, 3, 3, []game.Move{0, 1, 4, 8}, 2, "a fork"},
		{3, 3, 3, []game.Move{0, 3, 1, 4, 2}, -1, "already lost"},
		{2, 2, 2, nil, 1, "two in a row"},
		{2, 1, 2, nil, 0, "no room"},
		{1, 1, 1, nil, 1, "one cell"},
	}
	for _, tt := range tests {
		t.Run(tt.description, func(t *testing.T) {
			p := NewMNK(tt.m, tt.n, tt.k)
			b := board{tt.m, tt.n, tt.k, slices.Repeat([]byte{' '}, tt.m*tt.n)}
			stones := [2]byte{'X', 'O'}
			for i, m := range tt.start {
				p.Play(m)
				b.cells[m] = stones[i%2]
			}
			turn := len(tt.start) % 2
			wantValue, wantPlies := b.solve(stones[turn], stones[1-turn], map[string][2]int{})
			value, plies := MinimaxPlies(p)
			if value != wantValue || plies != wantPlies {
				t.Errorf("value %d in %d plies, want %d in %d", value, plies, wantValue, wantPlies)
			}
			if Minimax(p) != value || tt.value != 2 && value != tt.value {
				t.Errorf("Minimax gives %d, MinimaxPlies %d, want %d", Minimax(p), value, tt.value)
			}
		})
	}
}

func TestMNKAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := rapid.IntRange(1, 8).Draw(t, "m"), rapid.IntRange(1, 8).Draw(t, "n")
		k := rapid.IntRange(1, 6).Draw(t, "k")
		p := NewMNK(m, n, k)
		b := board{m, n, k, slices.Repeat([]byte{' '}, m*n)}
		for _, cell := range rapid.Permutation(p.Moves(nil)).Draw(t, "order") {
			side := p.ToMove()
			stone := "XO"[side]
			var wins []game.Move
			for _, c := range p.Moves(nil) {
				b.cells[c] = stone
				if b.won(stone) {
					wins = append(wins, c)
				}
				b.cells[c] = ' '
			}
			if got := p.Wins(nil); !slices.Equal(got, wins) {
				t.Fatalf("wins %v, want %v on %q", got, wins, b.cells)
			}
			p.Play(cell)
			b.cells[cell] = stone
			want := game.Undecided
			switch {
			case b.won(stone):
				want = game.WinFor(side)
			case !slices.Contains(b.cells, ' '):
				want = game.Draw
			}
			if p.Outcome() != want {
				t.Fatalf("outcome %v, want %v on %q", p.Outcome(), want, b.cells)
			}
			if want != game.Undecided {
				return
			}
		}
	})
}

func TestMNKNotation(t *testing.T) {
	n := NewMNK(4, 12, 4).Notation()
	moves := []game.Move{0, 3, 4, 47}
	if got := n.FormatMoves(moves); got != "a1d1a2d12" {
		t.Errorf("moves are written %q", got)
	}
	if got, err := n.ParseMoves("a1d1a2d12"); err != nil || !slices.Equal(got, moves) {
		t.Errorf("read %v, %v", got, err)
	}
	for text, says := range map[string]string{
		"e1":                    `move 1, "e1" at byte 0`,
		"a1b":                   `move 2, "b" at byte 2`,
		"a1b0":                  `"b0"`,
		"a01":                   `"a01"`,
		"a17":                   "1..16",
		"a1 b2":                 `" "`,
		"A1":                    `"A1"`,
		"a99999999999999999999": "1..16",
	} {
		if _, err := n.ParseMoves(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one with %s", text, err, says)
		}
	}
}

func BenchmarkMNK(b *testing.B) {
	for _, shape := range [][3]int{{3, 3, 3}, {8, 8, 5}} {
		b.Run(fmt.Sprint(shape), func(b *testing.B) {
			p := NewMNK(shape[0], shape[1], shape[2])
			p.Play(4)
			for b.Loop() {
				p.Play(0)
				p.Undo()
			}
		})
	}
}
