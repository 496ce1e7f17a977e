package cluster

import (
	"context"
	"fmt"
	"testing"
)

// TestSameBytes has five workers play a run, and wants the bytes of one process.
func TestSameBytes(t *testing.T) {
	config, setup := plan(t, 60)
	want := alone(t, config, setup)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	working, end := context.WithCancel(t.Context())
	defer end()
	var waits []func() error
	for i := range 5 {
		waits = append(waits, p.worker(working, fmt.Sprintf("worker-%d", i), nil))
	}
	sum, err := p.coordinate(t.Context(), s, NewMetrics())
	if err != nil {
		t.Fatal(err)
	}
	end() // a worker that came too late waits for the next run
	for _, wait := range waits {
		if err := wait(); err != nil {
			t.Error(err)
		}
	}
	if sum.OnDisk != 60 || sum.Games != 60 {
		t.Errorf("%+v", sum)
	}
	sameFiles(t, contents(t, p.dir), want)
}
