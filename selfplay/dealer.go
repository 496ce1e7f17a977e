package selfplay

import (
	"context"
	"sync"
)

// dealer hands out games to workers. Any worker may play any game: the result does not
// depend on it.
type dealer struct {
	mu      sync.Mutex
	games   []int // ids, in order
	workers int
	roster  *roster

	open    bool          // games may still be added
	changes int           // number of changes that a worker without games waits for
	changed chan struct{} // closed by the next change; nil while nobody waits
}

// assignment is a game that a worker is to play.
type assignment struct {
	id      int
	network *openNetwork // the worker is a user of it
}

// next returns the next game for a worker with so many games under way. Towards the
// end it gives each worker no more than its share of the games left, so that workers
// end about one game apart; a worker that gets none asks again. While games may still
// be added it deals all that there are.
func (d *dealer) next(underWay int) (a assignment, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	share := (len(d.games) + d.workers - 1) / d.workers
	if len(d.games) == 0 || !d.open && underWay >= share {
		return a, false, nil
	}
	a.id = d.games[0]
	if a.network, err = d.roster.of(a.id); err != nil {
		return a, false, err
	}
	d.games = d.games[1:]
	return a, true, nil
}

// changeCount returns the number of changes so far, for wait.
func (d *dealer) changeCount() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

// wait blocks a worker that has no game until there are more changes than seen. It
// returns false if no game will come any more, and the context's error if that ends.
func (d *dealer) wait(ctx context.Context, seen int) (bool, error) {
	d.mu.Lock()
	if !d.open || d.changes != seen {
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

// wake wakes the workers that wait. The caller holds the lock.
func (d *dealer) wake() {
	d.changes++
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// release says that a worker has dropped its evaluator of n.
func (d *dealer) release(n *openNetwork) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.roster.release(n)
}
