package cluster

// States of a game.
const (
	open   uint8 = iota // to be played
	held                // on disk, not audited yet
	stored              // in the run
)

// States of a task.
const (
	idle     uint8 = iota // in taskTable.idle
	queued                // in the queue
	leased                // with a session
	complete              // it has no open game
)

// taskTable holds the state of every game and task of a run. A task is a range of games within
// one shard, which one network plays.
type taskTable struct {
	games, perShard, perTask int

	state []uint8 // by game
	count [3]int  // games by state
	tasks []uint8 // by task
	idle  []int   // tasks to be queued; some entries are out of date
}

// newTaskTable returns the table of a run; done says which games are on disk.
func newTaskTable(games, perShard, perTask int, done func(int) bool) *taskTable {
	b := &taskTable{games: games, perShard: perShard, perTask: min(perTask, perShard), state: make([]uint8, games)}
	b.count[open] = games
	for id := range games {
		if done(id) {
			b.set(id, stored)
		}
	}
	b.tasks = make([]uint8, ((games-1)/perShard+1)*b.inShard())
	return b
}

// inShard returns how many tasks a shard has; the last shard's last tasks may be empty.
func (b *taskTable) inShard() int { return (b.perShard-1)/b.perTask + 1 }

// task returns the task of a game.
func (b *taskTable) task(id int) int {
	return id/b.perShard*b.inShard() + id%b.perShard/b.perTask
}

// openGames returns the open games of a task.
func (b *taskTable) openGames(task int) (ids []int) {
	shard, at := task/b.inShard(), task%b.inShard()
	from := shard*b.perShard + at*b.perTask
	to := min(from+b.perTask, (shard+1)*b.perShard, b.games)
	for id := from; id < to; id++ {
		if b.state[id] == open {
			ids = append(ids, id)
		}
	}
	return ids
}

// set sets the state of a game.
func (b *taskTable) set(id int, state uint8) {
	b.count[b.state[id]]--
	b.state[id] = state
	b.count[state]++
}

// refill marks every task that no session has and that has open games as idle, and so
// forgets the queue.
func (b *taskTable) refill() {
	b.idle = b.idle[:0]
	for t, state := range b.tasks {
		switch {
		case len(b.openGames(t)) == 0:
			b.tasks[t] = complete
		case state != leased:
			b.tasks[t] = idle
			b.idle = append(b.idle, t)
		}
	}
}

// again puts a task at the front of those to be queued.
func (b *taskTable) again(task int) {
	b.tasks[task] = idle
	b.idle = append([]int{task}, b.idle...)
}

// next takes at most n tasks that are to be queued and marks them as queued.
func (b *taskTable) next(n int) (list []int) {
	for len(list) < n && len(b.idle) > 0 {
		t := b.idle[0]
		b.idle = b.idle[1:]
		if b.tasks[t] == idle {
			b.tasks[t] = queued
			list = append(list, t)
		}
	}
	return list
}

// waiting returns how many tasks no session has.
func (b *taskTable) waiting() (n int) {
	for _, state := range b.tasks {
		if state == idle || state == queued {
			n++
		}
	}
	return n
}
