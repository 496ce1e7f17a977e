package archive

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

// The fixtures are runs of tic-tac-toe, which mock networks play.

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

// setup returns what plays with the mock network of a seed.
func setup(seed uint64) selfplay.Setup {
	return selfplay.Setup{
		Start: gametest.NewMNK(3, 3, 3), Format: kit().Format, Encoder: nntest.TicTacToe{}, Columns: 3,
		Header: samples.Header{
			Game: "mnk", Size: 3, Planes: samples.Planes{Version: "mnk-1", Names: []string{"own", "opp"}}, Model: "mock",
			Engine: samples.Engine{Version: "0.1", Commit: "abcdef"},
		},
		Evaluator: func(int) (nn.Evaluator, error) { return nn.NewMock(seed), nil },
	}
}

// options returns those of a small run, with everything that a run can have at once.
func options(change func(*selfplay.Options)) selfplay.Options {
	o := selfplay.Options{
		Games: 10, GamesPerShard: 4, Seed: 7, Playouts: 24, CheapPlayouts: 8, FullShare: 0.6, CheapWeight: 0.5,
		StopAtProof: true, ResignAt: 0.5, ResignTurns: 1, ResignAudit: 0.5,
	}
	if change != nil {
		change(&o)
	}
	return o
}

// play makes a run below dir.
func play(t testing.TB, dir, name string, s selfplay.Setup, o selfplay.Options) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if _, err := selfplay.Run(context.Background(), s, o, selfplay.Host{Dir: path, Files: disk{}}); err != nil {
		t.Fatal(err)
	}
	return path
}

// replayer implements Replayer with the mock network of a seed.
type replayer struct {
	seed    uint64
	missing error
}

func (r replayer) Find(*samples.Header) error { return r.missing }

func (r replayer) Play(h *samples.Header, p samples.Plan) (selfplay.Setup, selfplay.Options, error) {
	o, _, err := selfplay.OptionsOf(h, false)
	o.Games, o.GamesPerShard = p.Games, p.GamesPerShard
	return setup(r.seed), o, err
}

func (r replayer) plan(h *samples.Header, p samples.Plan) (samples.Run, error) {
	s, o, err := r.Play(h, p)
	if err != nil {
		return samples.Run{}, err
	}
	return selfplay.Plan(s, o)
}

// unpacking returns options of an Unpack that plays as the fixtures were played.
func unpacking() UnpackOptions { return UnpackOptions{Player: replayer{seed: 3}} }

// pack packs runs into a new file.
func pack(t testing.TB, kind Kind, paths ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "runs.czpack")
	p, err := Pack(context.Background(), disk{}, openKit, PackOptions{Kind: kind, Plan: replayer{seed: 3}.plan}, out, quiet, paths...)
	if err != nil {
		t.Fatal(err)
	}
	if size, err := (disk{}).Size(out); err != nil || size != p.Bytes || p.Rows == 0 {
		t.Fatalf("%+v, the file has %d bytes, %v", p, size, err)
	}
	return out
}

// tree returns the files below a directory by their paths.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// absent demands that nothing is at a path.
func absent(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%s is there: %v", path, err)
	}
}

func quiet(int, int) {}

// disk is the disk, but that nothing is synced, which only takes time here.
type disk struct{ samples.Disk }

func (disk) SyncDir(string) error { return nil }

func (d disk) Create(name string) (samples.File, error) {
	f, err := d.Disk.Create(name)
	return unsynced{f}, err
}

func (d disk) Append(name string) (samples.File, error) {
	f, err := d.Disk.Append(name)
	return unsynced{f}, err
}

type unsynced struct{ samples.File }

func (unsynced) Sync() error { return nil }

// full is a disk that has no room left after so many changes.
type full struct {
	disk
	left *int
}

var errFull = errors.New("no space left on device")

func (d full) step() error {
	if *d.left--; *d.left < 0 {
		return errFull
	}
	return nil
}

func (d full) Create(name string) (samples.File, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.disk.Create(name)
	return fullFile{f, d}, err
}

func (d full) Append(name string) (samples.File, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.disk.Append(name)
	return fullFile{f, d}, err
}

func (d full) Rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.disk.Rename(from, to)
}

func (d full) MkdirAll(dir string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.disk.MkdirAll(dir)
}

type fullFile struct {
	samples.File
	on full
}

func (f fullFile) Write(b []byte) (int, error) {
	if err := f.on.step(); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}
