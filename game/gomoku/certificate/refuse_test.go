package certificate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// lostFiles are the golden certificates, with the loser to move, that are another one
// less its first move.
var lostFiles = map[string]string{"lost-renju.cert": "05-renju-vct.cert", "lost-school42.cert": "14-school42-vcf.cert"}

// What follows the first move of a certificate certifies the position after it.
func TestLost(t *testing.T) {
	names, data := golden(t)
	tails := map[string][]byte{}
	for _, name := range names {
		c, err := Decode(data[name])
		if err != nil || !c.Win() || c.Start.ToMove != c.Winner {
			continue
		}
		b, err := c.Board()
		if err != nil {
			t.Fatal(err)
		}
		b.Play(c.Moves[0])
		tail := &Certificate{Rules: c.Rules, Size: c.Size, Start: setup(b), Winner: c.Winner, Plies: c.Plies - 1, Moves: c.Moves[1:]}
		tails[name] = tail.Encode()
		if again, err := verdict(tails[name]); err != nil || !twinHolds(again) {
			t.Errorf("%s: after its first move: %v", name, err)
		}
	}
	for file, of := range lostFiles {
		path := filepath.Join("testdata", file)
		if *update {
			if err := os.WriteFile(path, tails[of], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(want, tails[of]) {
			t.Errorf("%s is not what comes of %s: renew it with -update (%v)", path, of, err)
		}
	}
}

// Each refusal says what is wrong, even where the digest is right.
func TestRefused(t *testing.T) {
	_, data := golden(t)
	whole := data["10-caro-edge-vcf.cert"]
	text := func(old, changed string) []byte {
		if !bytes.Contains(whole, []byte(old)) {
			t.Fatalf("no %q in the certificate", old)
		}
		return (&damage{digest: true}).apply(bytes.Replace(whole, []byte(old), []byte(changed), 1))
	}
	moves := func(change func(c *Certificate)) []byte {
		c, err := Decode(whole)
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		return c.Encode()
	}
	for name, tt := range map[string]struct {
		data []byte
		kind error
		want string
	}{
		"nothing":           {nil, ErrFormat, "begin"},
		"cut":               {whole[:len(whole)-1], ErrFormat, "bytes follow"},
		"trailing data":     {append(slices.Clone(whole), 0), ErrFormat, "bytes follow"},
		"another format":    {text("certificate 1", "certificate 3"), ErrFormat, "begin"},
		"no end of header":  {text("\n\n", "\nmore\n"), ErrFormat, "does not end"},
		"other rules":       {text("blocked edge", "blocked opponent"), ErrFormat, "not those of caro-edge"},
		"impossible rules":  {text("captures no", "captures yes"), ErrFormat, "captures go with"},
		"rules of no name":  {text("rule caro-edge", "rule Caro"), ErrFormat, "a-z"},
		"lost line":         {text("captured 0 0\n", ""), ErrFormat, "captured"},
		"a second form":     {text("captured 0 0", "captured 00 0"), ErrFormat, "one form"},
		"out of range":      {text("size 19", "size 23"), ErrFormat, "5 to 22"},
		"the other winner":  {moves(func(c *Certificate) { c.Winner = c.Winner.Other() }), ErrRefuted, "after"},
		"a move too few":    {moves(func(c *Certificate) { c.Moves = c.Moves[:len(c.Moves)-1] }), ErrRefuted, "have ended"},
		"a move too many":   {moves(func(c *Certificate) { c.Moves = append(c.Moves, 0) }), ErrRefuted, "left over"},
		"a taken cell":      {moves(func(c *Certificate) { c.Moves[0] = taken(c) }), ErrRefuted, "not legal"},
		"off the board":     {moves(func(c *Certificate) { c.Moves[0] = 19 * 19 }), ErrFormat, "361 cells"},
		"wrong plies":       {moves(func(c *Certificate) { c.Plies += 2 }), ErrRefuted, "longest line"},
		"over at the start": {moves(func(c *Certificate) { fill(c) }), ErrFormat, "over at the start"},
		"no win":            {moves(func(c *Certificate) { c.Start.Stones = make([]gomoku.Stone, 19*19) }), ErrRefuted, "the other side wins"},
	} {
		_, err := verdict(tt.data)
		if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q of %v", name, err, tt.want, tt.kind)
		}
	}
}

// taken returns a cell with a stone.
func taken(c *Certificate) game.Move {
	return game.Move(slices.IndexFunc(c.Start.Stones, func(s gomoku.Stone) bool { return s != gomoku.Empty }))
}

// fill gives the side that is not to move a winning run.
func fill(c *Certificate) {
	c.Start.Stones = make([]gomoku.Stone, 19*19)
	for x := 5; x < 10; x++ {
		c.Start.Stones[x] = gomoku.StoneOf(c.Start.ToMove.Other())
	}
}
