package record

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// seeds returns files of every format.
func seeds(t testing.TB) []string {
	data, err := os.ReadFile(filepath.Join("testdata", "hand.sgf"))
	if err != nil {
		t.Fatal(err)
	}
	list := []string{
		string(data), "(;B[hh](;W[ab])(;W[cd]))", "((((", "(;B[hh][ii])", "(;AB[aa:oo])", "(;LB[zz:a]TR[tt];B[tt])",
		"(;CA[gbk]C[\xb9\xdc]])",
		"Piskvorky 15x15, 11:11, 1\n8,8,0\n9,8,12\na\nb\n15\n1,caro\n", "Piskvorky 20x20, 1:1, 0\n1,1\n",
		"Piskvorky 20x20, 0:0, 0\n3,20,0\na\n7,8,\u00a09\n0\n1,20,\u00a064004\n", "h8i9 # x\n\na1b2",
	}
	for _, c := range libraries {
		list = append(list, c.data)
	}
	return list
}

// examine reads a file in every format. What is refused is so in one line that says
// where; what is accepted is well made, and comes back from its own format, or from SGF.
func examine(t testing.TB, data []byte) {
	for f := SGF; f <= Lib; f++ {
		r, err := NewReader(bytes.NewReader(data), f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			tree, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				var at *Error
				if !errors.As(err, &at) || strings.ContainsAny(err.Error(), "\n\r") {
					t.Fatalf("error %q from %v of %q", err, f, data)
				}
				break
			}
			wellMade(t, tree)
			comesBack(t, tree, f)
		}
	}
}

// wellMade checks the bonds between nodes.
func wellMade(t testing.TB, tree *Tree) {
	seen := 0
	for id := int32(0); ; {
		n := &tree.Nodes[id]
		seen++
		if id > 0 && (n.Depth != tree.Nodes[n.Parent].Depth+1 || n.Move < Pass && int(n.Move) >= tree.Size*tree.Size) {
			t.Fatalf("node %d: %+v", id, n)
		}
		if id = tree.Next(id); id == 0 {
			break
		}
	}
	if seen != len(tree.Nodes) {
		t.Fatalf("%d of %d nodes are in the tree", seen, len(tree.Nodes))
	}
}

// comesBack writes a tree and reads it again, until the bytes stay the same: in the format that it
// was read from, or else in SGF, which may turn an end of a line into another.
func comesBack(t testing.TB, tree *Tree, f Format) {
	rounds := 1
	if f > Text {
		f, rounds = SGF, 2
	}
	var before []byte
	for round := range rounds + 1 {
		var out bytes.Buffer
		if err := Write(&out, []*Tree{tree}, f, nil); round == 0 && errors.Is(err, ErrNoForm) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if round == rounds && !bytes.Equal(out.Bytes(), before) {
			t.Fatalf("%v: %q, then %q; %+v", f, before, out.Bytes(), tree.Info)
		}
		before = out.Bytes()
		r, err := NewReader(bytes.NewReader(before), f, Options{Size: tree.Size})
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.Next()
		if errors.Is(err, io.EOF) && len(tree.Nodes) == 1 {
			return
		}
		if err != nil {
			t.Fatalf("%v: %q does not come back: %v", f, before, err)
		}
		tree = again
	}
}

func FuzzRecords(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { examine(t, data) })
}

// FuzzParse asks for the encoding and the main line too.
func FuzzParse(f *testing.F) {
	for i, s := range seeds(f) {
		f.Add([]byte(s), []string{"", "gbk", "shift_jis"}[i%3], i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, charset string, main bool) {
		trees, _, err := Parse(data, Options{Charset: charset, MainLine: main})
		if (err == nil) != (len(trees) > 0) || err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("%d trees, %v", len(trees), err)
		}
		for _, tree := range trees {
			wellMade(t, tree)
		}
	})
}

// Ten thousand damaged files: bytes changed, cut out, doubled, put in.
func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	files := seeds(t)
	for f, h := range held {
		tree := rapid.Custom(func(rt *rapid.T) *Tree { return drawTree(rt, h) })
		for i := range 5 {
			var out bytes.Buffer
			if err := Write(&out, []*Tree{tree.Example(i)}, f, nil); err != nil {
				t.Fatal(err)
			}
			files = append(files, out.String())
		}
	}
	for i := range 10_000 {
		data := []byte(files[i%len(files)])
		for range 1 + rng.IntN(4) {
			if len(data) == 0 {
				break
			}
			at := rng.IntN(len(data))
			switch rng.IntN(4) {
			case 0:
				data[at] = byte(rng.Uint32())
			case 1:
				data = data[:at]
			case 2:
				data = append(bytes.Clone(data[:at]), data[min(len(data), at+rng.IntN(8)):]...)
			default:
				data = append(append(bytes.Clone(data[:at]), data[rng.IntN(at+1):]...), byte(rng.Uint32()))
			}
		}
		examine(t, data)
	}
}

// written returns the bytes of a tree.
func written(rt *rapid.T, t *Tree, f Format) []byte {
	var out bytes.Buffer
	if err := Write(&out, []*Tree{t}, f, nil); err != nil {
		rt.Fatal(err)
	}
	return out.Bytes()
}

// Whatever a format holds comes back, and is written as the same bytes again.
func TestRoundTrip(t *testing.T) {
	for f, h := range held {
		t.Run(f.String(), rapid.MakeCheck(func(rt *rapid.T) {
			tree := drawTree(rt, h)
			if f == Text && len(tree.Nodes) == 1 {
				return // an empty line is no position
			}
			data := written(rt, tree, f)
			if got := Detect(data[:min(len(data), HeadBytes)]); got != f {
				rt.Fatalf("%q is taken for %q", data[:min(len(data), 80)], got)
			}
			again, _, err := Parse(data, Options{Size: tree.Size})
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

// What is said of a game as a whole comes back from SGF.
func TestInfoRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.OneOf(rapid.StringMatching(`[!-~äж漢\\\]][ -~äж漢\\\]]{0,8}[!-~]`),
			rapid.StringMatching(`[0-9]{1,4},[0-9]`))
		tree := drawTree(rt, held[SGF])
		tree.Info = Info{
			Rule: "renju", Program: name.Draw(rt, "program"), Name: name.Draw(rt, "name"), Event: name.Draw(rt, "event"),
			Round: "3", Date: "2024-05-01", Place: name.Draw(rt, "place"), Black: name.Draw(rt, "black"),
			White:  name.Draw(rt, "white"),
			Result: rapid.SampledFrom([]string{"B+", "W+R", "0", "B+T", "?"}).Draw(rt, "result"), Comment: words(rt, true),
		}
		again, _, err := Parse(written(rt, tree, SGF), Options{})
		if err != nil {
			rt.Fatal(err)
		}
		if again[0].Info != tree.Info {
			rt.Fatalf("%+v, want %+v", again[0].Info, tree.Info)
		}
	})
}
