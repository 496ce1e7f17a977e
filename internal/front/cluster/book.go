package cluster

// Where a game is.
const (
	open   uint8 = iota // to be played
	held                // on disk, and not believed yet
	stored              // in the run
)

// Where a task is.
const (
	idle     uint8 = iota // among the book's idle tasks
	queued                // in the queue
	leased                // with a session
	complete              // none of its games is open
)

// book knows where every game and every task of a run is. A task is a range of games
// within one shard, which one network plays.
type book struct {
	games, perShard, perTask int
	pairs                    bool // games may fork: units are pairs

	state []uint8 // by game
	count [3]int  // games by state
	tasks []uint8 // by task
	idle  []int   // tasks that are to be queued, and some that are not idle any more
}

// newBook returns the book of a run of which done says what is on disk.
func newBook(games, perShard, perTask int, pairs bool, done func(int) bool) *book {
	if pairs {
		perTask += perTask % 2
	}
	b := &book{games: games, perShard: perShard, perTask: min(perTask, perShard), pairs: pairs, state: make([]uint8, games)}
	b.count[open] = games
	for id := range games {
		if done(id) {
			b.set(id, stored)
		}
	}
	b.tasks = make([]uint8, ((games-1)/perShard+1)*b.inShard())
	return b
}

// inShard returns how many tasks a shard has; the last shard's last ones may be empty.
func (b *book) inShard() int { return (b.perShard-1)/b.perTask + 1 }

// task returns the task of a game.
func (b *book) task(id int) int {
	return id/b.perShard*b.inShard() + id%b.perShard/b.perTask
}

// lacks returns the open games of a task.
func (b *book) lacks(task int) (ids []int) {
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

// unit returns the games that are played, checked and taken in together with one.
func (b *book) unit(id int) []int {
	if !b.pairs {
		return []int{id}
	}
	id &^= 1
	if id+1 == b.games {
		return []int{id}
	}
	return []int{id, id + 1}
}

// set says where a game is.
func (b *book) set(id int, state uint8) {
	b.count[b.state[id]]--
	b.state[id] = state
	b.count[state]++
}

// shelve takes all tasks that are not with a session as to be queued, if games of them
// are open, and forgets what is in the queue.
func (b *book) shelve() {
	b.idle = b.idle[:0]
	for t, state := range b.tasks {
		switch {
		case len(b.lacks(t)) == 0:
			b.tasks[t] = complete
		case state != leased:
			b.tasks[t] = idle
			b.idle = append(b.idle, t)
		}
	}
}

// again makes a task one that is to be queued, before all others.
func (b *book) again(task int) {
	b.tasks[task] = idle
	b.idle = append([]int{task}, b.idle...)
}

// next takes at most n tasks that are to be queued, and says that they are.
func (b *book) next(n int) (list []int) {
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
func (b *book) waiting() (n int) {
	for _, state := range b.tasks {
		if state == idle || state == queued {
			n++
		}
	}
	return n
}
