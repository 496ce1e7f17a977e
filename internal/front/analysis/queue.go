package analysis

import (
	"container/heap"
	"context"
	"slices"
	"time"
)

// task is a turn of a query that was accepted, or the work of an action. Its state
// belongs to the queue's lock.
type task struct {
	client   *Client
	query    *Query
	turn     int
	priority int64
	number   uint64 // in the order of arrival
	arrived  time.Time

	at    int // in the heap; notQueued once it was taken or withdrawn
	state taskState
	stop  context.CancelFunc // ends the search; while it is under way
}

// taskState is how far a task is.
type taskState uint8

const (
	queued taskState = iota
	underWay
	done // its final answer was given, or is about to be by whoever set this
)

const notQueued = -1

// queue holds the tasks that nobody has begun, those of each client by urgency.
// Clients take turns: the next task is one of the client that has the fewest under
// way, and of those of the one that has waited longest for its turn. Its owner's
// lock is held.
type queue struct {
	clients []*Client // that have tasks waiting
	turns   uint64    // tasks that were taken so far
}

// add puts a task in.
func (q *queue) add(t *task) {
	if len(t.client.waiting) == 0 {
		q.clients = append(q.clients, t.client)
	}
	heap.Push(&t.client.waiting, t)
}

// empty reports whether no task waits.
func (q *queue) empty() bool { return len(q.clients) == 0 }

// next takes the task out whose turn it is; there is one.
func (q *queue) next() *task {
	c := slices.MinFunc(q.clients, func(a, b *Client) int {
		if a.busy != b.busy {
			return a.busy - b.busy
		}
		return int(int64(a.served) - int64(b.served))
	})
	q.began(c)
	t := heap.Pop(&c.waiting).(*task)
	q.forget(c)
	return t
}

// began counts a task of a client as under way.
func (q *queue) began(c *Client) {
	q.turns++
	c.busy++
	c.served = q.turns
}

// waiting returns how many tasks wait.
func (q *queue) waiting() (n int) {
	for _, c := range q.clients {
		n += len(c.waiting)
	}
	return n
}

// withdraw takes a task out, wherever it stands.
func (q *queue) withdraw(t *task) {
	heap.Remove(&t.client.waiting, t.at)
	q.forget(t.client)
}

// forget drops a client that has nothing waiting any more.
func (q *queue) forget(c *Client) {
	if len(c.waiting) > 0 {
		return
	}
	if i := slices.Index(q.clients, c); i >= 0 {
		q.clients = slices.Delete(q.clients, i, i+1)
	}
}

// owed reports whether a client that has less under way than c waits for its turn.
func (q *queue) owed(c *Client) bool {
	return slices.ContainsFunc(q.clients, func(other *Client) bool { return other != c && other.busy < c.busy })
}

// waiting holds tasks of one client, the most urgent first. It implements
// [heap.Interface].
type waiting []*task

// Len implements [heap.Interface].
func (w waiting) Len() int { return len(w) }

// Less implements [heap.Interface]: by priority, and then by arrival.
func (w waiting) Less(i, j int) bool {
	if w[i].priority != w[j].priority {
		return w[i].priority > w[j].priority
	}
	return w[i].number < w[j].number
}

// Swap implements [heap.Interface].
func (w waiting) Swap(i, j int) {
	w[i], w[j] = w[j], w[i]
	w[i].at, w[j].at = i, j
}

// Push implements [heap.Interface].
func (w *waiting) Push(x any) {
	t := x.(*task)
	t.at = len(*w)
	*w = append(*w, t)
}

// Pop implements [heap.Interface].
func (w *waiting) Pop() any {
	last := len(*w) - 1
	t := (*w)[last]
	(*w)[last] = nil
	*w = (*w)[:last]
	t.at = notQueued
	return t
}
