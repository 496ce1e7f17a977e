package alphabeta

import (
	"sync"
	"testing"

	"github.com/carozero/carozero/game"
)

func TestCurrentlySearching(t *testing.T) {
	searching := new(currentlySearching)
	mine, theirs := deferral{searching: searching, hash: 7}, deferral{searching: searching, hash: 7}
	elsewhere := deferral{searching: searching, hash: 8}
	if mine.deferMove(3) {
		t.Error("a move is deferred before anybody searches it")
	}
	mine.startSearch(3)
	if !theirs.deferMove(3) || theirs.deferMove(4) || elsewhere.deferMove(3) {
		t.Errorf("move 3 of one position is being searched: %t, another move %t, another position %t",
			theirs.deferMove(3), theirs.deferMove(4), elsewhere.deferMove(3))
	}
	mine.finishSearch()
	if theirs.deferMove(3) {
		t.Error("a move is deferred after it was searched")
	}
	mine.finishSearch()
	var none deferral
	none.startSearch(3)
	if none.deferMove(3) {
		t.Error("with one thread a move is deferred")
	}
	none.finishSearch()
}

// More moves than there is room for are forgotten, and removing those is no harm.
func TestCurrentlySearchingOverflow(t *testing.T) {
	searching := new(currentlySearching)
	const high = 1 << 44
	var hashes [searchingWays + 2]uint64
	for i := range hashes {
		hashes[i] = uint64(i+1)*high | 1 // all of one set
		searching.add(hashes[i])
	}
	kept := 0
	for _, h := range hashes {
		if searching.contains(h) {
			kept++
		}
	}
	if kept != searchingWays || !searching.contains(hashes[len(hashes)-1]) {
		t.Errorf("%d of %d moves are kept, the last %t; want %d with the last", kept, len(hashes), searching.contains(hashes[len(hashes)-1]), searchingWays)
	}
	for _, h := range hashes {
		searching.remove(h)
	}
	if *searching != (currentlySearching{}) {
		t.Error("moves are left over")
	}
	searching.add(1)
	if searching.clear(); searching.contains(1) {
		t.Error("a move is left after clear")
	}
}

func TestCurrentlySearchingUnderThreads(t *testing.T) {
	searching := new(currentlySearching)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			d := deferral{searching: searching, hash: 5}
			for k := range 2000 {
				d.startSearch(game.Move((i*k)%50 + 1))
				d.deferMove(game.Move(k % 50))
				d.finishSearch()
			}
		})
	}
	group.Wait()
	for m := range game.Move(52) {
		if last := (deferral{searching: searching, hash: 5}); last.deferMove(m) {
			t.Errorf("move %d is deferred when all threads are gone", m)
		}
	}
}

// A move that another thread searches comes last, with the number and the
// depth that it had in its turn; the first is never deferred.
func TestMovesAreDeferred(t *testing.T) {
	searching, f := new(currentlySearching), new(frame)
	other := deferral{searching: searching, hash: 9}
	for _, m := range []game.Move{1, 3} {
		other.startSearch(m)
	}
	loop := moveLoop{deferral: deferral{searching: searching, hash: 9}}
	var got []game.Move
	for i := 1; i <= 4; i++ {
		next := countedMove{ScoredMove: ScoredMove{Move: game.Move(i)}, count: i, reduced: i}
		if !loop.deferIfSearched(f, &next) {
			got = append(got, next.Move)
			loop.finishSearch()
		}
	}
	for {
		next, ok := loop.resume(f)
		if !ok {
			break
		}
		if next.count != int(next.Move) || next.reduced != next.count {
			t.Errorf("move %d comes back as number %d, reduced by %d", next.Move, next.count, next.reduced)
		}
		got = append(got, next.Move)
		loop.finishSearch()
	}
	if len(got) != 4 || got[0] != 1 || got[1] != 2 || got[2] != 4 || got[3] != 3 {
		t.Errorf("searched in the order %v, want 1 2 4 3", got)
	}
}
