package bench

import (
	_ "embed"
	"math/rand/v2"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
)

// lengths are the numbers of moves of the measured positions, from the opening
// to the middle game.
var lengths = [...]int{0, 2, 4, 6, 9, 12, 16, 20, 25, 30}

// positions returns a fixed set of undecided positions of a variant, reached
// by random moves beside stones that are there already. It depends on the
// variant alone.
func positions(v games.Variant) ([]game.Position, error) {
	list := make([]game.Position, 0, len(lengths))
	for i, length := range lengths {
		rng := rand.New(rand.NewPCG(2026, uint64(i)))
		for try := 0; ; try++ {
			pos, err := v.Start()
			if err != nil {
				return nil, err
			}
			randomMoves(pos, max(length-try/triesPerLength, 0), rng, v)
			if pos.Outcome() == game.Undecided && len(pos.Wins(nil)) == 0 {
				list = append(list, pos)
				break
			}
		}
	}
	return list, nil
}

// triesPerLength is how often a length is tried before a move is left out: in
// some games few random ones last as long.
const triesPerLength = 100

// randomMoves plays up to n moves, mostly around the centre where moves are cells.
func randomMoves(pos game.Position, n int, rng *rand.Rand, v games.Variant) {
	size := v.Columns()
	centrality := func(m game.Move) int {
		x, y := int(m)%size, int(m)/size
		return min(x, size-1-x) + min(y, size-1-y)
	}
	for range n {
		moves := pos.Moves(nil)
		if len(moves) == 0 {
			return
		}
		m := moves[rng.IntN(len(moves))]
		if size > 0 {
			m = moves[rng.IntN(len(moves))] // the most central of eight
			for range 7 {
				if other := moves[rng.IntN(len(moves))]; centrality(other) > centrality(m) {
					m = other
				}
			}
		}
		pos.Play(m)
	}
}

//go:embed quiet.txt
var quietText string

// quietPositions returns the first dozen positions of quiet.txt, from the opening to the
// late middle game, or random ones where the game, its rules or another size do not allow
// them.
func quietPositions(v games.Variant) ([]game.Position, error) {
	const dozen, size = 12, 15
	var list []game.Position
	for _, line := range strings.Split(quietText, "\n") {
		if line == "" || line[0] == '#' || v.Size != size {
			continue
		}
		pos, err := v.Parse(line)
		if err != nil || pos.Outcome() != game.Undecided {
			return positions(v)
		}
		if list = append(list, pos); len(list) == dozen {
			return list, nil
		}
	}
	return positions(v)
}
