package alphabeta

import (
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
