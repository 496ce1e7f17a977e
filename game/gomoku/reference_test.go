package gomoku_test

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// reference is the rules once more, from their text: a grid of characters, one
// branch per name, no state but the position. It shares nothing with Board and
// every test that plays compares the two.
type reference struct {
	rule     string
	size     int
	grid     []byte // 'X', 'O' or '.', by cell
	turn     byte
	captured [2]int // by index of the side's character
	result   byte   // 'X', 'O', '=' or 0
	reason   game.Reason
}

func newReference(rule string, size int) *reference {
	return &reference{
		rule: rule, size: size, turn: 'X',
		grid: []byte(strings.Repeat(".", size*size)),
	}
}

// referenceOf copies the position of a board, without its outcome.
func referenceOf(b *gomoku.Board) *reference {
	r := newReference(b.Rules().Name, b.Size())
	for c := range r.grid {
		r.grid[c] = ".XO"[b.At(c)]
	}
	r.turn = letter(b.ToMove())
	r.captured = [2]int{b.Captured(game.First), b.Captured(game.Second)}
	return r
}

func letter(s game.Side) byte { return "XO"[s] }

func index(c byte) int { return strings.IndexByte("XO", c) }

func rival(c byte) byte { return 'X' + 'O' - c }

func (r *reference) clone() *reference {
	c := *r
	c.grid = append([]byte(nil), r.grid...)
	return &c
}

// at returns '#' outside the board.
func (r *reference) at(x, y int) byte {
	if x < 0 || y < 0 || x >= r.size || y >= r.size {
		return '#'
	}
	return r.grid[y*r.size+x]
}

func (r *reference) set(x, y int, c byte) { r.grid[y*r.size+x] = c }

// ray returns the n characters that start at (x, y) and go on by (dx, dy).
func (r *reference) ray(x, y, dx, dy, n int) string {
	s := make([]byte, n)
	for k := range s {
		s[k] = r.at(x+k*dx, y+k*dy)
	}
	return string(s)
}

var slopes = [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}}

// run returns the length of the run of c through (x, y) and the two characters
// at its ends.
func (r *reference) run(x, y, dx, dy int, c byte) (length int, ends [2]byte) {
	length = 1
	for i, s := range []int{1, -1} {
		k := 1
		for r.at(x+s*k*dx, y+s*k*dy) == c {
			k++
		}
		length += k - 1
		ends[i] = r.at(x+s*k*dx, y+s*k*dy)
	}
	return length, ends
}

// five reports whether the stone c on (x, y) is part of a winning run.
func (r *reference) five(x, y int, c byte) bool {
	for _, d := range slopes {
		if n, ends := r.run(x, y, d[0], d[1], c); r.wins(c, n, ends) {
			return true
		}
	}
	return false
}

func (r *reference) wins(c byte, n int, ends [2]byte) bool {
	stones := ends[0] == rival(c) && ends[1] == rival(c)
	walls := ends[0] != '.' && ends[1] != '.' // for a maximal run: the opponent or the edge
	switch r.rule {
	case "freestyle", "school42":
		return n >= 5
	case "standard":
		return n == 5
	case "renju":
		return n == 5 || n > 5 && c == 'O'
	case "caro":
		return n == 5 && !stones
	case "caro-overline":
		return n == 5 && !stones || n >= 6
	case "caro-edge":
		return n == 5 && !walls
	case "caro-edge-overline":
		return n == 5 && !walls || n >= 6
	}
	panic("no such rule: " + r.rule)
}

// anyFive reports whether c has a winning run anywhere.
func (r *reference) anyFive(c byte) bool {
	for cell, s := range r.grid {
		if s == c && r.five(cell%r.size, cell/r.size, c) {
			return true
		}
	}
	return false
}

// pairs returns the cells of the stones that c takes by a stone on (x, y).
func (r *reference) pairs(x, y int, c byte) (cells []int) {
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			o := rival(c)
			if dx|dy != 0 && r.ray(x+dx, y+dy, dx, dy, 3) == string([]byte{o, o, c}) {
				cells = append(cells, (y+dy)*r.size+x+dx, (y+2*dy)*r.size+x+2*dx)
			}
		}
	}
	return cells
}

// freeThrees counts the directions in which the stone c, put on (x, y), is one
// of three that could become an open four.
func (r *reference) freeThrees(x, y int, c byte) (n int) {
	after := r.clone()
	after.set(x, y, c)
	shapes := []string{"..XXX.", ".XXX..", ".XX.X.", ".X.XX."}
	for _, d := range slopes {
		found := false
		for k := 1; k <= 4; k++ {
			seen := after.ray(x-k*d[0], y-k*d[1], d[0], d[1], 6)
			for _, s := range shapes {
				s = strings.ReplaceAll(s, "X", string(c))
				found = found || seen == s && s[k] == c
			}
		}
		if found {
			n++
		}
	}
	return n
}

// allowed reports whether c could play the cell.
func (r *reference) allowed(cell int, c byte) bool {
	x, y := cell%r.size, cell/r.size
	switch {
	case r.grid[cell] != '.':
		return false
	case r.rule == "renju" && c == 'X':
		return !r.forbidden(x, y)
	case r.rule == "school42":
		return len(r.pairs(x, y, c)) > 0 || r.freeThrees(x, y, c) < 2
	}
	return true
}

// moves returns the legal moves, none when the game is over.
func (r *reference) moves() (moves []game.Move) {
	if r.result != 0 {
		return nil
	}
	for cell := range r.grid {
		if r.allowed(cell, r.turn) {
			moves = append(moves, game.Move(cell))
		}
	}
	return moves
}

// play returns the position after a legal move.
func (r *reference) play(m game.Move) *reference {
	next, c := r.clone(), r.turn
	x, y := int(m)%r.size, int(m)/r.size
	next.grid[m] = c
	if r.rule == "school42" {
		for _, cell := range r.pairs(x, y, c) {
			next.grid[cell] = '.'
			next.captured[index(c)]++
		}
	}
	next.turn = rival(c)
	next.judge(c, next.five(x, y, c))
	return next
}

// judge sets the result after a move of c, which made a five or not.
func (r *reference) judge(c byte, five bool) {
	switch {
	case r.rule == "school42" && r.captured[index(c)] >= 10:
		r.result, r.reason = c, game.Capture
	case r.rule == "school42" && r.anyFive(rival(c)):
		r.result, r.reason = rival(c), game.Line
	case r.rule == "school42" && five && r.broken(c):
	case five:
		r.result, r.reason = c, game.Line
	case !strings.Contains(string(r.grid), "."):
		r.result, r.reason = '=', game.Full
	case len(r.moves()) == 0:
		r.result, r.reason = '=', game.NoMoves
	}
}

// broken reports whether the rival of c, who is to move, has a capture that
// takes the tenth stone or every five of c.
func (r *reference) broken(c byte) bool {
	for cell := range r.grid {
		taken := r.pairs(cell%r.size, cell/r.size, r.turn)
		if r.grid[cell] != '.' || len(taken) == 0 {
			continue
		}
		after := r.clone()
		for _, t := range taken {
			after.grid[t] = '.'
		}
		if r.captured[index(r.turn)]+len(taken) >= 10 || !after.anyFive(c) {
			return true
		}
	}
	return false
}

// outcome translates the result.
func (r *reference) outcome() game.Outcome {
	return map[byte]game.Outcome{0: game.Undecided, 'X': game.FirstWins, 'O': game.SecondWins, '=': game.Draw}[r.result]
}

// perft counts as perft.Count does.
func (r *reference) perft(depth int) uint64 {
	if depth == 0 {
		return 1
	}
	n := uint64(0)
	for _, m := range r.moves() {
		n += r.play(m).perft(depth - 1)
	}
	return n
}

// differs says what of b is not as the rules have it, "" if all is.
func (r *reference) differs(b *gomoku.Board) string {
	for c := range r.grid {
		if r.grid[c] != ".XO"[b.At(c)] {
			return fmt.Sprintf("cell %d holds %d, want %c", c, b.At(c), r.grid[c])
		}
	}
	for _, side := range []game.Side{game.First, game.Second} {
		if b.Captured(side) != r.captured[side] {
			return fmt.Sprintf("%v has captured %d, want %d", side, b.Captured(side), r.captured[side])
		}
	}
	switch {
	case letter(b.ToMove()) != r.turn:
		return fmt.Sprintf("%v is to move, want %c", b.ToMove(), r.turn)
	case b.Outcome() != r.outcome() || b.Reason() != r.reason:
		return fmt.Sprintf("outcome %v (%v), want %v (%v)", b.Outcome(), b.Reason(), r.outcome(), r.reason)
	case fmt.Sprint(b.Moves(nil)) != fmt.Sprint(r.moves()):
		return fmt.Sprintf("moves %v, want %v", b.Moves(nil), r.moves())
	}
	return ""
}
