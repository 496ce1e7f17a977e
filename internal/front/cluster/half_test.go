package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// TestHalvesOfPairs takes up a run of which one machine has played the first game of a pair
// alone, with a window whose file a torn write has left the first game of another. Who
// plays the second needs the first: both pairs are played again, to the same bytes.
func TestHalvesOfPairs(t *testing.T) {
	config, _ := plan(t, 24)
	config.Options.ForkShare = 1
	setup, _, err := config.Setup(local())
	if err != nil {
		t.Fatal(err)
	}
	want := alone(t, config, setup)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	stopped := errors.New("stopped")
	_, err = selfplay.Run(t.Context(), setup, config.Options, selfplay.Host{
		Dir: p.dir, Workers: 1, AtOnce: 1, Files: unsynced{},
		Accept: func(r *samples.Record) error {
			if r.Game.ID == 1 {
				return stopped
			}
			return nil
		},
	})
	if !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	record := played(t, config, setup)
	var spool []byte
	for _, id := range []int{8, 9, 10} {
		if spool, err = samples.AppendRecord(spool, record(id)); err != nil {
			t.Fatal(err)
		}
	}
	held := filepath.Join(clusterDir(p.dir), heldFolder)
	if err := os.MkdirAll(held, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := samples.AppendSpool(unsynced{}, filepath.Join(held, heldName(0, "away")), spool, true); err != nil {
		t.Fatal(err)
	}
	s := p.listen()
	defer s.Close()
	wait := p.crew(2)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // it takes a second
	defer stop()
	if _, err := p.coordinate(ctx, s, NewMetrics()); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
	sameFiles(t, contents(t, p.dir), want)
	if taken, _ := ofLedger(t, p.dir, "away"); taken != 2 {
		t.Errorf("%d games were taken from the window, want 2", taken)
	}
}
