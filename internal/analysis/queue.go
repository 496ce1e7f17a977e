package analysis

import (
	"container/heap"
	"context"
)

// task is a turn of a query that was accepted. Its state belongs to the queue's
// lock.
type task struct {
	client   *Client
	query    *Query
	turn     int
	priority int64
	number   uint64 // in the order of arrival

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

// queue holds the tasks that nobody has begun, the most urgent first. It
// implements [heap.Interface]; its owner's lock is held.
type queue []*task

// Len implements [heap.Interface].
func (q queue) Len() int { return len(q) }

// Less implements [heap.Interface]: by priority, and then by arrival.
func (q queue) Less(i, j int) bool {
	if q[i].priority != q[j].priority {
		return q[i].priority > q[j].priority
	}
	return q[i].number < q[j].number
}

// Swap implements [heap.Interface].
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

// Push implements [heap.Interface].
func (q *queue) Push(x any) {
	t := x.(*task)
	t.at = len(*q)
	*q = append(*q, t)
}

// Pop implements [heap.Interface].
func (q *queue) Pop() any {
	last := len(*q) - 1
	t := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	t.at = notQueued
	return t
}

// add puts a task in.
func (q *queue) add(t *task) { heap.Push(q, t) }

// next takes the most urgent task out; there is one.
func (q *queue) next() *task { return heap.Pop(q).(*task) }

// withdraw takes a task out, wherever it stands.
func (q *queue) withdraw(t *task) { heap.Remove(q, t.at) }
