package certificate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
}

// twinHolds reports whether the slow twin finds that a certificate holds.
func twinHolds(c *Certificate) bool {
	b, err := gomoku.NewSetup(c.Rules, c.Size, c.Start)
	if err != nil || b.Outcome() != game.Undecided {
		return false
	}
	t := &twin{board: b, winner: c.Winner, moves: c.Moves, seen: map[string]int{}}
	plies, ok := t.walk()
	return ok && t.read == len(t.moves) && plies == c.Plies
}

func (t *twin) walk() (plies int, ok bool) {
	b := t.board
	switch b.Outcome() {
	case game.WinFor(t.winner):
		return 0, true
	case game.Undecided:
	default:
		return 0, false
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
	if t.read == len(t.moves) || !b.Legal(t.moves[t.read]) {
		return 0, false
	}
	t.read++
	plies, ok = t.after(t.moves[t.read-1])
	t.seen[drawing] = plies
	return plies, ok
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
	rules := map[string]bool{}
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
		checkLine(t, name, c)
		if string(c.Encode()) != string(data[name]) {
			t.Errorf("%s: another form after a round trip", name)
		}
		rules[c.Rules.Name] = true
	}
	for _, name := range gomoku.Names() {
		if !rules[name] {
			t.Errorf("there is no certificate under %s", name)
		}
	}
}
