package selfplay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
	"github.com/carozero/carozero/nn/nntest"
	"github.com/carozero/carozero/selfplay/samples"
)

// deviceSetup is gomokuSetup with a network on simulated devices, in batches of that size.
func deviceSetup(t testing.TB, devices, batch int) (Setup, *nn.Device) {
	t.Helper()
	rules, err := gomoku.Lookup("freestyle")
	if err != nil {
		t.Fatal(err)
	}
	variant := nntest.Variant{
		Name:    "freestyle 6x6",
		From:    func() (game.Position, error) { return gomoku.New(rules, 6) },
		Encoded: func() (nn.Encoder, error) { return gomokunet.New(rules, 6) },
	}
	turns := nn.NewTurns(1)
	n, err := nn.NewSimulated(turns, nn.SimulatedOptions{Devices: []uint{3, 0}[:devices]})
	if err != nil {
		t.Fatal(err)
	}
	s := gomokuSetup(t, "freestyle", 6)
	s.Turns, s.AtOnce = turns, 3*batch/2
	s.Evaluator = func(worker int, turn *nn.Turn) (nn.Evaluator, error) {
		return n.Evaluator(variant, nn.EvaluatorOptions{
			Capacity: 2, MaxBatch: batch, Seed: 1, Turn: turn, Device: worker,
		})
	}
	return s, n.Device()
}

// quickDisk writes without waiting for the disk.
type quickDisk struct{ samples.Disk }

func (quickDisk) Write(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	return errors.Join(write(&b), os.WriteFile(path, b.Bytes(), 0o666))
}

func (quickDisk) Append(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

func deviceOptions() Options {
	o := small()
	o.Games, o.GamesPerShard, o.Playouts, o.CheapPlayouts = 90, 16, 8, 4
	o.Search.Memory = 1 << 20
	return o
}

// TestDeviceBytes plays a run on devices with different numbers of workers and games, and
// ends some of them in the middle.
func TestDeviceBytes(t *testing.T) {
	o := deviceOptions()
	dir := t.TempDir()
	play := func(t *testing.T, ctx context.Context, devices int, h Host) error {
		s, d := deviceSetup(t, devices, 16)
		defer d.Close()
		h.Files = quickDisk{}
		_, err := Play(ctx, s, o, h)
		return err
	}
	synctest.Test(t, func(t *testing.T) {
		if err := play(t, t.Context(), 1, Host{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	})
	want := contents(t, dir)
	for i, h := range []Host{
		{Workers: 1, AtOnce: 64}, {Workers: 2, AtOnce: 8}, {Workers: 2, AtOnce: 64}, {Workers: 5, AtOnce: 8},
		{Workers: 5, AtOnce: 64},
	} {
		synctest.Test(t, func(t *testing.T) {
			h.Dir = t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h.Progress = func(s Summary) {
				if i > 1 && s.Games == 30 {
					cancel()
				}
			}
			err := play(t, ctx, 1+i%2, h)
			if errors.Is(err, context.Canceled) {
				h.Resume = true
				err = play(t, t.Context(), 2-i%2, h)
			}
			if err != nil {
				t.Fatal(err)
			}
			sameFiles(t, "device", contents(t, h.Dir), want)
		})
	}
}

// TestDeviceIsFull counts rows and batches until games run out.
func TestDeviceIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := deviceSetup(t, 1, 16)
		defer d.Close()
		o := deviceOptions()
		o.Games, o.CheapPlayouts = 150, 0
		var at nn.QueueStats
		mustRun(t, s, o, Host{Dir: t.TempDir(), Files: quickDisk{}, Workers: 2, Progress: func(sum Summary) {
			if sum.Games == 100 {
				at = d.Stats()
			}
		}})
		if at.Rows*100 < at.Computed*97 || at.Full < 100 {
			t.Errorf("%+v", at)
		}
	})
}

// TestDeviceFails lets a device fail in the middle of a run, which goes on afterwards.
func TestDeviceFails(t *testing.T) {
	o, dir, whole := deviceOptions(), t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, _ := deviceSetup(t, 1, 16)
		mustRun(t, s, o, Host{Dir: whole, Files: quickDisk{}})
		good, left := s.Evaluator, &atomic.Int32{}
		left.Store(1000)
		s.Evaluator = func(worker int, turn *nn.Turn) (nn.Evaluator, error) {
			e, err := good(worker, turn)
			return unplugged{e, left}, err
		}
		sum, err := Play(t.Context(), s, o, Host{Dir: dir, Files: quickDisk{}})
		if !errors.Is(err, errUnplugged) || !oneLine(err) || sum.Lost == 0 {
			t.Fatalf("%+v, error %v", sum, err)
		}
		if at, err := samples.Verify(t.Context(), gomokuCodecOf, 1, dir); err != nil || at.Games == o.Games {
			t.Fatalf("%+v, %v", at, err)
		}
		s.Evaluator = good
		mustRun(t, s, o, Host{Dir: dir, Resume: true, Workers: 2, Files: quickDisk{}})
		sameFiles(t, "resumed", contents(t, dir), contents(t, whole))
	})
}

var errUnplugged = errors.New("the device is gone")

// unplugged fails after so many waits.
type unplugged struct {
	nn.Evaluator
	left *atomic.Int32
}

func (u unplugged) Wait(ctx context.Context, n int) error {
	if u.left.Add(-1) < 0 {
		return errUnplugged
	}
	return u.Evaluator.Wait(ctx, n)
}
