package nn

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"
)

// Simulated is a network on a device that is not there, for tests and for measuring what
// the program would get out of one. Its answers are a hash of the row, and a run takes the
// time that one of a network of 4 blocks of 64 filters takes on an H100, in half precision.
type Simulated struct {
	slow   float64 // factor on all times
	device *Device

	mu   sync.Mutex
	free time.Time // when the runs that have begun are over
	seen DeviceUse
}

// DeviceUse is what a device has done.
type DeviceUse struct {
	Runs    int           // batches computed
	Rows    int           // of these, padding included
	Busy    time.Duration // in which rows were computed
	Hashing time.Duration // of a row, the simulation's own processor time at its fastest
}

// A run takes simulatedRun, while another one may compute its rows, and simulatedRow a row,
// while no other one may.
const (
	simulatedRun = 640 * time.Microsecond
	simulatedRow = 2100 * time.Nanosecond
)

var (
	_ DeviceNetwork = (*Simulated)(nil)
	_ BatchNetwork  = (*Simulated)(nil)
)

// Sizes of the simulated device's batches.
const (
	simulatedBatch = 1024
	simulatedSmall = 64
)

// NewSimulated returns a simulated network. All its times are multiplied by slow.
func NewSimulated(turns *Turns, slow float64) *Simulated {
	s := &Simulated{slow: slow}
	s.device = NewDevice(SimulatedName, turns, simulatedBatch, simulatedSmall, s)
	return s
}

// SimulatedName is the name of the simulated network.
const SimulatedName = "simulated"

// Name implements [Network].
func (s *Simulated) Name() string { return SimulatedName }

// SHA256 implements [Network]. There is no file, but it is used as a trained network is.
func (s *Simulated) SHA256() string { return strings.Repeat("0", 64) }

// Metadata implements [Network]: nothing is claimed.
func (s *Simulated) Metadata() Metadata { return Metadata{Temperature: 1} }

// Suits implements [Network].
func (s *Simulated) Suits(Variant) error { return nil }

// Exact implements [Network].
func (s *Simulated) Exact() bool { return true }

// Close implements [Network].
func (s *Simulated) Close() error {
	s.device.Close()
	return nil
}

// ID implements [BatchNetwork].
func (s *Simulated) ID() uint64 { return 0x73696d }

// Planes implements [BatchNetwork]: a game's usual ones.
func (s *Simulated) Planes() string { return "" }

// Check implements [BatchNetwork].
func (s *Simulated) Check(Encoder) error { return nil }

// Evaluator implements [Network].
func (s *Simulated) Evaluator(v Variant, o EvaluatorOptions) (Evaluator, error) {
	return s.device.Evaluator(v, o)
}

// Device implements [DeviceNetwork].
func (s *Simulated) Device() *Device { return s.device }

// Use returns what the device has done so far.
func (s *Simulated) Use() DeviceUse {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// Limit returns how many rows a second the device computes at most.
func (s *Simulated) Limit() float64 { return float64(time.Second) / float64(s.slowed(simulatedRow)) }

func (s *Simulated) slowed(d time.Duration) time.Duration {
	return time.Duration(s.slow * float64(d))
}

// Forward implements [BatchNetwork].
func (s *Simulated) Forward(ctx context.Context, b *Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began, rows := time.Now(), time.Duration(b.Len())*s.slowed(simulatedRow)
	s.mu.Lock()
	if ready := began.Add(s.slowed(simulatedRun)); s.free.Before(ready) {
		s.free = ready
	}
	s.free = s.free.Add(rows)
	until := s.free
	s.mu.Unlock()
	for i := range b.Len() {
		simulate(b.Planes(i), b.Globals(i), b.Policy(i), b.Value(i))
	}
	hashing := time.Since(began) / time.Duration(max(b.Len(), 1))
	time.Sleep(time.Until(until))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Runs++
	s.seen.Rows += b.Len()
	s.seen.Busy += rows
	if s.seen.Hashing == 0 || hashing < s.seen.Hashing {
		s.seen.Hashing = hashing
	}
	return nil
}

// simulate makes the outputs of a row from its inputs.
func simulate(planes, globals, policy, value []float32) {
	const odd = 0x9e3779b97f4a7c15
	var h [4]uint64 // hashed side by side, which is faster
	for len(planes) >= len(h) {
		for i := range h {
			h[i] = (h[i] ^ uint64(math.Float32bits(planes[i]))) * odd
			h[i] ^= h[i] >> 29
		}
		planes = planes[len(h):]
	}
	sum := chain(chain(h[0], h[1]), chain(h[2], h[3]))
	for _, rest := range [][]float32{planes, globals} {
		for _, x := range rest {
			sum = chain(sum, uint64(math.Float32bits(x)))
		}
	}
	for i := range policy {
		policy[i] = 4 * unit(mix64(sum+uint64(i)*odd))
	}
	for i := range value {
		value[i] = unit(mix64(^sum + uint64(i)*odd))
	}
}
