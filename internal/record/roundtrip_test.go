package record

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// written returns the bytes of a tree, which must lose nothing.
func written(rt *rapid.T, t *Tree, f Format) []byte {
	var out bytes.Buffer
	loss, err := Write(&out, []*Tree{t}, f, WriteOptions{})
	if err != nil {
		rt.Fatal(err)
	}
	if loss.String() != "" {
		rt.Fatalf("lost %s", &loss)
	}
	return out.Bytes()
}

// Whatever a format holds comes back, and is written as the same bytes again.
func TestRoundTrip(t *testing.T) {
	for f, h := range map[Format]holding{SGF: sgfHolds, Lib: libHolds, PSQ: psqHolds, Text: textHolds} {
		t.Run(f.String(), rapid.MakeCheck(func(rt *rapid.T) {
			tree := drawTree(rt, h)
			if f == Text && len(tree.Nodes) == 1 {
				return // an empty line is no position
			}
			data := written(rt, tree, f)
			if got := Detect(data[:min(len(data), HeadBytes)], ""); got != f {
				rt.Fatalf("%q is taken for %q", data[:min(len(data), 80)], got)
			}
			again, _, err := Parse(data, "", Options{Size: tree.Size})
			if err != nil || len(again) != 1 {
				rt.Fatalf("%d trees, %v, of\n%q", len(again), err, data)
			}
			if got, want := dump(again[0]), dump(tree); got != want {
				rt.Fatalf("%q\nis\n%s\nwant\n%s", data, got, want)
			}
			if second := written(rt, again[0], f); !bytes.Equal(second, data) {
				rt.Fatalf("%q, then %q", data, second)
			}
		}))
	}
}

// What is said of a game as a whole comes back from the formats that hold it.
func TestInfoRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.OneOf(rapid.StringMatching(`[!-~äж漢\\\]][ -~äж漢\\\]]{0,8}[!-~]`), rapid.StringMatching(`[0-9]{1,4},[0-9]`))
		tree := drawTree(rt, sgfHolds)
		tree.Info = Info{
			Rule: "renju", Program: name.Draw(rt, "program"), Name: name.Draw(rt, "name"), Event: name.Draw(rt, "event"),
			Round: "3", Date: "2024-05-01", Place: name.Draw(rt, "place"), Black: name.Draw(rt, "black"), White: name.Draw(rt, "white"),
			Result: rapid.SampledFrom([]string{"B+", "W+R", "0", "B+T", "?"}).Draw(rt, "result"), Comment: words(rt, true),
		}
		again, _, err := Parse(written(rt, tree, SGF), "", Options{})
		if err != nil {
			rt.Fatal(err)
		}
		if again[0].Info != tree.Info {
			rt.Fatalf("%+v, want %+v", again[0].Info, tree.Info)
		}
		game := drawTree(rt, psqHolds)
		game.Info = Info{Rule: "Renju", Black: name.Draw(rt, "black"), White: name.Draw(rt, "white"), Result: rapid.SampledFrom([]string{"", "B+", "W+", "0"}).Draw(rt, "result")}
		game.Black, game.White = strings.Join(strings.Fields(game.Black), " "), strings.Join(strings.Fields(game.White), " ")
		want := game.Info
		for _, player := range []*string{&want.Black, &want.White} {
			if isPSQFigures(*player) { // told apart from a move
				*player = "player " + *player
			}
		}
		if again, _, err = Parse(written(rt, game, PSQ), "", Options{}); err != nil || again[0].Info != want {
			rt.Fatalf("%+v, want %+v, %v", again[0].Info, want, err)
		}
	})
}
