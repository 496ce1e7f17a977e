package gamefiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/selfplay/samples"
	"pgregory.net/rapid"
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

// A line of a record has so many moves as are asked for, with what is said of them,
// and is wrong only where those are.
func TestLine(t *testing.T) {
	tree := record.New(15)
	tree.Sized, tree.Setup = true, [2][]game.Move{{112}, {113}}
	leaf, err := tree.Extend(0, game.First, []game.Move{97, 127, 98, 97}, []float64{1, math.NaN(), -2})
	if err != nil {
		t.Fatal(err)
	}
	tree.Result = "W+"
	r, err := NewRecord(tree, "a.sgf:1", games.VariantOptions{Rule: "renju"}, false)
	if err != nil {
		t.Fatal(err)
	}
	r.Opening, r.Reason = 1, game.MoveLimit
	g, err := r.Line(leaf, 5)
	if err != nil || g.Text(5) != "h8i8h7h9i7" || fmt.Sprint(g.Values) != "[NaN NaN 1 NaN -2]" || g.Opening != 3 ||
		g.Single {
		t.Errorf("%+v, %v", g, err)
	}
	if g.Outcome != game.SecondWins || g.Reason != game.MoveLimit {
		t.Errorf("%v, %v", g.Outcome, g.Reason)
	}
	if g, err := r.Line(leaf, 2); err != nil || !g.Single || len(g.Values) != 2 {
		t.Errorf("the stones that are set up: %+v, %v", g, err)
	}
	for plies, want := range map[int]string{
		6: "a.sgf:1: move 6, h7, is illegal under renju 15x15", -1: "a.sgf:1: move 6, h7, is illegal under renju 15x15",
		7: "a.sgf:1: the game has 6 moves, not 7",
	} {
		if _, err := r.Line(leaf, plies); err == nil || err.Error() != want {
			t.Errorf("%d moves: %v, want %s", plies, err, want)
		}
	}
}

// What a record is of is told by its tree, and else by who asks; a tree that cannot be
// of the game asked for is told apart from one whose variant is wrong.
func TestNewRecord(t *testing.T) {
	cells, cards := record.New(9), record.New(0)
	cells.Sized, cells.Rule = true, " Renju "
	for _, c := range []struct {
		tree  *record.Tree
		o     games.VariantOptions
		fixed bool
		want  string
		form  bool
	}{
		{cells, games.VariantOptions{Rule: "caro"}, false, "renju 9x9", false},
		{cells, games.VariantOptions{Rule: "caro"}, true, "caro 9x9", false},
		{cells, games.VariantOptions{Game: games.Onitama}, false, "", true},
		{cards, games.VariantOptions{Game: games.Onitama}, false, "onitama", false},
		{cards, games.VariantOptions{}, false, "", true},
		{cells, games.VariantOptions{Rule: "chess"}, false, "", false},
	} {
		r, err := NewRecord(c.tree, "", c.o, c.fixed)
		if err == nil && r.Variant.String() != c.want || (err == nil) != (c.want != "") ||
			errors.Is(err, errForm) != c.form || r.Tree != c.tree {
			t.Errorf("%+v: %v, %v, want %q", c.o, r.Variant, err, c.want)
		}
	}
}

// A game of self-play whose words or moves are wrong makes no record, and the error
// says which one it is.
func TestShardGame(t *testing.T) {
	v := variant(t, "caro", 15)
	for want, g := range map[string]samples.Game{
		"":                                       {Result: "draw", Moves: "h8i9j7", From: "h8"},
		`s, game 0: result "lost": want`:         {Result: "lost", Moves: "h8"},
		"s, game 0: bad notation":                {Result: "first", Moves: "h8z"},
		`s, game 0: from "h8i9" is no beginning`: {Result: "first", Moves: "h8", From: "h8i9"},
		`s, game 0: from "h" is no beginning of the mo`: {Result: "first", Moves: "h8", From: "h"},
	} {
		g.Reason = game.MoveLimit
		shard := &Shard{&samples.Shard{Header: samples.Header{Games: []samples.Game{g}}}, "s", v}
		r, err := shard.Game(0)
		if err != nil && (want == "" || !strings.HasPrefix(err.Error(), want)) || err == nil && want != "" {
			t.Errorf("%+v: %v, want %q", g, err, want)
		}
		if err != nil {
			continue
		}
		if outcome, reason := r.Result(); outcome != game.Draw || reason != game.MoveLimit || r.Opening != 1 ||
			r.Tree.Result != "0" || r.Variant != v {
			t.Errorf("%+v", r)
		}
	}
}

// Stones that were set up need not have been played in turn: the record can be checked, but
// its lines are none of moves in turn from the start.
func TestOutOfTurn(t *testing.T) {
	for text, want := range map[string]string{
		"(;GM[4]SZ[15]AB[ao]AW[am]PL[W];W[hh];B[ba])":                  "",
		"(;GM[4]SZ[15]AB[ao]AW[am]PL[W])":                              "",
		"(;GM[4]SZ[15]AB[ao]AW[am]PL[W];W[am])":                        "illegal",
		"(;GM[4]SZ[15]AB[ao]AW[ao]PL[W])":                              "two stones are set up on a1",
		"(;GM[4]SZ[15]RU[freestyle]AB[aa][ba][ca][da][ea]PL[W];W[hh])": "end of the game",
	} {
		trees, _, err := record.Parse([]byte(text), record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewRecord(trees[0], "", games.VariantOptions{}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if _, err := r.Line(trees[0].MainLeaf(), -1); err == nil {
			t.Errorf("%s: it has a line", text)
		}
	}
}

// A game of any rule set and size, and of Onitama, that the rules have allowed comes
// back from every format that holds it: the same moves, rule, size and result, which
// lead to the same position.
func TestGamesComeBack(t *testing.T) {
	rules := append(games.RuleNames(), "")
	rapid.Check(t, func(rt *rapid.T) {
		o := games.VariantOptions{Rule: rapid.SampledFrom(rules).Draw(rt, "rule"),
			Size: rapid.IntRange(5, 22).Draw(rt, "size")}
		if o.Rule == "" {
			o = games.VariantOptions{Game: games.Onitama}
		}
		if o.Size != 0 && rapid.Bool().Draw(rt, "usual") {
			o.Size = 15
		}
		v, err := games.NewVariant(o)
		if err != nil {
			rt.Fatal(err)
		}
		r, last := randomGame(rt, v)
		g, err := r.Line(r.Tree.MainLeaf(), -1)
		if err != nil {
			rt.Fatal(err)
		}
		for f := record.SGF; f <= record.Text; f++ {
			var out bytes.Buffer
			err := r.Write(&out, f)
			none := v.Columns() == 0 && f != record.Text
			if (err != nil) != none {
				rt.Fatalf("%v of %v: %v", f, v, err)
			}
			if none || len(g.Moves) == 0 {
				continue
			}
			got, err := readerOf(t, &out, f, Options{Variant: v, Fixed: f == record.Text}).Next()
			if err != nil {
				rt.Fatal(err)
			}
			pos, err := got.At(len(got.Moves))
			if err != nil || pos.Hash() != last.Hash() || got.Variant != v || got.Outcome != g.Outcome {
				rt.Fatalf("%v of %v: %q, %v, %v, want %q, %v", f, v, got.Text(len(got.Moves)), got.Outcome, err,
					g.Text(len(g.Moves)), g.Outcome)
			}
		}
	})
}

// randomGame plays legal moves, near the corner so that games end, and returns the
// game and the position after it.
func randomGame(rt *rapid.T, v games.Variant) (Record, game.Position) {
	pos, err := v.Start()
	if err != nil {
		rt.Fatal(err)
	}
	r := Begin(v, pos)
	var moves []game.Move
	for range rapid.IntRange(0, 60).Draw(rt, "moves") {
		if pos.Outcome() != game.Undecided {
			break
		}
		legal := pos.Moves(nil)
		m := legal[rapid.IntRange(0, min(20, len(legal)-1)).Draw(rt, "move")]
		pos.Play(m)
		moves = append(moves, m)
	}
	r.Tree.SetOutcome(pos.Outcome(), pos.Reason())
	if _, err := r.Tree.Extend(0, game.First, moves, nil); err != nil {
		rt.Fatal(err)
	}
	return r, pos
}

// Where a game leaves the rules is said in every line of a tree, and nowhere else.
func TestCheckFindsTheIllegalMove(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := variant(t, rapid.SampledFrom(games.RuleNames()).Draw(rt, "rule"), 9)
		r, _ := randomGame(rt, v)
		if err := r.Check(); err != nil {
			rt.Fatal(err)
		}
		moves := r.Tree.Moves(r.Tree.MainLeaf())
		if len(moves) < 2 {
			return
		}
		// The stone that has just been put is there, and a variation puts another on it.
		at := rapid.IntRange(1, len(moves)-1).Draw(rt, "at")
		if _, err := r.Tree.Play(int32(at), moves[at-1]); err != nil {
			rt.Fatal(err)
		}
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), "is illegal under "+v.String()) &&
			!strings.Contains(err.Error(), "after the end") {
			rt.Fatalf("%s, then %d again after move %d: %v", v.FormatGame(nil, moves), moves[at-1], at, err)
		}
	})
}

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
	if err := trees.read(in, f, false); err != nil {
		t.Fatal(err)
	}
	return newReader(trees)
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
