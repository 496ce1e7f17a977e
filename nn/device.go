package nn

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
)

// Device computes a network outside the processor's cores, in batches of fixed sizes, each
// of which has a queue. It may stand for several devices of one kind.
type Device struct {
	Kind  DeviceKind
	Batch int // rows of a batch of goroutines with a turn
	Small int // rows of a batch of others, such as a single tree

	nets  []BatchNetwork // on each device
	turns *Turns

	mu     sync.Mutex
	queues map[queueKey]*Queue
}

// DeviceKind is what computes. Devices of one kind give a row the same bits, in batches of one
// size.
type DeviceKind struct {
	Provider string // with its options
	Library  string `sample:"omitzero" json:",omitempty"` // that computes, with its version
	Model    string `sample:"omitzero" json:",omitempty"` // of the device; "": unknown
}

type queueKey struct {
	net   int
	shape Shape
	size  int
}

// DeviceNetwork is a [Network] on a device.
type DeviceNetwork interface {
	Network
	Device() *Device
}

// NewDevice returns a device for one network, which nets compute on a device each, with
// default sizes of batches; nil turns are the device's own.
func NewDevice(kind DeviceKind, turns *Turns, batch, small int, nets ...BatchNetwork) *Device {
	if turns == nil {
		turns = NewTurns(1)
	}
	return &Device{Kind: kind, Batch: batch, Small: small, nets: nets, turns: turns, queues: map[queueKey]*Queue{}}
}

// Turns returns the turns of the goroutines that use the device.
func (d *Device) Turns() *Turns { return d.turns }

// Count returns how many devices compute.
func (d *Device) Count() int { return len(d.nets) }

// Evaluator implements [Network.Evaluator] for a network on the device. The size of the
// batches follows from the options alone.
func (d *Device) Evaluator(v Variant, o EvaluatorOptions) (Evaluator, error) {
	number := o.Device % len(d.nets)
	enc, err := EncoderFor(d.nets[number], v)
	if err != nil {
		return nil, err
	}
	size := o.MaxBatch
	if size == 0 {
		if size = d.Small; o.Turn != nil {
			size = d.Batch
		}
	}
	e, err := d.queue(number, enc.Shape(), size).Evaluator(enc, o.Turn, BatcherOptions{
		Capacity: o.Capacity, Seed: o.Seed, Temperature: o.Temperature,
	})
	if err != nil || o.Cache == nil {
		return e, err
	}
	return NewCache(e, o.Cache), nil
}

// queue returns the queue of a device's batches of a size.
func (d *Device) queue(net int, shape Shape, size int) *Queue {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := queueKey{net, shape, size}
	if d.queues[key] == nil {
		d.queues[key] = NewQueue(d.nets[net], shape, size, d.turns)
	}
	return d.queues[key]
}

// Stats returns the sum of what the queues have sent to the devices.
func (d *Device) Stats() (sum QueueStats) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.queues {
		s := q.Stats()
		sum.Batches += s.Batches
		sum.Full += s.Full
		sum.Rows += s.Rows
		sum.Computed += s.Computed
	}
	return sum
}

// Close returns when nothing is computed any more; whatever waits fails with ErrClosed.
func (d *Device) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.queues {
		q.Close()
	}
}

// ErrUnequal says that a device computes the same row to other bits at another place.
var ErrUnequal = errors.New("the same row has another answer elsewhere: the same seed may give other samples")

// Probe computes one row at several places of batches of a size, among different
// neighbours, on each device. It returns a digest of the answer, by which the device can be
// compared with another one, and an error that wraps ErrUnequal if the answers differ: then
// what is promised about equal bytes does not hold.
func (d *Device) Probe(ctx context.Context, v Variant, size int) (digest string, err error) {
	var first []byte
	for number, net := range d.nets {
		enc, failed := EncoderFor(net, v)
		if failed != nil {
			return "", failed
		}
		b := ArbitraryBatch(enc.Shape(), size)
		planes, globals := slices.Clone(b.Planes(0)), slices.Clone(b.Globals(0))
		for _, at := range []int{0, size / 3, size - 1} {
			slices.Reverse(b.planes) // other neighbours
			copy(b.Planes(at), planes)
			copy(b.Globals(at), globals)
			if err := net.Forward(ctx, b); err != nil {
				return "", err
			}
			var answer []byte
			for _, x := range slices.Concat(b.Policy(at), b.Value(at)) {
				answer = binary.LittleEndian.AppendUint32(answer, math.Float32bits(x))
			}
			if first == nil {
				first = answer
			}
			if !slices.Equal(first, answer) && err == nil {
				err = fmt.Errorf("model %s: row %d of a batch of %d on device %d: %w", net.Name(), at, size, number, ErrUnequal)
			}
		}
	}
	sum := sha256.Sum256(first)
	return hex.EncodeToString(sum[:]), err
}
