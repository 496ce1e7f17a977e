package web

import "time"

// pace says how long to wait so that no more than a number of messages a second
// is handled in the long run. A second's worth may come at once.
type pace struct {
	each time.Duration // of a message
	free time.Time     // when a message may be handled again, minus what is saved up
}

func newPace(rate int, now time.Time) *pace {
	return &pace{each: time.Second / time.Duration(rate), free: now.Add(-time.Second)}
}

// wait counts a message that came now and returns how long it is to wait.
func (p *pace) wait(now time.Time) time.Duration {
	if saved := now.Add(-time.Second); p.free.Before(saved) {
		p.free = saved
	}
	p.free = p.free.Add(p.each)
	return p.free.Sub(now)
}
