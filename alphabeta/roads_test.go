package alphabeta

import (
	"sync"
	"testing"

	"github.com/carozero/carozero/game"
)

func TestRoads(t *testing.T) {
	r := new(roads)
	mine, theirs := marker{roads: r, hash: 7}, marker{roads: r, hash: 7}
	elsewhere := marker{roads: r, hash: 8}
	if mine.taken(3) {
		t.Error("a move is taken before anybody searches it")
	}
	mine.enter(3)
	if !theirs.taken(3) || theirs.taken(4) || elsewhere.taken(3) {
		t.Errorf("move 3 of one position is being searched: %t, another move %t, another position %t",
			theirs.taken(3), theirs.taken(4), elsewhere.taken(3))
	}
	mine.done()
	if theirs.taken(3) {
		t.Error("a move is taken after it was searched")
	}
	mine.done()
	var none marker
	none.enter(3)
	if none.taken(3) {
		t.Error("a marker without roads marks")
	}
	none.done()
}

// More marks than there is room for are forgotten, and leaving those is no harm.
func TestRoadsOverflow(t *testing.T) {
	r := new(roads)
	const high = 1 << 44
	var marks [roadWays + 2]uint64
	for i := range marks {
		marks[i] = uint64(i+1)*high | 1 // all of one set
		r.enter(marks[i])
	}
	kept := 0
	for _, m := range marks {
		if r.taken(m) {
			kept++
		}
	}
	if kept != roadWays || !r.taken(marks[len(marks)-1]) {
		t.Errorf("%d of %d marks are kept, the last %t; want %d with the last", kept, len(marks), r.taken(marks[len(marks)-1]), roadWays)
	}
	for _, m := range marks {
		r.leave(m)
	}
	if *r != (roads{}) {
		t.Error("marks are left over")
	}
	r.enter(1)
	if r.clear(); r.taken(1) {
		t.Error("a mark is left after clear")
	}
}

func TestRoadsUnderThreads(t *testing.T) {
	r := new(roads)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			m := marker{roads: r, hash: 5}
			for k := range 2000 {
				m.enter(game.Move((i*k)%50 + 1))
				m.taken(game.Move(k % 50))
				m.done()
			}
		})
	}
	group.Wait()
	for m := range game.Move(52) {
		if last := (marker{roads: r, hash: 5}); last.taken(m) {
			t.Errorf("move %d is taken when all threads are gone", m)
		}
	}
}

// A move that another thread searches comes last, with the number and the
// depth that it had in its turn; the first is never put off.
func TestMovesArePutOff(t *testing.T) {
	r, f := new(roads), new(frame)
	other := marker{roads: r, hash: 9}
	for _, m := range []game.Move{1, 3} {
		other.enter(m)
	}
	turns := trials{marker: marker{roads: r, hash: 9}}
	var got []game.Move
	for i := 1; i <= 4; i++ {
		next := trial{Entry: Entry{Move: game.Move(i)}, count: i, reduced: i}
		if !turns.putOff(f, &next) {
			got = append(got, next.Move)
			turns.done()
		}
	}
	for {
		next, ok := turns.resume(f)
		if !ok {
			break
		}
		if next.count != int(next.Move) || next.reduced != next.count {
			t.Errorf("move %d comes back as number %d, reduced by %d", next.Move, next.count, next.reduced)
		}
		got = append(got, next.Move)
		turns.done()
	}
	if len(got) != 4 || got[0] != 1 || got[1] != 2 || got[2] != 4 || got[3] != 3 {
		t.Errorf("searched in the order %v, want 1 2 4 3", got)
	}
}
