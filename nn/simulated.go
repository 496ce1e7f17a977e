package nn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/carozero/carozero/game"
)

// Simulated is a network on devices that are not there, for tests and for measuring what
// the program would get out of one. A run takes the time that one of a network of 4 blocks of
// 64 filters takes on an H100, in half precision.
type Simulated struct {
	opts   SimulatedOptions
	device *Device

	mu   sync.Mutex
	free time.Time // when the runs that have begun are over
}

// SimulatedOptions say what is simulated.
type SimulatedOptions struct {
	Slow    float64 // factor on all times; 0: 1
	Devices []uint  // numbers of the devices, below SimulatedDevices; none: the first one
	Answers Network // what answers, at once; nil: a hash of the row
}

// SimulatedDevices is how many devices there are.
const SimulatedDevices = 8

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

// NewSimulated returns a simulated network.
func NewSimulated(turns *Turns, o SimulatedOptions) (*Simulated, error) {
	o.Slow = cmp.Or(o.Slow, 1)
	s := &Simulated{opts: o}
	var nets []BatchNetwork
	for i := range max(1, len(o.Devices)) {
		if i < len(o.Devices) && o.Devices[i] >= SimulatedDevices {
			return nil, fmt.Errorf("there is no device %d, only 0 to %d", o.Devices[i], SimulatedDevices-1)
		}
		one := s
		if i > 0 {
			one = &Simulated{opts: o}
		}
		nets = append(nets, one)
	}
	s.device = NewDevice(DeviceKind{Provider: SimulatedName}, turns, simulatedBatch, simulatedSmall, nets...)
	return s, nil
}

// SimulatedName is the name of the simulated network.
const SimulatedName = "simulated"

// Name implements [Network].
func (s *Simulated) Name() string {
	if s.opts.Answers != nil {
		return SimulatedName + ":" + s.opts.Answers.Name()
	}
	return SimulatedName
}

// SHA256 implements [Network]. There is no file, but it is used as a trained network is.
func (s *Simulated) SHA256() string { return strings.Repeat("0", 64) }

// Metadata implements [Network]: nothing is claimed.
func (s *Simulated) Metadata() Metadata { return Metadata{Temperature: 1} }

// Suits implements [Network].
func (s *Simulated) Suits(v Variant) error {
	if s.opts.Answers != nil {
		return s.opts.Answers.Suits(v)
	}
	return nil
}

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
	if s.opts.Answers == nil {
		return s.device.Evaluator(v, o)
	}
	table := o.Cache
	o.Cache = nil
	device, err := s.device.Evaluator(v, o)
	if err != nil {
		return nil, err
	}
	instant, err := s.opts.Answers.Evaluator(v, o)
	if err != nil || table == nil {
		return answering{device, instant}, err
	}
	return NewCache(answering{device, instant}, table), nil
}

// answering is the evaluator of a device that gives the answers of another one.
type answering struct {
	Evaluator
	instant Evaluator
}

// Tag implements [Evaluator].
func (a answering) Tag(pos game.Position) Tag { return a.instant.Tag(pos) }

// Add implements [Evaluator]; the answer always waits.
func (a answering) Add(pos game.Position, tag Tag, moves []game.Move, out *Result) bool {
	a.instant.Add(pos, tag, moves, out)
	return a.Evaluator.Add(pos, a.Evaluator.Tag(pos), moves, &Result{Priors: make([]float32, len(moves))})
}

// Device implements [DeviceNetwork].
func (s *Simulated) Device() *Device { return s.device }

func (s *Simulated) slowed(d time.Duration) time.Duration {
	return time.Duration(s.opts.Slow * float64(d))
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
	for i := 0; i < b.Len() && s.opts.Answers == nil; i++ {
		simulate(b.Planes(i), b.Globals(i), b.Policy(i), b.Value(i))
	}
	time.Sleep(time.Until(until))
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
