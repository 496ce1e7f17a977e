package gomoku

import "github.com/carozero/carozero/game"

// Offer is an opening of three stones, black, white and black, as columns from the left and
// rows from the top, counted from the centre. Under the opening rule swap2 one player places
// them; the other chooses a colour, or places two more stones and lets the first player choose.
type Offer [3][2]int

// Offers are the openings that an engine offers under swap2: of those that fit the board it
// takes the most balanced.
var Offers = [...]Offer{
	{{0, 0}, {1, 0}, {-1, 2}},
	{{0, 0}, {1, 1}, {2, -1}},
	{{0, 0}, {2, 1}, {-2, 2}},
	{{0, 0}, {1, 0}, {3, 3}},
	{{-4, 4}, {0, 3}, {3, 4}},
	{{-4, -3}, {-2, -4}, {4, 4}},
}

// On returns the cells of the stones on a board, and false if they do not fit it.
func (o Offer) On(size int) (cells [3]game.Move, fits bool) {
	for i, at := range o {
		x, down := size/2+at[0], size/2+at[1]
		if x < 0 || down < 0 || x >= size || down >= size {
			return cells, false
		}
		cells[i] = game.Move((size-1-down)*size + x)
	}
	return cells, true
}
