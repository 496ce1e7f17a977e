package gamefiles

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// libHead is the header of a library of RenLib 3.04, with the root's node.
var libHead = "\xffRenLib\xff\x03\x04" + strings.Repeat("\xff", 10) + "\x00\x00"

// A library gives the line to each of its leaves, a psq file its game, and both say
// of which size and rule they are, as far as they do.
func TestLibAndPSQ(t *testing.T) {
	folder := write(t, map[string]string{
		"a.lib": libHead + "\x78\x80\x68\x80\x59\x40\x69\x40\x77\x40",
		"b.psq": "Piskvorky 15x15, 11:11, 0\n8,8,0\n8,7,3\na\nb\n15\n-1,Caro\n",
		"c.txt": "h8",
	})
	games, err := readAll([]string{folder}, Options{Variant: variant(t, "caro", 15)})
	if err != nil || len(games) != 4 {
		t.Fatalf("%+v, %v", games, err)
	}
	for i, want := range []struct{ text, source string }{
		{"h8h9i10", "a.lib, line 1"}, {"h8i9", "a.lib, line 2"}, {"g8", "a.lib, line 3"}, {"h8h9", "b.psq"},
	} {
		g := games[i]
		if g.Text(len(g.Moves)) != want.text || g.Source != filepath.Join(folder, want.source) || g.Single {
			t.Errorf("%+v, want %+v", g, want)
		}
	}
	if g := games[3]; g.Outcome != game.SecondWins || g.Reason != game.Forfeit {
		t.Errorf("lost on time: %v, %v", g.Outcome, g.Reason)
	}
}

func TestLibAndPSQFaults(t *testing.T) {
	folder := write(t, map[string]string{
		"taken.lib": libHead + "\x78\x00\x78\x40", "cut.lib": libHead + "\x78", "none.lib": libHead, "pass.lib": libHead + "\x78\x00\x00\x40",
		"taken.psq": "Piskvorky 15x15, 0:0, 0\n8,8,0\n8,8,0\n", "rule.psq": "Piskvorky 15x15, 0:0, 0\n8,8,0\n-1\n0,Swap9\n", "cut.psq": "Piskvorky 15x\n",
	})
	for name, want := range map[string]string{
		"taken.lib": "taken.lib, line 1: move 2, h8, is illegal under caro 15x15",
		"cut.lib":   "cut.lib: byte 22: the file ends inside a node",
		"none.lib":  "none.lib: no games or positions in it",
		"pass.lib":  "pass.lib, line 1: move 2: a pass",
		"taken.psq": "taken.psq: move 2, h8, is illegal under caro 15x15",
		"rule.psq":  `rule.psq: unknown rule "Swap9"`,
		"cut.psq":   "cut.psq:1: ",
	} {
		_, err := readAll([]string{filepath.Join(folder, name)}, Options{Variant: variant(t, "caro", 15)})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	size := filepath.Join(folder, "taken.lib")
	if _, err := readAll([]string{size}, Options{Variant: variant(t, "caro", 9), Fixed: true}); err == nil || !strings.Contains(err.Error(), "its games are of caro 15x15, and the rule asked for is caro 9x9") {
		t.Errorf("another size: %v", err)
	}
}

// Trees keep what a game's main line does not have, and say where rules are broken.
func TestTrees(t *testing.T) {
	folder := write(t, map[string]string{
		"a.sgf": "(;GM[4]SZ[9]RU[renju];B[ee];W[aa](;B[bb]C[x])(;B[aa]))(;SZ[15]RU[my club];B[hh];W[ii])",
		"b.lib": libHead + "\x78\x00\x68\x40",
	})
	in, err := OpenTrees([]string{folder}, Options{Variant: variant(t, "freestyle", 15)}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var got, faults []string
	for {
		r, err := in.Next()
		if err != nil {
			break
		}
		start, moves, err := r.Position(r.Tree.MainLeaf(), -1)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Variant.String()+" "+r.Variant.FormatGame(start, moves))
		if err := r.Check(); err != nil {
			faults = append(faults, strings.TrimPrefix(err.Error(), folder+string(filepath.Separator)))
		}
	}
	if want := "renju 9x9 e5a9b8|freestyle 15x15 h8i7|freestyle 15x15 h8h9"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %s", got, want)
	}
	if want := "a.sgf:1: move 3, a9, is illegal under renju 9x9"; len(faults) != 1 || faults[0] != want {
		t.Errorf("%q, want %q", faults, want)
	}
}

// Every kind of game makes a record and comes back from it.
func TestGameTree(t *testing.T) {
	folder := write(t, map[string]string{"a.txt": "h8i9j7\n", "b.txt": "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2\n", "c.sgf": strings.Replace(win, "RE[B+]", "RE[W+F]", 1)})
	onitama, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]games.Variant{"a.txt": variant(t, "caro", 15), "b.txt": onitama, "c.sgf": variant(t, "caro", 15)} {
		o := Options{Variant: v}
		games, err := readAll([]string{filepath.Join(folder, name)}, o)
		if err != nil || len(games) != 1 {
			t.Fatalf("%v, %v", games, err)
		}
		tree, err := games[0].Tree()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tree.FormatLine(tree.MainLeaf(), o.Variant.Notation()), games[0].Text(len(games[0].Moves)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if o, r := tree.Outcome(); o != games[0].Outcome || name == "c.sgf" && r != game.Forfeit {
			t.Errorf("%s: %v %q, want %v %q", name, o, r, games[0].Outcome, games[0].Reason)
		}
	}
}
