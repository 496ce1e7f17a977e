package web

import (
	"cmp"
	"time"
)

// Limits bound what a server takes from its visitors. Zero stands for the default
// that each field names.
type Limits struct {
	Clients int // sockets that are open; zero means 100
	Work    int // imports, exports and pages of reviews at once; zero means 4
	Bodies  int // bodies that are read at once; zero means 64
	Body    int // bytes of a body; zero means 4 MiB
	Unread  int // bytes that a socket's peer has not read, before it is closed; zero means 4 MiB
	Unsent  int // bytes of answers beside sockets, before work waits until their peers read; zero means 64 MiB

	// Rate is how many messages a second a socket's peer may send in the long run;
	// beyond that it is read more slowly. Zero means 200.
	Rate int

	// Idle is how long a socket's peer may leave a ping unanswered; Request how
	// long a request other than a socket may take. Zero means 30 seconds each.
	Idle, Request time.Duration
}

// withDefaults returns l with each zero replaced by what it stands for.
func (l Limits) withDefaults() Limits {
	l.Clients = cmp.Or(l.Clients, 100)
	l.Work = cmp.Or(l.Work, 4)
	l.Bodies = cmp.Or(l.Bodies, 64)
	l.Body = cmp.Or(l.Body, 4<<20)
	l.Unread = cmp.Or(l.Unread, 4<<20)
	l.Unsent = cmp.Or(l.Unsent, 64<<20)
	l.Rate = cmp.Or(l.Rate, 200)
	l.Idle = cmp.Or(l.Idle, 30*time.Second)
	l.Request = cmp.Or(l.Request, 30*time.Second)
	return l
}
