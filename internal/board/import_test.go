package board

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/internal/games"
)

// usual is what games that name no rules are of.
var usual = games.VariantOptions{Rule: "caro", Size: 15}

// The comments of one node become one.
func TestImportJoinsComments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got []byte
		want := ""
		for _, c := range rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "b", "a\nb", "a\nb\na"})).Draw(t, "comments") {
			got = addComment(got, c)
			switch {
			case c == "" || c == want:
			case want == "":
				want = c
			default:
				want += "\n" + c
			}
		}
		if string(got) != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// FuzzImport reads any bytes: what is taken is legal, what is not is one line.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		"h8i9j7", "(;GM[4]SZ[15]AB[hh];W[aa](;B[bb]C[x])(;B[cc]LB[dd:1]TR[ee]))", ".....\n..X..\n..O..\n.....\n.....",
		"Monkey,Crane/Tiger,Crab/Dragon:crane c1c2",
		"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,12\na\nb\n0\n1,caro\n",
		"\xffRenLib\xff\x03\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x78\x00\x68\xc8a\x00\x79\x40",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := parseGames(t.Context(), data, usual)
		if err != nil {
			if text := OneLine(err); text == "" || strings.Contains(text, "\n") {
				t.Fatalf("%q", text)
			}
			return
		}
		for _, g := range found.Games {
			for i, node := range g.Tree {
				if node.Parent < -1 || node.Parent >= i {
					t.Fatalf("%+v", g)
				}
			}
			text, err := json.Marshal(g)
			if err != nil || len(g.Values) > 0 && len(g.Values) != len(g.Moves)+1 {
				t.Fatalf("%s %v", text, err)
			}
		}
	})
}
