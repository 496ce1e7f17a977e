package gomoku

import (
	"errors"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
)

// dense makes random boards of one rule set and size: stones of both sides on a part of the
// board, with lines of both planted among them, and under the capture rule stones taken. The
// n-th board is a function of the seed and n.
type dense struct {
	Rules rules.Rules
	Size  int
	Seed  uint64
	next  uint64
}

// Next returns the next board: undecided, and without a win at once for the
// side to move. Nothing says that somebody wins on it.
func (d *dense) Next() (*rules.Board, error) {
	for {
		rng := rand.New(rand.NewPCG(d.Seed, d.next))
		d.next++
		setup := d.stones(rng)
		for range rng.IntN(3) {
			d.plant(rng, setup.Stones, rules.StoneOf(setup.ToMove))
		}
		for range rng.IntN(3) {
			d.plant(rng, setup.Stones, rules.StoneOf(setup.ToMove.Other()))
		}
		b, err := rules.NewSetup(d.Rules, d.Size, setup)
		switch {
		case err != nil && b == nil && errors.Is(err, rules.ErrIllegal): // both sides have won
			continue
		case err != nil:
			return nil, err
		case b.Outcome() == game.Undecided && len(b.Wins(nil)) == 0:
			return b, nil
		}
	}
}

// stones puts stones on a random part of the board, from a few to half of it.
func (d *dense) stones(rng *rand.Rand) rules.Setup {
	s := rules.Setup{Stones: make([]rules.Stone, d.Size*d.Size), ToMove: game.Side(rng.IntN(2))}
	width, height := min(7+rng.IntN(13), d.Size), min(7+rng.IntN(13), d.Size)
	left, bottom := rng.IntN(d.Size-width+1), rng.IntN(d.Size-height+1)
	density := 0.04 + 0.4*rng.Float64()
	side := game.Side(rng.IntN(2))
	for range int(density * float64(width*height)) {
		c := (bottom+rng.IntN(height))*d.Size + left + rng.IntN(width)
		if s.Stones[c] == rules.Empty {
			s.Stones[c] = rules.StoneOf(side)
			side = side.Other()
		}
	}
	if d.Rules.Captures {
		s.Captured = [2]int{2 * rng.IntN(5), 2 * rng.IntN(5)}
	}
	return s
}

// plant makes a random empty cell one where the stone continues two lines: two
// or three stones of five cells in a row, in each of two directions.
func (d *dense) plant(rng *rand.Rand, stones []rules.Stone, stone rules.Stone) {
	centre := rng.IntN(len(stones))
	if stones[centre] != rules.Empty {
		return
	}
	steps := [...][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}
	first := rng.IntN(len(steps))
	for _, i := range [...]int{first, first + 1 + rng.IntN(len(steps)-1)} {
		step := steps[i%len(steps)]
		low := -rng.IntN(5)
		gap := low + rng.IntN(5) // stays empty, beside the cell itself
		few := 2 + rng.IntN(2)
		for k, placed := low, 0; k < low+5 && placed < few; k++ {
			x, y := centre%d.Size+k*step[0], centre/d.Size+k*step[1]
			if k == 0 || k == gap || x < 0 || y < 0 || x >= d.Size || y >= d.Size {
				continue
			}
			if c := y*d.Size + x; stones[c] == rules.Empty {
				stones[c] = stone
				placed++
			}
		}
	}
}
