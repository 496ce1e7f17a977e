package positions

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
)

// FuzzSources feeds any text to both text readers: whatever they accept must
// be legal, and what they refuse must be one line that names the file.
func FuzzSources(f *testing.F) {
	for _, seed := range []string{
		win, "h8i9\n# x\nh8", "(;GM[4]SZ[15];B[hh](;W[ab])(;W[cd]))", "(;SZ[5]RU[renju]RE[0]AB[aa];W[bb];B[c3])",
		"(;C[\\]];B[])", "((((", "(;B[hh][ii])", "(;AB[aa:bb])", "\ufeffa1b2c3", "(;SZ[9:9]);", "(;W[aa])",
	} {
		f.Add(seed)
	}
	v := variant(f, "caro", 15)
	f.Fuzz(func(t *testing.T, text string) {
		for _, open := range []func(a *agreement) source{
			func(a *agreement) source { return newSGF("x.sgf", bufio.NewReader(strings.NewReader(text)), a) },
			func(a *agreement) source { return newList("x.txt", strings.NewReader(text), a) },
		} {
			a := newAgreement(Options{Variant: v})
			s := open(&a)
			for {
				g, err := s.next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "x.") {
						t.Fatalf("error %q", err)
					}
					break
				}
				checkGame(t, &g)
			}
		}
	})
}

// checkGame replays a game and reads its text back.
func checkGame(t *testing.T, g *Game) {
	t.Helper()
	pos, err := g.Start()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range g.Moves {
		if !pos.Legal(m) {
			t.Fatalf("%s: move %d is illegal", g.Source, i+1)
		}
		pos.Play(m)
	}
	if pos.Outcome() != game.Undecided && g.Outcome != pos.Outcome() && g.Reason != game.Forfeit {
		t.Fatalf("%s: outcome %v, the rules say %v", g.Source, g.Outcome, pos.Outcome())
	}
	again, err := g.Variant.Parse(g.Text(len(g.Moves)))
	if err != nil || again.Hash() != pos.Hash() {
		t.Fatalf("%q is another position, %v", g.Text(len(g.Moves)), err)
	}
}
