package regression

// Counter adds up what an evaluation tells of a position, feature by feature, into the
// terms of a row. The zero value is ready. It belongs to one goroutine.
type Counter struct {
	counts  []int16  // by feature; all 0 between two rows
	touched []uint16 // the features that were told, each at least once, in order
	terms   []Term
}

// Count adds count to a feature.
func (c *Counter) Count(feature, count int) {
	for feature >= len(c.counts) {
		c.counts = append(c.counts, 0)
	}
	if c.counts[feature] == 0 {
		c.touched = append(c.touched, uint16(feature))
	}
	c.counts[feature] += int16(count)
}

// Terms returns what has been counted since the last call, a term for each feature whose
// counts do not add up to 0, in the order in which they were first counted. They belong
// to c and are valid until the next call.
func (c *Counter) Terms() []Term {
	c.terms = c.terms[:0]
	for _, f := range c.touched {
		if n := c.counts[f]; n != 0 {
			c.terms = append(c.terms, Term{Feature: f, Count: n})
			c.counts[f] = 0
		}
	}
	c.touched = c.touched[:0]
	return c.terms
}
