package dataset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/nntest"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

var background = context.Background()

// What is merged verifies, has every shard byte for byte, and merges to the same
// bytes again, a second time too.
func TestMerge(t *testing.T) {
	one, two := play(t, 1, nil), play(t, 2, nil)
	merge := func(paths ...string) string {
		dir := filepath.Join(t.TempDir(), "all")
		total, err := Merge(background, dir, MergeOptions{}, quiet, paths...)
		if err != nil {
			t.Fatal(err)
		}
		if r := verified(t, dir); r.Games != total.Games || r.Rows != total.Rows || r.Shards != total.Shards {
			t.Fatal(r, total)
		}
		return dir
	}
	both := merge(one, two)
	got, k := tree(t, both), 0
	for _, dir := range []string{one, two} {
		for i := range 3 {
			if want := tree(t, dir)[samples.ShardName(i)]; want == "" || got[samples.ShardName(k)] != want {
				t.Errorf("shard %d is not shard %d of %s", k, i, dir)
			}
			k++
		}
	}
	if k != 6 || len(got) != 6+2 {
		t.Errorf("%d files", len(got))
	}
	last := samples.ShardName(5)
	if !maps.Equal(tree(t, merge(one, two)), got) || tree(t, merge(both))[last] != got[last] {
		t.Error("merged again to other bytes")
	}
}

// What does not go together is refused in a line that names it, and nothing is left.
func TestMergeRefuses(t *testing.T) {
	one := play(t, 1, nil)
	more := play(t, 2, func(o *selfplay.Options) { o.Playouts = 25 })
	pruned := play(t, 3, func(o *selfplay.Options) { o.Targets.Forced = 2 })
	damaged := play(t, 4, nil)
	path := filepath.Join(damaged, samples.ShardName(1))
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, text[:len(text)-1], 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths []string
		mixed bool
		want  string // "": it goes together
	}{
		{[]string{one, more}, false, "search.playouts is 25"},
		{[]string{one, more}, true, ""},
		{[]string{one, pruned}, false, "search."},
		{[]string{one, pruned}, true, "search.policy_target is"},
		{[]string{one, filepath.Join(one, samples.ShardName(1))}, true, "named twice"},
		{[]string{one, copied(t, one)}, true, "the same games come twice"},
		{[]string{damaged}, false, samples.ShardName(1)},
		{[]string{one, t.TempDir()}, false, "want a run's directory"},
	} {
		dir := filepath.Join(t.TempDir(), "all")
		_, err := Merge(background, dir, MergeOptions{Mixed: c.mixed}, quiet, c.paths...)
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			verified(t, dir)
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, c.want)
		}
		if names, err := os.ReadDir(dir); err == nil && len(names) > 0 {
			t.Errorf("%s is left", names[0])
		}
	}
}

// copied returns a copy of a run.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// Rows are kept if and only if they fit, with their values, under any conditions; the
// result verifies, whatever is missing of games that end by a proof; and
// filters one after the other are one with all conditions.
func TestFilter(t *testing.T) {
	run := play(t, 5, nil)
	all := shards(t, run)
	for n := range 24 {
		least, full, result := n%4*2, n/4%2 == 1, []string{"first", "second", "draw"}[n/8]
		conditions := []string{fmt.Sprintf("ply>=%d", least), "result!=" + result}
		if full {
			conditions = append(conditions, "full_search")
		}
		var want []string
		for _, s := range all {
			for i := range s.Columns.Rows {
				row := s.Columns.Row(i)
				if g := s.Header.Games[row.Game]; int(row.Ply) >= least && g.Result != result && (!full || row.FullSearch == 1) {
					want = append(want, described(&g, &row))
				}
			}
		}
		dir := t.TempDir()
		got, err := filter(t, filepath.Join(dir, "all"), strings.Join(conditions, ","), run)
		if len(want) == 0 {
			if err == nil {
				t.Fatal("nothing is no error")
			}
			continue
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: %d rows, want %d: %v", conditions, len(got), len(want), err)
		}
		from := run
		for i, c := range conditions {
			to := filepath.Join(dir, fmt.Sprint(i))
			if got, err = filter(t, to, c, from); err != nil {
				t.Fatal(err)
			}
			from = to
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, one after the other: %d rows, want %d", conditions, len(got), len(want))
		}
	}
}

// filter filters a run, verifies what comes out, and describes the rows.
func filter(t testing.TB, dir, where, run string) ([]string, error) {
	w, err := samples.ParseWhere(where)
	if err != nil {
		return nil, err
	}
	kept, err := Filter(background, openKit, dir, w, quiet, run)
	if err != nil {
		return nil, err
	}
	var rows []string
	for _, s := range shards(t, dir) {
		for i := range s.Columns.Rows {
			row := s.Columns.Row(i)
			rows = append(rows, described(&s.Header.Games[row.Game], &row))
		}
	}
	if r := verified(t, dir); r.Rows != kept.Rows || len(rows) != kept.Rows || r.Games != kept.Games {
		return rows, fmt.Errorf("%+v, %+v", r, kept)
	}
	return rows, nil
}

// described returns all that a row says but its index of games.
func described(g *samples.Game, r *samples.Row) string {
	row := *r
	row.Game = 0
	return fmt.Sprint(g.ID, g.Moves, row)
}

// All rows with unique are the different positions that the statistics count.
func TestFilterUnique(t *testing.T) {
	run := play(t, 6, nil)
	total, _, err := samples.Inspect(run)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := filter(t, filepath.Join(t.TempDir(), "all"), "unique", run)
	if err != nil || len(rows) != total.DistinctRows || len(rows) == total.Rows {
		t.Errorf("%d rows of %d, want %d: %v", len(rows), total.Rows, total.DistinctRows, err)
	}
}

// writers are the commands, each as a function of where it reads and writes.
func writers(t testing.TB) map[string]func(step Progress, run, dir string) error {
	w, err := samples.ParseWhere("ply>=1")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func(Progress, string, string) error{
		"export": func(step Progress, run, dir string) error {
			_, err := Export(background, openKit, dir, true, step, run)
			return err
		},
		"merge": func(step Progress, run, dir string) error {
			_, err := Merge(background, dir, MergeOptions{}, step, run)
			return err
		},
		"filter": func(step Progress, run, dir string) error {
			_, err := Filter(background, openKit, dir, w, step, run)
			return err
		},
	}
}

// A process that is gone leaves nothing that counts, and it is begun anew to the same bytes.
// Nobody else's folder is written to.
func TestNothingIsHalfWritten(t *testing.T) {
	run := play(t, 7, func(o *selfplay.Options) { o.Games, o.GamesPerShard = 3, 1 })
	for name, write := range writers(t) {
		whole, dir := filepath.Join(t.TempDir(), "whole"), t.TempDir()
		copies := 0
		err := write(func(int, int) {
			copies++
			if err := os.CopyFS(filepath.Join(dir, fmt.Sprint(copies)), os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
		}, run, whole)
		want := tree(t, whole)
		if err != nil || copies != 3 {
			t.Fatal(name, copies, err)
		}
		for i := range copies {
			dir := filepath.Join(dir, fmt.Sprint(i+1))
			if names, err := filepath.Glob(filepath.Join(dir, "*.*")); err != nil || slices.Contains(names, filepath.Join(dir,
				samples.ManifestName)) {
				t.Errorf("%s: %v, %v", name, names, err)
			}
			if err := write(quiet, run, dir); err != nil || !maps.Equal(tree(t, dir), want) {
				t.Errorf("%s begun anew: %v", name, err)
			}
		}
		if err := write(quiet, run, whole); !errors.Is(err, disk.ErrNotEmpty) || !maps.Equal(tree(t, whole), want) {
			t.Errorf("%s over its own: %v", name, err)
		}
	}
}

// Damaged shards are refused, and an interruption ends everything, with nothing left.
func TestDamageAndInterruption(t *testing.T) {
	run := play(t, 8, nil)
	path := filepath.Join(run, samples.ShardName(2))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, write := range writers(t) {
		dir := t.TempDir()
		if err := write(quiet, run, dir); err == nil || !strings.Contains(err.Error(), path) || len(tree(t, dir)) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	over, cancel := context.WithCancel(background)
	cancel()
	dir := t.TempDir()
	if _, err := Merge(over, dir, MergeOptions{}, quiet, run); !errors.Is(err, context.Canceled) || len(tree(t, dir)) > 0 {
		t.Error(err)
	}
}

// The fixtures are runs of tic-tac-toe, with everything that a filter can break:
// games that end by a proof, that are audited, and rows of cheap searches.

func kit() samples.Codec {
	start := gametest.NewMNK(3, 3, 3)
	n := start.Notation()
	return samples.Codec{
		Parse: func(text string) (game.Position, []game.Move, error) {
			moves, err := n.ParseMoves(text)
			return gametest.NewMNK(3, 3, 3), moves, err
		},
		Format:   func(_ game.Position, moves []game.Move) string { return n.FormatMoves(moves) },
		Notation: n, Encoder: nntest.TicTacToe{},
	}
}

func openKit(*samples.Header) (samples.Codec, error) { return kit(), nil }

// play makes a run of ten games in a new directory.
func play(t testing.TB, seed uint64, change func(*selfplay.Options)) string {
	t.Helper()
	o := selfplay.Options{
		Games: 10, GamesPerShard: 4, Seed: seed, Playouts: 24, CheapPlayouts: 8, FullShare: 0.6, CheapWeight: 0.5,
		StopAtProof: true,
	}
	if change != nil {
		change(&o)
	}
	dir := filepath.Join(t.TempDir(), "run")
	playAt(t, dir, setup(), o)
	return dir
}

// setup returns what plays with a mock network.
func setup() selfplay.Setup {
	return selfplay.Setup{
		Start: gametest.NewMNK(3, 3, 3), Format: kit().Format, Encoder: nntest.TicTacToe{}, Columns: 3,
		Header: samples.Header{
			Game: "mnk", Size: 3, Planes: samples.Planes{Version: "mnk-1", Names: []string{"own", "opp"}}, Model: "mock",
			Engine: samples.Engine{Version: "0.1", Commit: "abcdef"},
		},
		Evaluator: func(int, *nn.Turn) (nn.Evaluator, error) { return nn.NewMock(3), nil },
	}
}

// playAt makes a run in a directory.
func playAt(t testing.TB, dir string, s selfplay.Setup, o selfplay.Options) {
	t.Helper()
	if _, err := selfplay.Play(background, s, o, selfplay.Host{Dir: dir}); err != nil {
		t.Fatal(err)
	}
}

// shards reads all shards at paths.
func shards(t testing.TB, paths ...string) []*samples.Shard {
	t.Helper()
	var all []*samples.Shard
	err := samples.Shards(func(_ samples.Source, s *samples.Shard, _ samples.Entry) error {
		all = append(all, s)
		return nil
	}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// verified demands that a directory verifies.
func verified(t testing.TB, dir string) samples.Report {
	t.Helper()
	r, err := samples.Verify(context.Background(), openKit, 5, dir)
	if err != nil || r.Bad > 0 {
		t.Fatalf("%v, %v", err, r.Problems)
	}
	return r
}

func quiet(int, int) {}
