package certificate

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// twin is the walk of FORMAT.md word for word: it plays every legal reply, finds wins
// at once by playing every legal move, and knows a position by its drawing.
type twin struct {
	board  *gomoku.Board
	winner game.Side
	moves  []game.Move
	read   int
	seen   map[string]int

	holds   bool // the winner is a side that need not win
	pairing game.Move
}

// twinHolds reports whether the slow twin finds that a certificate holds.
func twinHolds(c *Certificate) bool {
	b, err := gomoku.NewSetup(c.Rules, c.Size, c.Start)
	if err != nil || b.Outcome() != game.Undecided {
		return false
	}
	t := &twin{board: b, moves: c.Moves, holds: !c.Win(), pairing: c.pairing()}
	plies, ok := 0, true
	for _, t.winner = range c.sides() {
		t.seen = map[string]int{}
		n, here := t.walk()
		plies, ok = n, ok && here
	}
	return ok && t.read == len(t.moves) && (t.holds || plies == c.Plies)
}

func (t *twin) walk() (plies int, ok bool) {
	b := t.board
	switch b.Outcome() {
	case game.WinFor(t.winner):
		return 0, true
	case game.Undecided:
	default:
		return 0, t.holds && b.Outcome() == game.Draw
	}
	if b.ToMove() != t.winner {
		for _, r := range b.Moves(nil) {
			n, ok := t.after(r)
			if !ok {
				return 0, false
			}
			plies = max(plies, n)
		}
		return plies, true
	}
	for _, m := range b.Moves(nil) {
		b.Play(m)
		won := b.Outcome() == game.WinFor(t.winner)
		b.Undo()
		if won {
			return 1, true
		}
	}
	drawing := fmt.Sprint(b, b.Captured(0), b.Captured(1))
	if n, ok := t.seen[drawing]; ok {
		return n, true
	}
	if t.holds && t.read < len(t.moves) && t.moves[t.read] == t.pairing {
		t.seen[drawing] = 0
		return 0, t.paired()
	}
	if t.read == len(t.moves) || !b.Legal(t.moves[t.read]) {
		return 0, false
	}
	t.read++
	plies, ok = t.after(t.moves[t.read-1])
	t.seen[drawing] = plies
	return plies, ok
}

// paired reads a pairing and reports whether it holds.
func (t *twin) paired() bool {
	left := t.moves[t.read+1:]
	if len(left) < 2 || len(left) < 2+2*int(left[1]) || !t.board.Legal(left[0]) {
		return false
	}
	pairs := left[2 : 2+2*int(left[1])]
	t.read += 3 + len(pairs)
	t.board.Play(left[0])
	defer t.board.Undo()
	r, stones := t.board.Rules(), 0
	at := map[game.Move]int{}
	for i, c := range pairs {
		if int(c) >= t.board.MaxMoves() || t.board.At(int(c)) != gomoku.Empty || i%2 == 1 && c <= pairs[i-1] || i%2 == 0 &&
			i > 0 && c <= pairs[i-2] {
			return false
		}
		at[c] = i / 2
	}
	for c := range t.board.MaxMoves() {
		if t.board.At(c) != gomoku.Empty {
			stones++
		}
	}
	closed := r.Renju[t.winner] || r.DoubleThree || r.OpenDistance > 0 && t.winner == game.First && stones < 2
	if r.Captures || t.board.Outcome() != game.Undecided || len(at) < len(pairs) || closed && len(pairs) > 0 {
		return false
	}
	for _, line := range openLines(t.board, t.winner.Other()) {
		count := map[int]int{}
		for _, c := range line {
			if i, ok := at[game.Move(c)]; ok {
				count[i]++
			}
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(count)), func(n int) bool { return n == 2 }) {
			return false
		}
	}
	return true
}

// openLines returns the rows of five cells that a side may yet win by: it makes stones of
// its own of their empty cells, and of none, one or both of those behind the ends, and asks
// the rules whether the run wins.
func openLines(b *gomoku.Board, side game.Side) (lines [][]int) {
	size := b.Size()
	for c := range size * size {
		for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
			var line, ends []int
			for k := -1; k <= 5; k++ {
				x, y := c%size+k*d[0], c/size+k*d[1]
				switch on := x >= 0 && y >= 0 && x < size && y < size; {
				case on && k >= 0 && k < 5:
					line = append(line, y*size+x)
				case on:
					ends = append(ends, y*size+x)
				}
			}
			if len(line) == 5 && wins(b, side, line, ends) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// wins reports whether a side's stones on a line, with some on the cells behind its ends,
// are a run that wins.
func wins(b *gomoku.Board, side game.Side, line, ends []int) bool {
	for more := range 1 << len(ends) {
		s, possible := b.Setup(0), true
		put := func(c int) {
			possible = possible && (s.Stones[c] == gomoku.Empty || s.Stones[c] == gomoku.StoneOf(side))
			s.Stones[c] = gomoku.StoneOf(side)
		}
		for _, c := range line {
			put(c)
		}
		for i, c := range ends {
			if more>>i&1 == 1 {
				put(c)
			}
		}
		if !possible {
			continue
		}
		// Less the middle stone, which then wins or does not.
		s.Stones[line[2]], s.ToMove = gomoku.Empty, side
		around, err := gomoku.NewSetup(b.Rules(), b.Size(), s)
		if err != nil {
			continue
		}
		if alone(around, side, line[2], line) {
			return true
		}
	}
	return false
}

// alone reports whether a stone on a cell wins by the run in the direction of a line: with
// all other stones of that side taken off the board, but for those in the row of the line.
func alone(b *gomoku.Board, side game.Side, cell int, line []int) bool {
	s, size := b.Setup(0), b.Size()
	dx, dy := line[1]%size-line[0]%size, line[1]/size-line[0]/size
	for c, stone := range s.Stones {
		x, y := c%size-cell%size, c/size-cell/size
		if stone == gomoku.StoneOf(side) && x*dy != y*dx {
			s.Stones[c] = gomoku.Empty
		}
	}
	row, err := gomoku.NewSetup(b.Rules(), size, s)
	return err == nil && row.WinsFor(side, cell)
}

func (t *twin) after(m game.Move) (plies int, ok bool) {
	t.board.Play(m)
	plies, ok = t.walk()
	t.board.Undo()
	return plies + 1, ok
}

// golden returns the committed certificates by name.
func golden(t testing.TB) (names []string, data map[string][]byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.cert"))
	if err != nil || len(paths) < 16 {
		t.Fatalf("%d certificates: %v", len(paths), err)
	}
	data = map[string][]byte{}
	for _, path := range paths {
		name := filepath.Base(path)
		names = append(names, name)
		if data[name], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return names, data
}

// verdict decodes and checks a certificate.
func verdict(data []byte) (*Certificate, error) {
	c, err := Decode(data)
	if err == nil {
		err = c.Check(context.Background())
	}
	if err != nil && strings.Contains(err.Error(), "\n") {
		panic("more than a line: " + err.Error())
	}
	return c, err
}

// checkLine plays the longest line, which has the plies of the certificate and wins.
func checkLine(t *testing.T, name string, c *Certificate) {
	t.Helper()
	line, err := c.Line(t.Context())
	if err != nil || len(line) != c.Plies {
		t.Errorf("%s: a line of %d moves for %d plies: %v", name, len(line), c.Plies, err)
		return
	}
	b, err := c.Board()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range line {
		if !b.Legal(m) {
			t.Errorf("%s: the line %v is not legal", name, line)
			return
		}
		b.Play(m)
	}
	if b.Outcome() != game.WinFor(c.Winner) {
		t.Errorf("%s: the line %v does not win", name, line)
	}
}

// Golden certificates hold for the checker and for the twin, and have one form.
func TestGolden(t *testing.T) {
	rules, draws := map[string]bool{}, map[string]bool{}
	names, data := golden(t)
	for _, name := range names {
		c, err := verdict(data[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !twinHolds(c) {
			t.Errorf("%s: the twin does not agree", name)
		}
		if c.Win() {
			checkLine(t, name, c)
		} else if len(c.sides()) == 2 {
			draws[c.Rules.Name] = true
		}
		if string(c.Encode()) != string(data[name]) {
			t.Errorf("%s: another form after a round trip", name)
		}
		rules[c.Rules.Name] = true
	}
	for _, name := range gomoku.Names() {
		if !rules[name] || !draws[name] && name != "school42" {
			t.Errorf("there is no certificate of a win or of a draw under %s", name)
		}
	}
}
