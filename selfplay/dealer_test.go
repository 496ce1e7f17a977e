package selfplay

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/selfplay/samples"
)

// TestDealer lets workers play games of random lengths at equal speed and wants
// every game dealt once, and all workers done within the length of a game.
func TestDealer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers, atOnce := rapid.IntRange(1, 4).Draw(t, "workers"), rapid.IntRange(1, 8).Draw(t, "at once")
		lengths := rapid.SliceOfN(rapid.IntRange(5, 10), 1, 100).Draw(t, "lengths")
		d := &dealer{workers: workers, networks: newOpenNetworks(&Setup{}, "")}
		d.by = func(int) (samples.PlayedBy, error) { return samples.PlayedBy{}, nil }
		for id := range lengths {
			d.games = append(d.games, id)
		}
		seen := map[int]bool{}
		left := make([][]int, workers) // of the games under way, by worker
		ended := make([]int, workers)
		for now, busy := 0, true; busy; now++ {
			busy = false
			for w := range left {
				for len(left[w]) < atOnce {
					id, _, ok, err := d.next(len(left[w]))
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						break
					}
					if seen[id] {
						t.Fatalf("game %d is dealt twice", id)
					}
					seen[id] = true
					left[w] = append(left[w], lengths[id])
				}
				if len(left[w]) == 0 {
					continue
				}
				// One step of one game, in turns.
				busy, ended[w] = true, now+1
				at := now % len(left[w])
				if left[w][at]--; left[w][at] == 0 {
					left[w] = append(left[w][:at], left[w][at+1:]...)
				}
			}
		}
		if len(seen) != len(lengths) {
			t.Fatalf("%d of %d games were dealt", len(seen), len(lengths))
		}
		first, last := ended[0], ended[0]
		for _, e := range ended {
			first, last = min(first, e), max(last, e)
		}
		if len(lengths) >= 2*workers*atOnce && last-first > 3*10 {
			t.Fatalf("the first worker was done at %d, the last at %d", first, last)
		}
	})
}
