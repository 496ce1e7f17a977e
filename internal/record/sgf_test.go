package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// The record in testdata is written by hand with what the format allows: variations,
// escapes, both ways to write points, rectangles, long names of version 3, properties
// nobody knows.
func TestSGF(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "hand.sgf"))
	if err != nil {
		t.Fatal(err)
	}
	trees, f, err := Parse(data, Options{})
	if err != nil || f != SGF || len(trees) != 2 {
		t.Fatalf("%d trees, %v", len(trees), err)
	}
	one := trees[0]
	if want := (Info{
		Rule: "renju", Program: "editor:2", Event: "An event", Date: "2003-07-12", Place: "Tallinn", Black: "A ] b",
		White:  `C \ d`,
		Result: "B+R", Comment: "First line\nsecond: [kept]",
	}); one.Info != want {
		t.Errorf("%+v, want %+v", one.Info, want)
	}
	var lines []string
	for leaf := range one.Leaves() {
		lines = append(lines, one.FormatLine(leaf, nil))
	}
	if got, want := fmt.Sprint(lines), "[h8h9i9i10 h8h9j8 h8i9]"; got != want {
		t.Errorf("lines %s, want %s", got, want)
	}
	if n := one.Note(1); n.Comment != "soft break gone, line kept\nnext" || len(n.Labels) != 2 ||
		n.Labels[1].Text != "a:b" || len(n.Marks) != 5 {
		t.Errorf("%+v", n)
	}
	if n := one.Note(one.MainLeaf()); !n.Valued || n.Value != -2.5 || n.Hot != 2 ||
		fmt.Sprint(n.Other) != "[{XY [1 2]} {BL [12.5]}]" {
		t.Errorf("%+v", n)
	}
	two := trees[1]
	if two.Size != 9 || two.Line != 15 || fmt.Sprint(two.Setup) != "[[72 73 63 64] [0]]" || two.Nodes[1].Move != 40 ||
		two.Nodes[2].Move != Pass || two.Nodes[3].Move != Pass {
		t.Errorf("%+v", two)
	}
}

// Texts of other encodings become UTF-8, also where a letter has the byte of a
// bracket or of a backslash.
func TestSGFCharset(t *testing.T) {
	shiftJIS, err := japanese.ShiftJIS.NewEncoder().String("表ソ能")
	if err != nil {
		t.Fatal(err)
	}
	gbk, err := simplifiedchinese.GBK.NewEncoder().String("篭網")
	if err != nil || !strings.ContainsAny(shiftJIS+gbk, `\]`) {
		t.Fatalf("%q and %q show nothing, %v", shiftJIS, gbk, err)
	}
	for text, c := range map[string]struct{ charset, want string }{
		"(;CA[Shift_JIS]SZ[15];B[hh]C[" + shiftJIS + "])": {"", "表ソ能"},
		"(;SZ[15];B[hh]C[" + gbk + "])":                   {"gbk", "篭網"},
		"(;SZ[15];B[hh]C[caf\xe9])":                       {"", "café"},
		"(;SZ[15];B[hh]C[café])":                          {"gbk", "café"},
		"(;SZ[15];B[hh]C[王])":                             {"gbk", "王"}, // a character at the end of what is looked at
		"(;CA[nonsense]SZ[15];B[hh]C[caf\xe9])":           {"", "café"},
	} {
		trees, _, err := Parse([]byte(text), Options{Charset: c.charset})
		if err != nil || trees[0].Note(1).Comment != c.want {
			t.Errorf("%q: %+v, %v", text, trees, err)
		}
	}
	for shift := range 4 { // in a long file that look may cut one
		want := strings.Repeat("x", shift) + strings.Repeat("王", HeadBytes)
		trees, _, err := Parse([]byte("(;SZ[15];B[hh]C["+want+"])"), Options{Charset: "gbk"})
		if err != nil || trees[0].Note(1).Comment != want {
			t.Errorf("UTF-8 that is cut %d further: %v", shift, err)
		}
	}
	if _, _, err := Parse([]byte("(;)"), Options{Charset: "utf-16"}); err == nil {
		t.Error("utf-16: no error")
	}
}

// The main line alone is the same as the main line of the whole, and what is beside
// it is not looked at.
func TestMainLine(t *testing.T) {
	const text = "(;GM[4]SZ[15];B[hh](;W[ab];B[cd])(;W[zz]V[x]AE[aa]))"
	trees, _, err := Parse([]byte(text), Options{MainLine: true})
	if err != nil || trees[0].FormatLine(trees[0].MainLeaf(), nil) != "h8a14c12" || len(trees[0].Nodes) != 4 {
		t.Errorf("%+v, %v", trees, err)
	}
	if _, _, err := Parse([]byte(text), Options{}); err == nil {
		t.Error("a fault in a variation: no error")
	}
	lib := libHead(3, 4) + "\x00\x00\x78\x00\x68\x80\x59\x40\x69\x40"
	if trees, _, err = Parse([]byte(lib), Options{MainLine: true}); err != nil ||
		trees[0].FormatLine(trees[0].MainLeaf(), nil) != "h8h9i10" || len(trees[0].Nodes) != 4 {
		t.Errorf("%+v, %v", trees, err)
	}
}

// What is nested deeper than any stack is read, or refused, in a line.
func TestNesting(t *testing.T) {
	deep := strings.Repeat("(", 1<<20)
	for _, text := range []string{"(;" + deep, "(;SZ[15]" + strings.Repeat("(;B[hh]", 2000) + strings.Repeat(")", 2001)} {
		if _, _, err := Parse([]byte(text), Options{}); err == nil || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%.20q...: %v", text, err)
		}
	}
	wide := "(;SZ[15]" + strings.Repeat("(;B[hh];W[ii])", 3000) + ")"
	trees, _, err := Parse([]byte(wide), Options{})
	if err != nil || len(trees[0].Nodes) != 6001 {
		t.Errorf("%v", err)
	}
}

// What takes much more memory than its bytes in the file is refused, in a game and in many;
// what takes a part of it for each of its bytes is read.
func TestSGFMemory(t *testing.T) {
	repeated := func(text string, n int) string { return "(;GM[4]SZ[15]" + strings.Repeat(text, n) + ")" }
	for name, c := range map[string]struct {
		text string
		want string // in the error; "": none
	}{
		"rectangles":      {repeated("(;TR[aa:oo])", 87_000), "too large: more than 4194304 marks"},
		"some rectangles": {repeated("(;TR[aa:oo][aa:zz])", 5_000), ""},
		"empty values": {repeated("X"+strings.Repeat("[]", maxSGFValues), 1),
			"too large: a node of more than 65536 values"},
		"many texts": {repeated("(;B[hh]LB[aa:x]N[])", 200_000), ""},
	} {
		_, _, err := Parse([]byte(c.text), Options{})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrTooBig) ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A rectangle of marks that is not all on the board is no figure of it, whether the size of the
// board comes before it or after, and comes back as it was.
func TestSGFRectangles(t *testing.T) {
	for text, c := range map[string]struct {
		marks int
		other string
	}{
		"SZ[15]TR[aa:cc][oo]":                                {10, "[]"},
		"TR[aa:pp][oo:oo]CR[dd:cc]SZ[15]":                    {1, "[{TR [aa:pp]} {CR [dd:cc]}]"},
		"TR[aa:pp]SZ[16]SQ[a1:b2]":                           {260, "[]"},
		"SZ[19]TR[ss:tt]SQ[tt]MA[s19:t20]":                   {0, "[{TR [ss:tt]} {SQ [tt]} {MA [s19:t20]}]"},
		"SZ[22]" + strings.Repeat("TR[aa:vv]", 3) + "TR[aa]": {2*22*22 + 1, "[{TR [aa:vv]}]"},
	} {
		trees, _, err := Parse([]byte("(;GM[4]"+text+")"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := Write(&out, trees, SGF, nil); err != nil {
			t.Fatal(err)
		}
		again, _, err := Parse(out.Bytes(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tree := range []*Tree{trees[0], again[0]} {
			n := tree.Note(0)
			if len(n.Marks) != c.marks || fmt.Sprint(n.Other) != c.other {
				t.Errorf("%.40s: %d marks, others %v, want %+v", text, len(n.Marks), n.Other, c)
			}
		}
	}
}

// HO has two degrees.
func TestSGFHotSpots(t *testing.T) {
	trees, _, err := Parse([]byte("(;GM[4]SZ[15];B[hh]HO[1];W[ii]HO[ 2 ];B[jj]HO[])"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(&out, trees, SGF, nil); err != nil ||
		!strings.HasSuffix(out.String(), "\n;B[hh]HO[1];W[ii]HO[2];B[jj]HO[1])\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// A game is called by the best that its record says of it.
func TestTitle(t *testing.T) {
	for want, i := range map[string]Info{
		"": {Place: "x"}, "e": {Event: "e"}, "b - w": {Event: "e", Black: "b", White: "w"}, "? - w": {White: "w"},
		"b - ?": {Black: "b"}, "n": {Name: "n", Black: "b"},
	} {
		if got := i.Title(); got != want {
			t.Errorf("%+v: %q, want %q", i, got, want)
		}
	}
}

// PL says who makes the first move, unless the other side makes it; it is written where the
// stones do not tell. A text has no form for it.
func TestFirstPlayer(t *testing.T) {
	for _, c := range []struct {
		in   string
		want game.Side
		kept bool
	}{
		{"(;AB[ao]AW[am]PL[W];W[hh])", game.Second, true},
		{"(;AB[ao]PL[black])", game.First, true},
		{"(;AB[ao][bo][co]AW[am]PL[B])", game.First, true},
		{"(;PL[2];W[hh])", game.Second, true},
		{"(;PL[B]AB[ao]AW[am];B[hh])", game.First, false},
		{"(;AB[ao]AW[am]PL[W];B[hh])", game.First, false},
		{"(;AB[ao]PL[W])", game.Second, false},
	} {
		trees, _, err := Parse([]byte(c.in), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := Write(&out, trees, SGF, nil); err != nil || trees[0].ToMove(0) != c.want ||
			strings.Contains(out.String(), "\nPL[") != c.kept {
			t.Errorf("%s: %v, %v: %s", c.in, trees[0].ToMove(0), err, &out)
		}
		if err := Write(&out, trees, Text, nil); errors.Is(err, ErrNoForm) != c.kept {
			t.Errorf("%s as text: %v", c.in, err)
		}
	}
	trees, _, err := Parse([]byte("(;PL[green];B[hh]PL[W])"), Options{})
	if err != nil || fmt.Sprint(trees[0].Note(0).Other, trees[0].Note(1).Other) != "[{PL [green]}] [{PL [W]}]" {
		t.Errorf("%v, %+v", err, trees)
	}
}

// Files as Piskvork writes them: in a tournament, in the archives of Gomocup, by
// hand, and with the second player beginning.
func TestPSQ(t *testing.T) {
	const moves = "8,8,1203\n9,8,0\n1,1,15\n15,15,2\n"
	for name, c := range map[string]struct {
		text string
		want Info
	}{
		"by hand": {"Piskvorky 15x15, 0:0, 0\n" + moves + "-1\n", Info{}},
		"cut":     {"Piskvorky 15x15, 0:0, 0\n" + moves, Info{}},
		"tournament": {"Piskvorky 15x15, 11:11, 0\n" + moves + "yixin.zip\nrapfi.zip\n0\n",
			Info{Black: "yixin.zip", White: "rapfi.zip"}},
		"timeout": {"Piskvorky 15x15, 11:11, 0\n" + moves + "yixin.zip\nrapfi.zip\n15\n",
			Info{Black: "yixin.zip", White: "rapfi.zip", Result: "W+T"}},
		"winner": {"Piskvorky 15x15, 11:11, 0\n" + moves + "a\nc\n15\n1,\n", Info{Black: "a", White: "c", Result: "B+"}},
		"both":   {"Piskvorky 15x15, 11:11, 0\n" + moves + "a\nc\n15\n2,\n", Info{Black: "a", White: "c", Result: "W+T"}},
		"archive": {"Piskvorky 15x15, 11:11, 0\n" + moves + "a b\nc\n-1\n2,Freestyle\n",
			Info{Black: "a b", White: "c", Result: "W+", Rule: "Freestyle"}},
		"drawn": {"\ufeffPiskvorky 15x15, 11:11, 0\r\n" + strings.ReplaceAll(moves, "\n",
			"\r\n") + "a\r\nc\r\n0\r\n0,Renju\r\n", Info{Black: "a", White: "c", Result: "0", Rule: "Renju"}},
		"second": {"Piskvorky 15x15, 11:0, 1\n" + moves + "brain\nhomo-2\n0\n1,Standard\n\n",
			Info{Black: "homo-2", White: "brain", Result: "W+", Rule: "Standard"}},
		"more lines": {"Piskvorky 15x15, 11:11, 0\n" + moves + "a\nc\nplayed at home\nin May\n",
			Info{Black: "a", White: "c", Comment: "played at home\nin May"}},
	} {
		trees, f, err := Parse([]byte(c.text), Options{})
		if err != nil || f != PSQ || len(trees) != 1 {
			t.Errorf("%s: %d trees, %v", name, len(trees), err)
			continue
		}
		tree := trees[0]
		if tree.Info != c.want || tree.Size != 15 || !tree.Sized {
			t.Errorf("%s: %+v, want %+v", name, tree.Info, c.want)
		}
		if got := tree.FormatLine(tree.MainLeaf(), nil); got != "h8i8a15o1" {
			t.Errorf("%s: moves %s", name, got)
		}
	}
}

func TestPSQFaults(t *testing.T) {
	const head = "Piskvorky 15x15, 11:11, 0\n"
	for text, want := range map[string]string{
		"Piskvorky\n":                                 `line 1: "Piskvorky": want a header`,
		"Piskvorky 15x20, 11:11, 0\n8,8,0\n":          "line 1: a board of 15x20: want a square one of 5 to 22",
		"Piskvorky 40x40, 11:11, 0\n8,8,0\n":          "line 1: a board of 40x40",
		head + "8,8,0\n0,8,0\n":                       "line 3: move 0,8 is not on the board",
		head + "16,8,0\n":                             "line 2: move 16,8 is not on the board",
		head + "8,8,0\n9,8,99999999999\n":             `line 3: "9,8,99999999999": want a move`,
		head + "8,8,0\n-1,7,13\n":                     `line 3: "-1,7,13": want a move`,
		head + "8,8,0\n9;8;0\n9,9,0\n-1\n":            `line 3: "9;8;0": want a move`,
		head + "8,8,0\n9,8x,0\n9,9,0\n-1\n":           `line 4: a move after "9,8x,0": want none after a line`,
		head + "8,8,0\n\n9,9,0\n-1\n":                 `line 4: a move after ""`,
		head + strings.Repeat("8,8,0\n", maxPSQLines): "too large",
		head + strings.Repeat("x", maxPSQLine+1):      "too large",
	} {
		r, err := NewReader(strings.NewReader(text), PSQ, Options{})
		if err == nil {
			_, err = r.Next()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// What is odd in a file of somebody else's is read as it is meant, and told.
func TestOddSGF(t *testing.T) {
	const plain = "(;GM[4]SZ[15];B[hh];W[hg])"
	for name, c := range map[string]struct{ text, moves, odd string }{
		"nothing": {plain, "h8h9", ""},
		"a mail": {"From: a@b (Ann)\n\nSee below :-)\n----\n" + plain, "h8h9",
			"text before the game is passed over"},
		"a code fence": {"```sgf\n" + plain + "\n```\n", "h8h9",
			"text before the game is passed over; text after the game is passed over"},
		"no first node":  {"(SZ[15]\nB[hh];W[hg])", "h8h9", "the first ; is missing"},
		"no node at all": {"(B[hh];W[hg])", "h8h9", "the first ; is missing"},
		"a bracket": {"(;US[A[3d]]C[see [1] there];B[hh];W[hg])", "h8h9",
			"a ] in US[ has no \\ before it; a ] in C[ has no \\ before it"},
		"a last parenthesis": {"(;B[hh](;W[hg])(;W[hf]", "h8h9", "the last ) is missing"},
		"after the game":     {plain + ")\nregards", "h8h9", "text after the game is passed over"},
		"small letters":      {"(;sz[15];b[hh];w[gg]c[x])", "h8g9", "properties are in small letters"},
		"long names":         {"(;GaMe[4]SiZe[15];Black[hh];White[gg])", "h8g9", ""},
		"an opening":         {"(;SZ[15]QPR[hh,hg,jf];QSLW[ig];B[gg])", "h8h9j10i9g9", ""},
		"an offer": {"(;SZ[15]QPR[hh,hg,jf];QSLW[ig,aa];B[gg])", "h8h9j10g9",
			"QSLW[ig,aa] holds points that are not read"},
		"points of a site": {"(;SZ[15];B[hh]QXX[hg,jf]AN[hg]BR[no]XY[12])", "h8",
			"QXX[hg,jf] holds points that are not read"},
		"offered fifth moves": {"(;SZ[15];B[hh]5A[gg][hh];W[hg])", "h8h9", ""},
	} {
		trees, f, err := Parse([]byte(c.text), Options{})
		if err != nil || f != SGF {
			t.Errorf("%s: %v, %v", name, f, err)
			continue
		}
		tree := trees[0]
		if moves := tree.FormatLine(tree.MainLeaf(), nil); moves != c.moves || strings.Join(tree.Odd, "; ") != c.odd {
			t.Errorf("%s: %s, %q; want %s, %q", name, moves, tree.Odd, c.moves, c.odd)
		}
	}
	trees, _, err := Parse([]byte("Games:\n"+plain+"\nand then\n"+plain), Options{})
	if err != nil || len(trees) != 2 || len(trees[0].Odd) != 2 || len(trees[1].Odd) != 0 {
		t.Errorf("two games in a text: %+v, %v", trees, err)
	}
	for _, text := range []string{"(;B[hh", "(;B[hh]W", "(;B[hh];W[zz])"} {
		if _, _, err := Parse([]byte(text), Options{}); (err == nil) != (text == "(;B[hh]W") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
