package record

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
)

// Files as Piskvork writes them: in a tournament, in the archives of Gomocup, by
// hand, and with the second player beginning.
func TestPSQ(t *testing.T) {
	const moves = "8,8,1203\n9,8,0\n1,1,15\n15,15,2\n"
	for name, c := range map[string]struct {
		text string
		want Info
	}{
		"by hand":    {"Piskvorky 15x15, 0:0, 0\n" + moves + "-1\n", Info{}},
		"cut":        {"Piskvorky 15x15, 0:0, 0\n" + moves, Info{}},
		"tournament": {"Piskvorky 15x15, 11:11, 0\n" + moves + "yixin.zip\nrapfi.zip\n0\n", Info{Black: "yixin.zip", White: "rapfi.zip"}},
		"timeout":    {"Piskvorky 15x15, 11:11, 0\n" + moves + "yixin.zip\nrapfi.zip\n15\n", Info{Black: "yixin.zip", White: "rapfi.zip", Result: "W+T"}},
		"winner":     {"Piskvorky 15x15, 11:11, 0\n" + moves + "a\nc\n15\n1,\n", Info{Black: "a", White: "c", Result: "B+"}},
		"both":       {"Piskvorky 15x15, 11:11, 0\n" + moves + "a\nc\n15\n2,\n", Info{Black: "a", White: "c", Result: "W+T"}},
		"archive":    {"Piskvorky 15x15, 11:11, 0\n" + moves + "a b\nc\n-1\n2,Freestyle\n", Info{Black: "a b", White: "c", Result: "W+", Rule: "Freestyle"}},
		"drawn":      {"\ufeffPiskvorky 15x15, 11:11, 0\r\n" + strings.ReplaceAll(moves, "\n", "\r\n") + "a\r\nc\r\n0\r\n0,Renju\r\n", Info{Black: "a", White: "c", Result: "0", Rule: "Renju"}},
		"second":     {"Piskvorky 15x15, 11:0, 1\n" + moves + "brain\nhomo-2\n0\n1,Standard\n\n", Info{Black: "homo-2", White: "brain", Result: "W+", Rule: "Standard"}},
		"more lines": {"Piskvorky 15x15, 11:11, 0\n" + moves + "a\nc\nplayed at home\nin May\n", Info{Black: "a", White: "c", Comment: "played at home\nin May"}},
	} {
		trees, f, err := Parse([]byte(c.text), "", Options{})
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
		if ms := tree.Note(1).Time.Milliseconds(); ms != 1203 {
			t.Errorf("%s: %d ms", name, ms)
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
		head + "8,8,0\n9,8x,0\n9,9,0\n-1\n":           `line 4: a move after "9,8x,0": want none after a line that is no move`,
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

// A game is written as Piskvork writes it; what has no place is counted.
func TestPSQWritten(t *testing.T) {
	trees, _, err := Parse([]byte("(;GM[4]SZ[20]RU[caro]PB[one]EV[e]RE[B+R]AB[aa]AW[bb];B[cc]C[x];W[tt](;B[dd])(;B[ee]))"), "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	loss, err := Write(&out, trees, PSQ, WriteOptions{})
	const want = "Piskvorky 20x20, 0:0, 0\n1,1,0\n2,2,0\n3,3,0\n20,20,0\n4,4,0\none\nhomo-2\n0\n1,Caro\n"
	if err != nil || out.String() != want {
		t.Errorf("%q, %v, want %q", out.String(), err, want)
	}
	if got := loss.String(); got != "1 reasons of results, 1 comments, 1 moves of variations, 1 texts about games" {
		t.Errorf("lost %q", got)
	}
	blank := New(15)
	blank.Black, blank.White = "-1", "\u0085"
	out.Reset()
	if _, err := Write(&out, []*Tree{blank}, PSQ, WriteOptions{}); err != nil || out.String() != "Piskvorky 15x15, 0:0, 0\n-1\nhomo-2\n-1\n" {
		t.Errorf("a name of white space: %q, %v", out.String(), err)
	}
	named := New(15)
	named.Black, named.White = "1,2,3", "4;5;6"
	out.Reset()
	if _, err := Write(&out, []*Tree{named}, PSQ, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if trees, _, err := Parse(out.Bytes(), "", Options{}); err != nil || trees[0].Black != "player 1,2,3" || trees[0].White != "player 4;5;6" || len(trees[0].Nodes) != 1 {
		t.Errorf("names like moves: %q, %v", out.String(), err)
	}
	for text, want := range map[string]struct{ trailer, lost, result string }{
		"RE[W+T];B[hh];W[hg]":   {"15\n2,\n", "", "W+T"},
		"RE[B+T];B[hh];W[hg]":   {"0\n1,\n", "1 reasons of results", "B+"},
		"RE[B+T];B[hh]":         {"15\n1,\n", "", "B+T"},
		"RE[?+T];B[hh]":         {"-1\n", "1 results", ""},
		"RE[Void];B[hh]":        {"-1\n", "1 results", ""},
		"RE[?];B[hh]":           {"-1\n", "", ""},
		"RE[B+2.5];B[hh]":       {"0\n1,\n", "1 reasons of results", "B+"},
		"RE[White+];B[hh]":      {"0\n2,\n", "", "W+"},
		"RE[Draw];B[hh];W[hg]":  {"0\n0,\n", "", "0"},
		"RE[W+R]RU[x];B[hh]":    {"0\n2,X\n", "1 reasons of results", "W+"},
		"RE[Void]RU[1,2];B[hh]": {"-1\n-1,Rule 1,2\n", "1 results", ""},
	} {
		trees, _, err := Parse([]byte("(;GM[4]SZ[15]"+text+")"), "", Options{})
		if err != nil {
			t.Fatal(err)
		}
		out.Reset()
		loss, err := Write(&out, trees, PSQ, WriteOptions{})
		if err != nil || !strings.HasSuffix(out.String(), ",0\n"+want.trailer) || loss.String() != want.lost {
			t.Errorf("%s: %q, lost %q, %v; want %+v", text, out.String(), &loss, err, want)
		}
		if trees, _, err = Parse(out.Bytes(), "", Options{}); err != nil || trees[0].Result != want.result {
			t.Errorf("%s comes back as %+v, %v", text, trees, err)
		}
	}
	long := New(15)
	long.Black, long.White, long.Rule = strings.Repeat("x", 5000), strings.Repeat("1,", 2500), strings.Repeat("\u0080é漢", 1000)
	for _, charset := range []string{"utf-8", "gb18030", "iso-2022-jp", "windows-1252"} {
		out.Reset()
		loss, err := Write(&out, []*Tree{long}, PSQ, WriteOptions{Charset: charset})
		if err != nil || len(loss.Kinds) != 1 || loss.Kinds[0].What != "characters" || loss.Kinds[0].Count < 4000+4000+2500 {
			t.Errorf("%s: lost %q, %v", charset, &loss, err)
		}
		trees, _, err := Parse(out.Bytes(), "", Options{Charset: charset})
		if err != nil || trees[0].Black != long.Black[:1000] || !strings.HasPrefix(trees[0].White, "player 1,1,") {
			t.Errorf("%s: long names do not come back: %v", charset, err)
		}
	}
	pass := New(15)
	if _, err := pass.Add(0, Pass, game.First); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(&out, []*Tree{pass}, PSQ, WriteOptions{}); !errors.Is(err, ErrNoForm) {
		t.Errorf("a pass: %v", err)
	}
	if _, err := Write(&out, []*Tree{pass, pass}, PSQ, WriteOptions{}); err == nil {
		t.Error("two games in a file: no error")
	}
}
