package cluster

import "time"

// rate is a token bucket. It belongs to one goroutine.
type rate struct {
	perSecond, burst float64
	left             float64
	filled           time.Time // the zero time: not yet
}

// take takes n tokens and reports whether they were available.
func (r *rate) take(now time.Time, n float64) bool {
	if r.filled.IsZero() {
		r.left = r.burst
	} else {
		r.left = min(r.burst, r.left+r.perSecond*now.Sub(r.filled).Seconds())
	}
	r.filled = now
	if r.left < n {
		return false
	}
	r.left -= n
	return true
}

// rates has a bucket for each session that asked recently.
type rates struct {
	perSecond, burst float64
	most             int
	by               map[string]*rate
}

// take takes a token of a session's bucket. Memory is limited: when there are too many
// sessions, one with a full bucket is forgotten, which changes nothing for it, or else any.
func (r *rates) take(session string, now time.Time) bool {
	b := r.by[session]
	if b == nil {
		if len(r.by) >= r.most {
			r.forget(now)
		}
		b = &rate{perSecond: r.perSecond, burst: r.burst}
		r.by[session] = b
	}
	return b.take(now, 1)
}

// forget makes room.
func (r *rates) forget(now time.Time) {
	full := time.Duration(r.burst / r.perSecond * float64(time.Second))
	for session, b := range r.by {
		if now.Sub(b.filled) >= full {
			delete(r.by, session)
		}
	}
	for session := range r.by {
		if len(r.by) < r.most*3/4 {
			return
		}
		delete(r.by, session)
	}
}
