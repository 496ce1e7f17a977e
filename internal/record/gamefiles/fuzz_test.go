package gamefiles

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/record"
)

// FuzzSources feeds any text to both text readers: whatever they accept must
// be legal, and what they refuse must be one line that names the file.
func FuzzSources(f *testing.F) {
	for _, seed := range []string{
		win, "h8i9\n# x\nh8", "(;GM[4]SZ[15];B[hh](;W[ab])(;W[cd]))", "(;SZ[5]RU[renju]RE[0]AB[aa];W[bb];B[c3])",
		"(;C[\\]];B[])", "((((", "(;B[hh][ii])", "(;AB[aa:bb])", "\ufeffa1b2c3", "(;SZ[9:9]);", "(;W[aa])",
		"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,12\na\nb\n0\n1,caro\n", "Piskvorky 20x20, 11:11, 1\n1,1,0\n1,1,0\n",
		"\xffRenLib\xff\x03\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x78\x00\x68\xc8a\x00\x79\x40",
	} {
		f.Add(seed)
	}
	v := variant(f, "caro", 15)
	f.Fuzz(func(t *testing.T, text string) {
		for f := record.SGF; f <= record.Text; f++ {
			s := readerOf(t, strings.NewReader(text), f, Options{Variant: v})
			for {
				g, err := s.Next()
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

// readerOf returns the reader of a file in a format.
func readerOf(t testing.TB, in io.Reader, f record.Format, o Options) *Reader {
	t.Helper()
	trees := &Trees{o: o, main: true, path: "x.sgf"}
	if err := trees.read(in, f); err != nil {
		t.Fatal(err)
	}
	return &Reader{trees: trees, agreement: newAgreement(o)}
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
