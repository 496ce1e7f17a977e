package selfplay

import "sync"

// dealer hands out the games of a run to its workers. Which of them plays a game
// is free, since nothing of it reaches the game.
type dealer struct {
	mu      sync.Mutex
	games   []int // ids, in order
	workers int
}

// next returns the next game for a worker that has others under way. Towards the
// end it deals no more to each than its share of what is left, so that all
// workers end about one game apart; who gets none asks again.
func (d *dealer) next(underWay int) (id int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	share := (len(d.games) + d.workers - 1) / d.workers
	if len(d.games) == 0 || underWay >= share {
		return 0, false
	}
	id = d.games[0]
	d.games = d.games[1:]
	return id, true
}
