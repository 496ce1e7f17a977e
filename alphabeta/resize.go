package alphabeta

import "math/bits"

// resized returns a table of n clusters with the content of t, of which only
// entries are lost that find no place.
func (t *table) resized(n int) *table {
	to := sizedTable(n)
	to.generation = t.generation
	to.prefix = min(to.prefix, t.prefix)
	for i := range t.clusters {
		c := &t.clusters[i]
		for j := range c.data {
			data := c.data[j].Load()
			if boundOf(data) == noBound {
				continue
			}
			key := c.check[j].Load() ^ fold(data)
			top, ok := t.top(uint64(i), key)
			if !ok {
				continue
			}
			hash := top | uint64(key)
			to.put(address(hash, to.prefix), key, unpack(data), uint8(data>>58))
		}
	}
	return to
}

// top returns the first t.prefix bits of the hash of an entry in cluster i with
// that key, the others zero. There is none if the entry is not what was stored.
func (t *table) top(i uint64, key uint32) (uint64, bool) {
	if t.prefix == 0 {
		return 0, true
	}
	first, _ := bits.Div64(i, 0, uint64(len(t.clusters)))
	step := uint64(1) << (64 - t.prefix)
	for _, top := range [2]uint64{first &^ (step - 1), first&^(step-1) + step} {
		if t.index(address(top|uint64(key), t.prefix)) == i {
			return top, true
		}
	}
	return 0, false
}
