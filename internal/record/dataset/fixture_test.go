package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/nntest"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

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
	start := gametest.NewMNK(3, 3, 3)
	dir := filepath.Join(t.TempDir(), "run")
	_, err := selfplay.Run(context.Background(), selfplay.Setup{
		Start: start, Format: kit().Format, Encoder: nntest.TicTacToe{}, Columns: 3,
		Header:    samples.Header{Game: "mnk", Size: 3, Planes: samples.Planes{Version: "mnk-1", Names: []string{"own", "opp"}}, Model: "mock"},
		Evaluator: func(int) (nn.Evaluator, error) { return nn.NewMock(3), nil },
	}, o, selfplay.Host{Dir: dir, Files: quick{}})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// shards reads all shards at paths.
func shards(t testing.TB, paths ...string) []*samples.Shard {
	t.Helper()
	list, err := samples.Sources(samples.Disk{}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	var all []*samples.Shard
	for _, s := range list {
		shard, _, err := s.Read(samples.Disk{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, shard)
	}
	return all
}

// verified demands that a directory verifies.
func verified(t testing.TB, dir string) samples.Report {
	t.Helper()
	r, err := samples.Verify(context.Background(), samples.Disk{}, openKit, 5, dir)
	if err != nil || r.Bad > 0 {
		t.Fatalf("%v, %v", err, r.Problems)
	}
	return r
}

// contents returns the files of a directory by name.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	names, err := samples.Disk{}.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(b)
	}
	return files
}

func quiet(int, int) {}

// quick is the disk, but that nothing is synced, which only takes time here.
type quick struct{ samples.Disk }

func (quick) SyncDir(string) error { return nil }

func (d quick) Create(name string) (samples.File, error) {
	f, err := d.Disk.Create(name)
	return unsynced{f}, err
}

type unsynced struct{ samples.File }

func (unsynced) Sync() error { return nil }

// failing is a disk that fails at a change and all after it: a full disk, where it
// lets files go, or a process that is gone, where it does nothing more.
type failing struct {
	quick
	left *int
	gone bool
}

var errFull = errors.New("no space left on device")

func (d failing) step() error {
	if *d.left--; *d.left < 0 {
		return errFull
	}
	return nil
}

func (d failing) Create(name string) (samples.File, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.quick.Create(name)
	return failingFile{f, d}, err
}

func (d failing) Rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.quick.Rename(from, to)
}

func (d failing) Remove(name string) error {
	if d.gone && *d.left <= 0 {
		return errFull
	}
	return d.quick.Remove(name)
}

type failingFile struct {
	samples.File
	on failing
}

func (f failingFile) Write(b []byte) (int, error) {
	if err := f.on.step(); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}
