package selfplay

import (
	"sync"

	"github.com/carozero/carozero/selfplay/samples"
)

// dealer hands out the games of a run to its workers. Which of them plays a game
// is free, since nothing of it reaches the game.
type dealer struct {
	mu      sync.Mutex
	games   []int // ids, in order
	workers int
	roster  *roster
	forks   *forks // nil: no game depends on another
}

// assignment is a game that a worker is to play.
type assignment struct {
	id      int
	network *seated       // the worker is a user of it
	parent  *samples.Game // the game to fork from; nil: none
}

// next returns the next game for a worker that has others under way. Towards the
// end it deals no more to each than its share of what is left, so that all
// workers end about one game apart; who gets none asks again.
func (d *dealer) next(underWay int) (a assignment, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	share := (len(d.games) + d.workers - 1) / d.workers
	if len(d.games) == 0 || underWay >= share {
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
}

// leave tells that a worker has no evaluator of n any more.
func (d *dealer) leave(n *seated) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.roster.leave(n)
}
