package record

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

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
		"0 \"A\\nB\\nC\"\n 0 h8 h9=A i9=B1\n  1 h9\n   0 i10 !\n  1 j9 >\n"},
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
			if note.Start {
				b.WriteString(" >")
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
		var out bytes.Buffer
		if loss, err := Write(&out, trees, Lib, nil); err != nil || loss.String() != "" {
			t.Errorf("%s: lost %q, %v", name, &loss, err)
		}
		again, _, err := Parse(out.Bytes(), Options{})
		if err != nil || libraryText(again[0]) != c.want {
			t.Errorf("%s does not come back: %q, %v", name, out.Bytes(), err)
		}
		if exact := map[string]bool{"root alone": true, "a pass": true, "corners": true}; exact[name] && out.String() != c.data {
			t.Errorf("%s: written as %q, want %q", name, out.String(), c.data)
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

// What a library cannot hold is counted; a board that it cannot hold is refused.
func TestLibLoss(t *testing.T) {
	const text = "(;GM[4]SZ[15]PB[A]PW[B]RE[B+];B[hh]V[3]TR[aa];C[between]LB[bb:x];W[ii](;B[jj])(;B[kk]XX[1]))"
	trees, _, err := Parse([]byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	loss, err := Write(&out, trees, Lib, nil)
	if want := "3 texts about games, 1 marks, 1 values, 1 other properties"; err != nil || loss.String() != want {
		t.Errorf("lost %q, %v, want %q", &loss, err, want)
	}
	again, _, err := Parse(out.Bytes(), Options{})
	if want := "0\n 0 h8 \"between\" b14=x\n  1 i7\n   0 j6\n   0 k5\n"; err != nil || libraryText(again[0]) != want {
		t.Errorf("%v:\n%s\nwant\n%s", err, libraryText(again[0]), want)
	}
	trees, _, err = Parse([]byte("(;GM[4]SZ[15];B[hh]HO[2]LB[ao:][aa:][bb:x][bb:][bb:y][cc:z][cc:];W[bb])"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	loss, err = Write(&out, trees, Lib, nil)
	if want := "5 labels, 1 degrees of hot spots"; err != nil || loss.String() != want {
		t.Errorf("lost %q, %v, want %q", &loss, err, want)
	}
	again, _, err = Parse(out.Bytes(), Options{})
	if want := "0\n 0 h8 b14=y c13=z !\n  1 b14\n"; err != nil || libraryText(again[0]) != want {
		t.Errorf("%v:\n%s\nwant\n%s", err, libraryText(again[0]), want)
	}
	trees, _, err = Parse([]byte("(;GM[4]SZ[15]V[1]TR[aa]XX[1];B[hh])"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	loss, err = Write(&out, trees, Lib, nil)
	if want := "1 marks, 1 values, 1 other properties"; err != nil || loss.String() != want {
		t.Errorf("of the root of the first version lost %q, %v, want %q", &loss, err, want)
	}
	for _, size := range []int{9, 19} {
		if _, err := Write(&out, []*Tree{New(size)}, Lib, nil); !errors.Is(err, ErrNoForm) {
			t.Errorf("size %d: %v", size, err)
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
