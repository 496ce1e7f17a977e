package bench

import (
	"testing"

	"github.com/carozero/carozero/internal/engine/networks"
)

// A line network, which has no batches, is measured too: by self-play without a raw speed
// beside it, and alone however short the time is.
func TestLineNetworks(t *testing.T) {
	net, err := networks.NewLoader(networks.LoaderOptions{}).Open(freestyle(t), "taught7-line16")
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	r, err := MeasureSelfplay(t.Context(), net, SelfplayOptions{Playouts: 2, Workers: 1, AtOnce: 2, Rounds: 1, GamesPerRound: 1}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if r.Games != 1 || r.PositionsPS <= 0 || r.EvalsPerS <= 0 || r.RawEvalsPerS != 0 || r.Utilisation != 0 {
		t.Errorf("%+v", r)
	}
	alone, err := MeasureNN(t.Context(), net, 1, 2, 1)
	if err != nil || alone.EvalsPerS <= 0 {
		t.Errorf("%+v, %v", alone, err)
	}
}
