package gomoku

// Symmetries is the number of symmetries of a square board. Symmetry 0 is the
// identity.
const Symmetries = 8

// Transform returns the image of a cell, 0..size*size-1, under the symmetry
// sym = 4*t + r, 0..7: first, if t is 1, a transposition (x, y) -> (y, x),
// then r quarter turns, each (x, y) -> (size-1-y, x).
func Transform(size, sym, cell int) int {
	x, y := cell%size, cell/size
	if sym&4 != 0 {
		x, y = y, x
	}
	switch sym & 3 {
	case 1:
		x, y = size-1-y, x
	case 2:
		x, y = size-1-x, size-1-y
	case 3:
		x, y = y, size-1-x
	}
	return y*size + x
}
