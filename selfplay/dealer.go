package selfplay

import (
	"context"
	"sync"

	"github.com/carozero/carozero/selfplay/samples"
)

// dealer hands out games to workers. Which of them plays a game is free, since
// nothing of it reaches the game.
type dealer struct {
	mu      sync.Mutex
	games   []int // ids, in order
	workers int
	roster  *roster
	forks   *forks // nil: no game depends on another

	open    bool          // games may still come
	news    int           // counts what a worker without games waits for
	changed chan struct{} // is closed by the next of it; nil while nobody waits
}

// assignment is a game that a worker is to play.
type assignment struct {
	id      int
	network *seated       // the worker is a user of it
	parent  *samples.Game // the game to fork from; nil: none
}

// next returns the next game for a worker that has others under way. Towards the
// end it deals no more to each than its share of what is left, so that all
// workers end about one game apart; who gets none asks again. While games may
// still come nobody knows the end, and all are dealt.
func (d *dealer) next(underWay int) (a assignment, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	share := (len(d.games) + d.workers - 1) / d.workers
	if len(d.games) == 0 || !d.open && underWay >= share {
		return a, false, nil
	}
	at := 0
	for at < len(d.games) && d.forks.waits(d.games[at]) {
		at++
	}
	if at == len(d.games) {
		return a, false, nil
	}
	a.id = d.games[at]
	if a.network, err = d.roster.of(a.id); err != nil {
		return a, false, err
	}
	a.parent = d.forks.take(a.id)
	d.games = append(d.games[:at], d.games[at+1:]...)
	return a, true, nil
}

// finished takes in the entry of a game that is over, on which another may wait.
func (d *dealer) finished(g *samples.Game) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forks.add(g)
	d.tell()
}

// seen returns the number of the last news, for wait.
func (d *dealer) seen() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.news
}

// wait blocks a worker that has no game until there is something new since it has
// seen the news of that number. It returns false, or the context's error, when no
// game comes any more.
func (d *dealer) wait(ctx context.Context, seen int) (bool, error) {
	d.mu.Lock()
	if !d.open || d.news != seen {
		defer d.mu.Unlock()
		return d.open, nil
	}
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	changed := d.changed
	d.mu.Unlock()
	select {
	case <-changed:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// tell wakes the workers that wait. It is called under the lock.
func (d *dealer) tell() {
	d.news++
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// leave tells that a worker has no evaluator of n any more.
func (d *dealer) leave(n *seated) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.roster.leave(n)
}
