package gamefiles

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

func variant(t testing.TB, rule string, size int) games.Variant {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func onitamaVariant(t testing.TB) games.Variant {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// write puts texts into files of a new folder and returns their paths.
func write(t testing.TB, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// readAll returns the games of the paths and the error that ended them, nil
// for io.EOF.
func readAll(paths []string, o Options) ([]Game, error) {
	r, err := Open(paths, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var games []Game
	for {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return games, nil
		}
		if err != nil {
			return games, err
		}
		games = append(games, g)
	}
}

// win is a game that black wins under every rule of caro.
const win = "(;GM[4]FF[4]SZ[15]\nRU[caro]\nRE[B+]GC[reason: line]\n" +
	";B[hh];W[ha];B[gh];W[ia];B[ih];W[ja];B[jh];W[ca];B[fh])\n"

func TestSources(t *testing.T) {
	folder := write(t, map[string]string{
		"list.txt": "\ufeff# two positions\n\nh8i9  # the first\n  h8h9i8i9\r\n",
		"one.sgf":  win,
		"two.sgf": win + "(;GM[4]SZ[15:15]RE[W+R](;B[hh];W[hi]C[a \\] b (;B[aa\\])](;B[ab];W[ac])(;B[ba]))(;B[cc]))" +
			"(;GM[4]SZ[15]RU[Caro]AB[hh][ig]AW[hg]RE[?];White[zz](;B[ab]))",
	})
	caro := variant(t, "caro", 15)
	path := func(name string) string { return filepath.Join(folder, name) }

	games, err := readAll([]string{path("list.txt"), path("one.sgf")}, Options{Variant: caro})
	if err != nil || len(games) != 3 {
		t.Fatalf("%d games, %v", len(games), err)
	}
	for i, want := range []struct {
		text, source string
		single       bool
		outcome      game.Outcome
		reason       game.Reason
	}{
		{"h8i9", path("list.txt") + ":3", true, game.Undecided, game.NoReason},
		{"h8h9i8i9", path("list.txt") + ":4", true, game.Undecided, game.NoReason},
		{"h8h15g8i15i8j15j8c15f8", path("one.sgf") + ":1", false, game.FirstWins, game.Line},
	} {
		g := games[i]
		if g.Text(len(g.Moves)) != want.text || g.Source != want.source || g.Single != want.single ||
			g.Outcome != want.outcome || g.Reason != want.reason || g.Variant != caro {
			t.Errorf("game %d: %+v, want %+v", i, g, want)
		}
	}

	games, err = readAll([]string{path("two.sgf")}, Options{Variant: caro})
	if len(games) != 2 || err == nil || !strings.Contains(err.Error(), `move 4: point "zz" is not on the board`) {
		t.Fatalf("%d games, %v", len(games), err)
	}
	if g := games[1]; g.Text(len(g.Moves)) != "h8h7a14a13" || g.Outcome != game.SecondWins || g.Reason != game.Resigned {
		t.Errorf("main line %q, %v, %q", g.Text(len(g.Moves)), g.Outcome, g.Reason)
	}
}

// TestShards plays a small run and finds its games again, as lines and as records,
// which are of the run's variant whatever is asked for.
func TestShards(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	v := variant(t, "freestyle", 7)
	net, err := networks.NewLoader(networks.LoaderOptions{}).Open(v, networks.Uniform)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := selfplay.Run{Options: selfplay.Options{Seed: 1}}.Setup(net, selfplay.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	opts := selfplay.Options{
		Games: 3, GamesPerShard: 2, Seed: 1, Playouts: 16, MaxPlies: 20,
		Opening: selfplay.Opening{MinPlies: 2, MaxPlies: 2}, Search: mcts.Options{Memory: 1 << 20},
	}.WithDefaults()
	if _, err := selfplay.Play(context.Background(), setup, opts, selfplay.Host{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	games, err := readAll([]string{dir}, Options{Variant: variant(t, "caro", 15)})
	if err != nil || len(games) != 3 {
		t.Fatalf("%d games, %v", len(games), err)
	}
	var want []samples.Game
	err = samples.Shards(func(_ samples.Source, s *samples.Shard, _ samples.Entry) error {
		want = append(want, s.Header.Games...)
		return nil
	}, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range games {
		if g.Variant != v || g.Text(len(g.Moves)) != want[i].Moves || g.Outcome.String() != want[i].Result ||
			g.Reason != want[i].Reason || g.Opening != 2 {
			t.Errorf("game %d: %+v, want %+v", i, g, want[i])
		}
	}
	if _, err := readAll([]string{dir}, Options{Variant: variant(t, "caro", 7), Fixed: true}); err == nil ||
		!strings.Contains(err.Error(), "its games are of freestyle 7x7, and the rule asked for is caro 7x7") {
		t.Errorf("mixed rules: %v", err)
	}
	trees, err := OpenTrees([]string{dir}, Options{Variant: onitamaVariant(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	if r, err := trees.Next(); err != nil || r.Variant != v || r.Tree.Rule != "freestyle" {
		t.Errorf("as a record: %+v, %v", r, err)
	}
	short := write(t, map[string]string{"cut.zst": "\x28\xb5\x2f\xfd\x00"})
	if _, err := readAll([]string{filepath.Join(short, "cut.zst")}, Options{Variant: v}); !errors.Is(err,
		samples.ErrShard) {
		t.Errorf("a cut shard: %v", err)
	}
}

// What is wrong is said in a line with the file and the place; package record tests what its
// formats refuse.
func TestFaults(t *testing.T) {
	files := map[string]string{
		"comments.txt": "# nothing\n\n", "taken.txt": "h8i9\nh8h8\n", "binary.bin": "\x00\x01\x02\x03",
		"value.sgf": "(;GM[4]SZ[15];B[hh", "rule.sgf": "(;GM[4]SZ[15]RU[Japanese];B[hh])",
		"turn.sgf":  "(;GM[4]SZ[15];B[hh];B[ii])",
		"setup.sgf": "(;GM[4]SZ[15]AB[hh][ii][jj];B[aa])",
		"wrong.sgf": strings.Replace(win, "RE[B+]", "RE[W+]", 1),
		"after.sgf": strings.Replace(win, "B[fh])", "B[fh];W[aa])", 1),
		"mixed.sgf": win + strings.Replace(win, "RU[caro]", "RU[renju]", 1),
	}
	folder := write(t, files)
	for name, want := range map[string]string{
		"comments.txt": "comments.txt: no games or positions in it",
		"taken.txt":    "taken.txt:2: move 2, h8, is illegal under caro 15x15",
		"binary.bin":   "binary.bin: want a sample shard, an SGF, psq or lib file or a list",
		"value.sgf":    "value.sgf:1: the file ends inside B[",
		"rule.sgf":     `rule.sgf:1: unknown rule "Japanese"`,
		"turn.sgf":     "turn.sgf:1: move 2 is black's: want the sides to take turns",
		"setup.sgf":    "setup.sgf:1: 3 black and 0 white stones are set up",
		"wrong.sgf":    "wrong.sgf:1: the record says second, the rules of caro 15x15 say first (line)",
		"after.sgf":    "after.sgf:1: move 10 comes after the end",
		"mixed.sgf": "mixed.sgf:5: its games are of renju 15x15, and " + filepath.Join(folder,
			"mixed.sgf") + ":1 is caro 15x15",
		"nowhere": "no such file",
	} {
		_, err := readAll([]string{filepath.Join(folder, name)}, Options{Variant: variant(t, "caro", 15)})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", name, err, want)
		}
	}
}

func TestForfeitStandsAgainstTheBoard(t *testing.T) {
	text := strings.Replace(win, "RE[B+]", "RE[W+F]", 1)
	folder := write(t, map[string]string{"a.sgf": text})
	games, err := readAll([]string{folder}, Options{Variant: variant(t, "caro", 15)})
	if err != nil || len(games) != 1 || games[0].Outcome != game.SecondWins || games[0].Reason != game.Forfeit {
		t.Errorf("%+v, %v", games, err)
	}
}
