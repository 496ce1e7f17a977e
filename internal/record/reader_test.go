package record

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"pgregory.net/rapid"
)

// Files beyond the bounds are read no further than to the first game, move or mark too
// many: what is wrong after it is not seen.
func TestParseBounds(t *testing.T) {
	o := Options{MaxGames: 3, MaxNodes: 8, MaxMarks: 4}
	lib := libHead(3, 4) + "\x00\x00" + strings.Repeat("\x78\x00", 7)
	for text, want := range map[string]string{
		"h8\nh8\nh8\n":             "",
		"h8\nh8\nh8\nh8\n?":        "want at most 3 games and 8 moves",
		"h8i9j7\nh8i9j7\n":         "",
		"h8i9j7\nh8i9j7k7\n?":      "want at most 3 games and 8 moves",
		"(;B[hh])(;B[hh])(;B[hh])": "", "(;B[hh])(;B[hh])(;B[hh])(;B[hh])?": "want at most 3 games and 8 moves",
		"(;" + strings.Repeat("(;B[hh])", 7) + ")":  "",
		"(;" + strings.Repeat("(;B[hh])", 8) + "(?": "line 1: too large: want at most 3 games and 8 moves",
		"(;" + strings.Repeat(";C[x]", 8) + ";?":    "want at most 3 games and 8 moves",
		"(;TR[aa:ab])(;SQ[aa]MA[aa])":               "", "(;TR[aa:ab])(;SQ[aa]MA[aa];CR[aa];?": "more than 4 marks",
		lib: "", lib + "\x78\x00\xff": "want at most 3 games and 8 moves",
	} {
		_, _, err := Parse([]byte(text), o)
		if want == "" && err != nil || want != "" && (!errors.Is(err, ErrTooBig) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// holding says what a format holds, and so what random trees for it have.
type holding struct {
	variations, notes, setup bool
	sizes                    []int
}

var held = map[Format]holding{
	SGF:  {variations: true, notes: true, setup: true, sizes: []int{5, 9, 15, 19, 20, 22}},
	Text: {sizes: []int{5, 15, 22}},
}

// drawTree draws a tree. Its moves are any cells: the package knows no rules. A
// move stands but once below a node, and lines come before shorter ones of the same
// moves.
func drawTree(rt *rapid.T, h holding) *Tree {
	size := rapid.SampledFrom(h.sizes).Draw(rt, "size")
	t := New(size)
	t.Sized = true
	cell := rapid.Custom(func(rt *rapid.T) game.Move { return game.Move(rapid.IntRange(0, size*size-1).Draw(rt, "cell")) })
	if h.setup && rapid.Bool().Draw(rt, "setup") {
		n := rapid.IntRange(0, 4).Draw(rt, "stones")
		t.Setup[0] = rapid.SliceOfN(cell, n, n).Draw(rt, "black")
		t.Setup[1] = rapid.SliceOfN(cell, max(0, n-1), max(0, n-1)).Draw(rt, "white")
		if rapid.Bool().Draw(rt, "told") {
			t.First, t.Told = rapid.SampledFrom([]game.Side{game.First, game.Second}).Draw(rt, "first"), true
		}
	}
	for range rapid.IntRange(0, 40).Draw(rt, "nodes") {
		parent := int32(len(t.Nodes) - 1)
		if h.variations {
			parent = int32(rapid.IntRange(0, len(t.Nodes)-1).Draw(rt, "parent"))
		}
		m := cell.Draw(rt, "move")
		if h.notes && rapid.IntRange(0, 9).Draw(rt, "pass") == 0 {
			m = Pass
		}
		if m != Pass && h.notes && size <= 19 && letters(size, m) == "tt" {
			continue
		}
		if _, err := t.child(parent, m, t.ToMove(parent)); err != nil {
			rt.Fatal(err)
		}
	}
	for id := range t.Nodes {
		drawNote(rt, t, int32(id), h, cell)
	}
	return t
}

// words draws a comment: what may come between the ends of its lines.
func words(rt *rapid.T, lines bool) string {
	text := rapid.StringMatching(`[ -~äß漢ж\\\]\[:;()]{0,12}`).Draw(rt, "text")
	if lines && rapid.Bool().Draw(rt, "lines") {
		text += "\n" + rapid.StringMatching(`[ -~é\n]{0,12}`).Draw(rt, "more")
	}
	return text
}

func drawNote(rt *rapid.T, t *Tree, id int32, h holding, cell *rapid.Generator[game.Move]) {
	if !h.notes || rapid.IntRange(0, 2).Draw(rt, "noted") > 0 {
		return
	}
	n := t.Remark(id)
	n.Comment = words(rt, true)
	n.Hot = rapid.Uint8Range(0, 2).Draw(rt, "hot")
	used := map[game.Move]bool{}
	for range rapid.IntRange(0, 3).Draw(rt, "labels") {
		l := Label{At: cell.Draw(rt, "at"), Text: words(rt, false)}
		if used[l.At] {
			continue
		}
		used[l.At] = true
		n.Labels = append(n.Labels, l)
	}
	for kind := range markNames {
		if at := cell.Draw(rt, "at"); rapid.Bool().Draw(rt, "mark") {
			n.Marks = append(n.Marks, Mark{At: at, Kind: MarkKind(kind)})
		}
	}
	if n.Valued = rapid.Bool().Draw(rt, "valued"); n.Valued {
		n.Value = rapid.Float64Range(-100, 100).Draw(rt, "value")
	}
	if rapid.Bool().Draw(rt, "other") {
		n.Other = []Property{{"XX", []string{escape(words(rt, true)), "1"}}, {"YY", []string{"2"}}}
	}
}

// dump writes all that a tree holds of the game and its moves.
func dump(t *Tree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %v %q %d\n", t.Size, t.Setup, t.Start, t.ToMove(0))
	for id := int32(0); ; {
		n := t.Nodes[id]
		fmt.Fprintf(&b, "%s%s %d", strings.Repeat(" ", int(n.Depth)), cellName(t.Size, n.Move), n.Side)
		if note := t.Note(id); note != nil {
			labels := map[game.Move]string{}
			for _, l := range note.Labels {
				labels[l.At] = l.Text
			}
			marks := append([]Mark(nil), note.Marks...)
			if text := fmt.Sprint(note.Comment, labels, marks, note.Value, note.Valued, note.Hot,
				note.Other); text != fmt.Sprint("", labels, marks, 0, false, 0, note.Other) ||
				len(labels)+len(marks)+len(note.Other) > 0 {
				fmt.Fprintf(&b, " %q", text)
			}
		}
		b.WriteByte('\n')
		if id = t.Next(id); id == 0 {
			return b.String()
		}
	}
}

// A list of games may be of a board smaller than gomoku's.

func TestTextsOfOtherBoards(t *testing.T) {
	for size, text := range map[int]string{3: "a1c3", 4: "a1d4", 22: "a1v22"} {
		r, err := NewReader(strings.NewReader(text), Text, Options{Size: size})
		if err != nil {
			t.Fatal(err)
		}
		tree, err := r.Next()
		if err != nil || tree.Size != size || !slices.Equal(tree.Moves(tree.MainLeaf()),
			[]game.Move{0, game.Move(size*size - 1)}) {
			t.Errorf("%s on %d columns: %+v, %v", text, size, tree, err)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("after the game: %v", err)
		}
	}
	if _, err := NewReader(strings.NewReader("a1"), Text, Options{Size: 23}); err == nil ||
		!strings.Contains(err.Error(), "at most 22") {
		t.Errorf("23 columns: %v", err)
	}
}

// libHead returns the header of a version.
func libHead(major, minor byte) string {
	return "\xffRenLib\xff" + string([]byte{major, minor}) + strings.Repeat("\xff", 10)
}

// libraries are files as RenLib writes them, byte by byte, and what they hold.
var libraries = map[string]struct{ data, want string }{
	"centre alone": {libHead(3, 0) + "\x78\x00", "0\n 0 h8\n"},
	"root alone":   {libHead(3, 4) + "\x00\x00", "0\n"},
	"a line from the centre": {libHead(3, 0) + "\x78\x00\x69\x00\x58\x40",
		"0\n 0 h8\n  1 i9\n   0 h10\n"},
	"three replies, two with comments": {libHead(3,
		0) + "\x78\x00\x68\x88" + "direct\x00\x00\x59\x40\x69\xc8indirect\x00\x00\x79\x40",
		"0\n 0 h8\n  1 h9 \"direct\"\n   0 i10\n  1 i9 \"indirect\"\n  1 i8\n"},
	"text on the board": {libHead(3, 4) + "\x00\x08A\x08B\r\nC\x00\x00" + "\x78\x00" + "\x68\x81\x00\x01A\x00" +
		"\x59\x50" + "\x69\xc3\x00\x01B1\x00\x00" + "\x6a\x44",
		"0 \"A\\nB\\nC\"\n 0 h8 h9=A i9=B1\n  1 h9\n   0 i10 !\n  1 j9\n"},
	"a pass": {libHead(3, 4) + "\x00\x00\x78\x00\x00\x00\x79\x40", "0\n 0 h8\n  1 pass\n   0 i8\n"},
	"corners": {libHead(3, 4) + "\x00\x00\x01\x80\x0f\x40\xe1\x80\xef\x40\xe8\x40",
		"0\n 0 a15\n  1 o15\n 0 a1\n  1 o1\n 0 h1\n"},
	"a branch that is cut out": {libHead(3, 4) + "\x00\x00\x78\x80\x68\x00\x59\x40", "0\n 0 h8\n  1 h9\n   0 i10\n"},
	"windows-1252":             {libHead(3, 0) + "\x78\x08caf\xe9\x00\x00", "0\n 0 h8 \"café\"\n"},
	"a move twice":             {libHead(3, 4) + "\x00\x00\x78\x80\x68\x40\x78\x00\x69\x40", "0\n 0 h8\n  1 h9\n  1 i9\n"},
}

// libraryText writes a tree for comparing.
func libraryText(t *Tree) string {
	var b strings.Builder
	for id := int32(0); ; {
		n := t.Nodes[id]
		if id > 0 {
			fmt.Fprintf(&b, "%s%d %s", strings.Repeat(" ", int(n.Depth)), n.Side, cellName(15, n.Move))
		} else {
			b.WriteByte('0')
		}
		if note := t.Note(id); note != nil {
			if note.Comment != "" {
				fmt.Fprintf(&b, " %q", note.Comment)
			}
			for _, l := range note.Labels {
				fmt.Fprintf(&b, " %s=%s", cellName(15, l.At), l.Text)
			}
			if note.Hot > 0 {
				b.WriteString(" !")
			}
		}
		b.WriteByte('\n')
		if id = t.Next(id); id == 0 {
			return b.String()
		}
	}
}

// cellName returns a move as a person reads it.
func cellName(size int, m game.Move) string {
	if m == Pass {
		return "pass"
	}
	return gomoku.Notation{Size: size}.FormatMove(m)
}

func TestLibraries(t *testing.T) {
	for name, c := range libraries {
		trees, f, err := Parse([]byte(c.data), Options{})
		if err != nil || f != Lib || len(trees) != 1 {
			t.Errorf("%s: %d trees, %v", name, len(trees), err)
			continue
		}
		if got := libraryText(trees[0]); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestLibFaults(t *testing.T) {
	head := libHead(3, 4)
	for data, want := range map[string]string{
		head + "\x00\x00\x78":                          "byte 22: the file ends inside a node",
		head + "\x00\x00\x78\x01\x00":                  "byte 22: the file ends inside a node",
		head + "\x00\x00\x78\x08abc":                   "byte 22: the file ends inside a text",
		head + "\x00\x00\x78\x08abcd\x00":              "byte 22: the file ends inside a text",
		head + "\x00\x00\x78\x20abc":                   "byte 22: a comment of RenLib 2",
		head + "\x00\x00\x70\x40":                      "byte 22: position 0x70 is not on the board",
		head + "\x00\x00\xf8\x40":                      "byte 22: position 0xf8 is not on the board",
		head + "\x00\x00\x78\x40\x78\x40":              "byte 22: 2 bytes follow the last node",
		head + "\x00\x00\x78\x03\x00\x01A\x00\x68\x40": "byte 22: moves follow a text that is no move",
		libHead(3, 5) + "\x00\x00":                     "byte 0: version 3.05 of RenLib: want at most 3.04",
		"\xffRenLib\xff\x03":                           "byte 0: no library of RenLib",
	} {
		_, _, err := Parse([]byte(data), Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
	deep := head + "\x00\x00" + strings.Repeat("\x78\x00", MaxDepth+1)
	if _, _, err := Parse([]byte(deep), Options{}); !errors.Is(err, ErrTooBig) {
		t.Errorf("a line of %d moves: %v", MaxDepth+1, err)
	}
}

// Comments of a move that is there more than once are joined, but not without end.
func TestLibComments(t *testing.T) {
	for n, want := range map[int]error{MaxDepth: nil, MaxDepth + 1: ErrTooBig} {
		var lib, joined strings.Builder
		lib.WriteString(libHead(3, 4) + "\x00\x00")
		for i := range n {
			flags := byte(libDown | libRight | libComment)
			if i == n-1 {
				flags = libRight | libComment
			}
			fmt.Fprintf(&lib, "\x78%s%06d\x00\x00", []byte{flags}, i)
			fmt.Fprintf(&joined, "\n%06d", i)
		}
		trees, _, err := Parse([]byte(lib.String()), Options{})
		if !errors.Is(err, want) || err == nil && trees[0].Note(1).Comment != joined.String()[1:] {
			t.Errorf("%d comments: %v", n, err)
		}
	}
}

// Texts that are no UTF-8 are in the encoding that is asked for.
func TestLibCharset(t *testing.T) {
	trees, _, err := Parse([]byte(libHead(3, 0)+"\x78\x08\xbb\xa8\xd4\xc2\x00\x00"), Options{Charset: "gbk"})
	if err != nil || trees[0].Note(1).Comment != "花月" {
		t.Fatalf("%q, %v", trees[0].Note(1).Comment, err)
	}
}
