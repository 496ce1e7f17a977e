package cluster

import (
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/carozero/carozero/selfplay/samples"
)

// checker replays games. One goroutine uses it at a time.
type checker struct{ codec samples.Codec }

// check returns the games of an untrusted result, or why they do not belong to the run. It
// is safe for concurrent use.
func (c *Coordinator) check(packed []byte, by func(id int) samples.PlayedBy) (records []*samples.Record, err error) {
	k := <-c.checks
	defer func() {
		if broken := recover(); broken != nil {
			records, err = nil, fmt.Errorf("checking it has failed: %v", broken)
		}
		c.checks <- k
	}()
	size, err := unfolded(packed)
	if err != nil {
		return nil, err
	}
	parcel, err := c.unpack.DecodeAll(packed, make([]byte, 0, size))
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	records, err = samples.ReadParcel(parcel, c.run.Layout, 2)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, errors.New("it has no game")
	}
	unit := []int{}
	for _, r := range records {
		if r.Game.ID >= uint64(c.run.Games) {
			return nil, fmt.Errorf("game %d is not of this run", r.Game.ID)
		}
		unit = append(unit, int(r.Game.ID))
	}
	if len(unit) != 1 {
		return nil, fmt.Errorf("games %v: want one", unit)
	}
	if found := samples.CheckRecords(&c.run, by(unit[0]), k.codec, records); len(found) > 0 {
		return records, fmt.Errorf("game %d: %s", unit[0], found[0])
	}
	return records, nil
}

// unfolded returns the decompressed size that a result declares, in bytes; the decoder
// enforces it.
func unfolded(packed []byte) (int64, error) {
	if len(packed) > maxResult {
		return 0, fmt.Errorf("%d bytes: want at most %d", len(packed), maxResult)
	}
	var h zstd.Header
	if err := h.Decode(packed); err != nil || !h.HasFCS || h.FrameContentSize > maxParcel {
		return 0, fmt.Errorf("it does not say that it unfolds to at most %d bytes", maxParcel)
	}
	return int64(h.FrameContentSize), nil
}
