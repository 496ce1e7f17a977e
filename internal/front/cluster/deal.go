package cluster

import (
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// lease is a task that one or more sessions are playing.
type lease struct {
	msg    jetstream.Msg // nil: not in the queue
	shares []share       // more than one where the first session is slow
	since  time.Time
}

// share is what a session plays of a task.
type share struct {
	session *session
	games   []int // that it was given
}

// has reports whether a session plays the task.
func (l *lease) has(s *session) bool {
	return slices.ContainsFunc(l.shares, func(h share) bool { return h.session == s })
}

// queueAhead is how many tasks are put into the queue at once.
const queueAhead = 64

// deal answers a session that has room for games.
func (c *Coordinator) deal(s *session, room int) (answer, error) {
	room = min(room, maxRoom)
	if c.crowded != "" {
		return answer{Wait: c.crowded}, nil
	}
	if !c.nc.IsConnected() {
		return answer{Failed: "the server is away"}, nil
	}
	if c.queue == nil && c.o.Now().Sub(c.repaired) < repairPause {
		return answer{Failed: errNoQueue.Error()}, nil
	}
	var a answer
	for room > 0 && len(a.Tasks) < maxDealt {
		list, err := c.take(min(maxDealt-len(a.Tasks), room/c.o.TaskGames+1))
		if err != nil {
			return answer{Failed: err.Error()}, c.repair(err)
		}
		if len(list) == 0 {
			break
		}
		for _, t := range list {
			task, err := c.lease(s, t)
			if err != nil {
				return a, err
			}
			a.Tasks = append(a.Tasks, task)
			room -= len(task.Games)
		}
	}
	if len(a.Tasks) == 0 && room > 0 {
		return c.shared(s)
	}
	c.m.queue.Set(float64(c.table.waiting()))
	return a, nil
}

// take takes tasks that still have to be played out of the queue, refilling it when empty.
func (c *Coordinator) take(n int) (list []taken, err error) {
	if c.queue == nil {
		return nil, errNoQueue
	}
	for {
		found, err := c.queue.take(n)
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			switch {
			case t.task < 0 || t.task >= len(c.table.tasks) || c.table.tasks[t.task] != queued:
				_ = t.msg.Ack() // it was claimed or finished in the meantime
			case len(c.table.openGames(t.task)) == 0:
				c.table.tasks[t.task] = complete
				_ = t.msg.Ack()
			default:
				list = append(list, t)
			}
		}
		if len(list) > 0 {
			c.starved = time.Time{}
			return list, nil
		}
		if len(found) > 0 {
			continue
		}
		ahead := c.table.next(queueAhead)
		if len(ahead) == 0 {
			return nil, c.starving()
		}
		if err := c.queue.put(c.ctx, ahead); err != nil {
			return nil, err
		}
	}
}

// starving returns an error if the queue has long held back tasks that should be in it: it
// has lost them, or gave them to a fetch whose answer was lost.
func (c *Coordinator) starving() error {
	now := c.o.Now()
	switch {
	case !slices.Contains(c.table.tasks, queued):
		c.starved = time.Time{}
	case c.starved.IsZero():
		c.starved = now
	case now.Sub(c.starved) >= starvedFor:
		c.starved = time.Time{}
		return errStarved
	}
	return nil
}

var (
	errStarved = errors.New("the queue does not give back what was put into it")
	errNoQueue = errors.New("the queue could not be made")
)

// starvedFor is how long the queue may wrongly look empty before it is recreated.
const starvedFor = 3 * time.Second

// repairPause is how long after a repair that failed the next one is tried: each holds up all
// sessions.
const repairPause = time.Second

// repair recreates the queue after an error of it. If that fails it is not an error: the
// server may come back.
func (c *Coordinator) repair(err error) error {
	c.o.Log.Warn("the queue is filled anew", "error", err)
	c.m.repairs.Inc()
	if err := c.requeue(c.ctx); err != nil {
		c.o.Log.Warn("the queue cannot be made", "error", err)
	}
	c.repaired = c.o.Now()
	return nil
}

// lease gives a task to a session.
func (c *Coordinator) lease(s *session, t taken) (Task, error) {
	games := c.table.openGames(t.task)
	by, err := c.playedBy(games[0])
	if err != nil {
		return Task{}, err
	}
	c.table.tasks[t.task] = leased
	c.leases[t.task] = &lease{msg: t.msg, shares: []share{{s, games}}, since: c.o.Now()}
	s.tasks[t.task] = true
	return Task{t.task, games, by}, nil
}

// shared gives an idle session a task that another session has had for long.
func (c *Coordinator) shared(s *session) (answer, error) {
	best := -1
	for t, l := range c.leases {
		slow := c.o.Now().Sub(l.since) >= c.o.Slow && len(l.shares) < maxShared && !l.has(s)
		if slow && (best < 0 || l.since.Before(c.leases[best].since)) {
			best = t
		}
	}
	if best < 0 {
		return answer{Wait: "all games are dealt"}, nil
	}
	games := c.table.openGames(best)
	if len(games) == 0 {
		return answer{Wait: "all games are dealt"}, nil
	}
	by, err := c.playedBy(games[0])
	if err != nil {
		return answer{}, err
	}
	l := c.leases[best]
	l.shares, l.since = append(l.shares, share{s, games}), c.o.Now()
	s.tasks[best] = true
	c.m.shared.Inc()
	return answer{Tasks: []Task{{best, games, by}}}, nil
}

// maxShared is how many sessions may play a task at once.
const maxShared = 3

// claim gives a session back the tasks that it says it has, if their games are open.
func (c *Coordinator) claim(s *session, tasks []holding) {
	for _, h := range tasks {
		if h.ID < 0 || h.ID >= len(c.table.tasks) {
			continue
		}
		games := slices.DeleteFunc(c.table.openGames(h.ID), func(id int) bool { return !slices.Contains(h.Games, id) })
		if len(games) == 0 {
			continue
		}
		l := c.leases[h.ID]
		if l == nil {
			l = &lease{since: c.o.Now()}
			c.leases[h.ID] = l
			c.table.tasks[h.ID] = leased
		}
		if !l.has(s) && len(l.shares) < maxShared {
			l.shares = append(l.shares, share{s, games})
			s.tasks[h.ID] = true
		}
	}
}

// settle ends the leases of tasks of which all dealt games are on disk. A task without open
// games leaves the queue; one with open games, left by a quarantined worker, goes back.
func (c *Coordinator) settle(tasks ...int) {
	for _, t := range tasks {
		l := c.leases[t]
		if l == nil || c.underWay(l) {
			continue
		}
		for _, h := range l.shares {
			delete(h.session.tasks, t)
		}
		if len(c.table.openGames(t)) > 0 {
			c.giveBack(t)
			continue
		}
		if l.msg != nil {
			_ = l.msg.Ack() // if lost, the task comes again and is found complete
		}
		delete(c.leases, t)
		c.table.tasks[t] = complete
	}
}

// underWay reports whether a session still has a game of a lease to play.
func (c *Coordinator) underWay(l *lease) bool {
	return slices.ContainsFunc(l.shares, func(h share) bool {
		return slices.ContainsFunc(h.games, func(id int) bool { return c.table.state[id] == open })
	})
}

// giveBack ends the lease of a task that has open games.
func (c *Coordinator) giveBack(t int) {
	l := c.leases[t]
	delete(c.leases, t)
	if l.msg != nil && l.msg.Nak() == nil {
		c.table.tasks[t] = queued
	} else {
		c.table.again(t)
	}
}

// leave takes a session's tasks away. Tasks of which no other session plays a game are dealt
// again.
func (c *Coordinator) leave(s *session) {
	tasks := []int{}
	for t := range s.tasks {
		tasks = append(tasks, t)
	}
	slices.Sort(tasks)
	for _, t := range tasks {
		delete(s.tasks, t)
		l := c.leases[t]
		l.shares = slices.DeleteFunc(l.shares, func(h share) bool { return h.session == s })
		if len(l.shares) > 0 {
			c.settle(t)
			continue
		}
		c.giveBack(t)
		c.m.handed.Inc()
	}
}
