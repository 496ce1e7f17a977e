package cluster

import "testing"

// TestSameBytes has five workers play a run, and wants the bytes of one process.
func TestSameBytes(t *testing.T) {
	config, setup := plan(t, 60)
	want := alone(t, config, setup)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	wait := p.crew(5)
	sum, err := p.coordinate(t.Context(), s, NewMetrics())
	if err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
	if sum.OnDisk != 60 || sum.Games != 60 {
		t.Errorf("%+v", sum)
	}
	sameFiles(t, contents(t, p.dir), want)
}
