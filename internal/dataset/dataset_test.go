package dataset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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

// export exports a run.
func export(step Progress, run, dir string) error {
	_, err := Export(background, openKit, dir, step, run)
	return err
}

// A process that is gone leaves nothing that counts, and it is begun anew to the same bytes.
// Nobody else's folder is written to.
func TestNothingIsHalfWritten(t *testing.T) {
	run := play(t, 7, func(o *selfplay.Options) { o.Games, o.GamesPerShard = 3, 1 })
	whole, dir := filepath.Join(t.TempDir(), "whole"), t.TempDir()
	copies := 0
	err := export(func(int, int) {
		copies++
		if err := os.CopyFS(filepath.Join(dir, fmt.Sprint(copies)), os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
	}, run, whole)
	want := tree(t, whole)
	if err != nil || copies != 3 {
		t.Fatal(copies, err)
	}
	for i := range copies {
		dir := filepath.Join(dir, fmt.Sprint(i+1))
		if _, err := os.Stat(filepath.Join(dir, IndexName)); err == nil {
			t.Error("half of an export counts")
		}
		if err := export(quiet, run, dir); err != nil || !maps.Equal(tree(t, dir), want) {
			t.Errorf("begun anew: %v", err)
		}
	}
	if err := export(quiet, run, whole); !errors.Is(err, disk.ErrNotEmpty) || !maps.Equal(tree(t, whole), want) {
		t.Errorf("over its own: %v", err)
	}
}

// Damaged shards are refused, and so are other columns; an interruption ends everything, with
// nothing left.
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
	dir := t.TempDir()
	if err := export(quiet, run, dir); err == nil || !strings.Contains(err.Error(), path) || len(tree(t, dir)) > 0 {
		t.Error(err)
	}
	over, cancel := context.WithCancel(background)
	cancel()
	if _, err := Export(over, openKit, dir, quiet, run); !errors.Is(err, context.Canceled) || len(tree(t, dir)) > 0 {
		t.Error(err)
	}
	other, s := filepath.Join(t.TempDir(), "other"), setup()
	s.Header.Planes.Version = "mnk-2"
	playAt(t, other, s, selfplay.Options{Games: 1, Playouts: 4})
	if _, err := Export(background, openKit, dir, quiet, play(t, 1, nil), other); err == nil ||
		!strings.Contains(err.Error(), `planes.version is "mnk-2"`) || len(tree(t, dir)) > 0 {
		t.Error(err)
	}
}

// The fixtures are runs of tic-tac-toe, with games that end by a proof, that are audited, and
// rows of cheap searches.

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

func quiet(int, int) {}
