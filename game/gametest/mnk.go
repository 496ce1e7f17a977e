package gametest

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// maxCells is the largest board of an [MNK], one bit a cell.
const maxCells = 64

// MNK is a position of the m,n,k game: on a board of m columns and n rows the
// sides take turns to fill one empty cell, and who first has k or more stones
// in an unbroken row, column or diagonal wins. A full board is a draw.
// Tic-tac-toe is 3,3,3. A move is the cell's index, row*m + column, row 0
// being row "1" of the notation.
type MNK struct {
	shape   *mnkShape
	stones  [2]uint64 // by side, bit = cell
	hash    uint64
	outcome game.Outcome
	ply     uint8
	history [maxCells]uint8
}

// mnkShape is what never changes of a game; clones share it.
type mnkShape struct {
	columns, rows, k int
	full             uint64              // every cell
	lines            [][]uint64          // by cell: the runs of k cells that hold it
	zobrist          [2][maxCells]uint64 // by side and cell
	turn             uint64              // second to move
}

// NewMNK returns the empty board of m columns and n rows with k in a row to
// win. It panics unless 1 <= k, 1 <= m <= 26, 1 <= n and m*n <= 64.
func NewMNK(m, n, k int) *MNK {
	if k < 1 || m < 1 || m > 26 || n < 1 || m*n > maxCells {
		panic(fmt.Sprintf("gametest: no m,n,k game %d,%d,%d: want k >= 1, 1 <= m <= 26, m*n <= %d", m, n, k, maxCells))
	}
	s := &mnkShape{columns: m, rows: n, k: k, full: ^uint64(0) >> (maxCells - m*n)}
	s.lines = make([][]uint64, m*n)
	for _, d := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
		s.addLines(d[0], d[1])
	}
	seed := uint64(m)<<16 | uint64(n)<<8 | uint64(k)
	for side := range s.zobrist {
		for cell := range s.zobrist[side] {
			seed, s.zobrist[side][cell] = splitmix(seed)
		}
	}
	_, s.turn = splitmix(seed)
	return &MNK{shape: s}
}

// addLines enters every run of k cells in the direction dx, dy.
func (s *mnkShape) addLines(dx, dy int) {
	for cell := range s.columns * s.rows {
		var mask uint64
		x, y := cell%s.columns, cell/s.columns
		for range s.k {
			if x < 0 || x >= s.columns || y >= s.rows {
				mask = 0
				break
			}
			mask |= 1 << (y*s.columns + x)
			x, y = x+dx, y+dy
		}
		for rest := mask; rest != 0; rest &= rest - 1 {
			c := bits.TrailingZeros64(rest)
			s.lines[c] = append(s.lines[c], mask)
		}
	}
}

// splitmix advances the state of a splitmix64 generator and returns the new
// state and its output (Steele, Lea and Flood, OOPSLA 2014).
func splitmix(state uint64) (next, out uint64) {
	state += 0x9E3779B97F4A7C15
	z := state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return state, z ^ z>>31
}

// Columns returns m.
func (p *MNK) Columns() int { return p.shape.columns }

// Rows returns n.
func (p *MNK) Rows() int { return p.shape.rows }

// K returns the length of row that wins.
func (p *MNK) K() int { return p.shape.k }

// Stones returns the cells that side holds, bit = cell.
func (p *MNK) Stones(side game.Side) uint64 { return p.stones[side] }

// ToMove returns the side whose turn it is.
func (p *MNK) ToMove() game.Side { return game.Side(p.ply & 1) }

// Ply returns the number of stones on the board.
func (p *MNK) Ply() int { return int(p.ply) }

// Hash returns a 64-bit Zobrist hash of the stones and the side to move.
func (p *MNK) Hash() uint64 { return p.hash }

// Outcome returns the result, Undecided while the game goes on.
func (p *MNK) Outcome() game.Outcome { return p.outcome }

// Reason returns Line for a win and Full for a draw.
func (p *MNK) Reason() game.Reason {
	switch p.outcome {
	case game.Undecided:
		return game.NoReason
	case game.Draw:
		return game.Full
	}
	return game.Line
}

// MaxMoves returns the number of cells.
func (p *MNK) MaxMoves() int { return p.shape.columns * p.shape.rows }

// empty returns the cells that may be played.
func (p *MNK) empty() uint64 {
	if p.outcome != game.Undecided {
		return 0
	}
	return p.shape.full &^ (p.stones[0] | p.stones[1])
}

// Moves appends the empty cells unless the game is over.
func (p *MNK) Moves(buf []game.Move) []game.Move {
	for rest := p.empty(); rest != 0; rest &= rest - 1 {
		buf = append(buf, game.Move(bits.TrailingZeros64(rest)))
	}
	return buf
}

// Wins appends the cells that complete a row of the side to move.
func (p *MNK) Wins(buf []game.Move) []game.Move {
	own := p.stones[p.ToMove()]
	for rest := p.empty(); rest != 0; rest &= rest - 1 {
		cell := bits.TrailingZeros64(rest)
		if p.completes(own, cell) {
			buf = append(buf, game.Move(cell))
		}
	}
	return buf
}

// completes reports whether the stones own and one more on cell hold a row
// through cell.
func (p *MNK) completes(own uint64, cell int) bool {
	own |= 1 << cell
	for _, line := range p.shape.lines[cell] {
		if own&line == line {
			return true
		}
	}
	return false
}

// Legal reports whether m is an empty cell of a game that is not over.
func (p *MNK) Legal(m game.Move) bool {
	return m < maxCells && p.empty()>>m&1 != 0
}

// Play puts a stone of the side to move on the cell m.
func (p *MNK) Play(m game.Move) {
	side, cell := p.ToMove(), int(m)
	p.history[p.ply] = uint8(m)
	p.ply++
	p.stones[side] |= 1 << cell
	p.hash ^= p.shape.zobrist[side][cell] ^ p.shape.turn
	switch {
	case p.completes(p.stones[side], cell):
		p.outcome = game.WinFor(side)
	case p.stones[0]|p.stones[1] == p.shape.full:
		p.outcome = game.Draw
	}
}

// Undo takes the last stone off the board.
func (p *MNK) Undo() {
	p.ply--
	side, cell := p.ToMove(), p.history[p.ply]
	p.stones[side] &^= 1 << cell
	p.hash ^= p.shape.zobrist[side][cell] ^ p.shape.turn
	p.outcome = game.Undecided
}

// Clone returns an independent copy.
func (p *MNK) Clone() game.Position {
	c := *p
	return &c
}

// Notation returns the notation of moves on this board.
func (p *MNK) Notation() game.Notation { return MNKNotation{Columns: p.shape.columns} }

// MNKNotation writes a move of an [MNK] as the column's letter and the row's
// number from 1, and a sequence as its moves one after the other: "b2a1".
type MNKNotation struct {
	Columns int // columns of the board, m
}

// FormatMove returns the text of one move.
func (n MNKNotation) FormatMove(m game.Move) string {
	return string(rune('a'+int(m)%n.Columns)) + strconv.Itoa(int(m)/n.Columns+1)
}

// FormatMoves returns the moves' texts, one after the other.
func (n MNKNotation) FormatMoves(moves []game.Move) string {
	var b strings.Builder
	for _, m := range moves {
		b.WriteString(n.FormatMove(m))
	}
	return b.String()
}

// ParseMoves reads what FormatMoves writes.
func (n MNKNotation) ParseMoves(text string) ([]game.Move, error) {
	var moves []game.Move
	for at := 0; at < len(text); {
		x := int(text[at]) - 'a'
		end := at + 1
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		row, err := strconv.Atoi(text[at+1 : end])
		if x < 0 || x >= n.Columns || err != nil || row < 1 || row > maxCells/n.Columns || text[at+1] == '0' {
			return nil, fmt.Errorf("move %d, %q at byte %d: want a column a..%c and a row 1..%d",
				len(moves)+1, text[at:end], at, 'a'+n.Columns-1, maxCells/n.Columns)
		}
		moves = append(moves, game.Move((row-1)*n.Columns+x))
		at = end
	}
	return moves, nil
}

// Minimax returns the exact value of pos for the side to move under perfect
// play: 1 win, 0 draw, -1 loss. It visits every position that can be reached
// once, remembering them by hash, and so fits only games of a few million
// positions in which none repeats.
func Minimax(pos game.Position) int {
	value, _ := MinimaxPlies(pos)
	return value
}

// MinimaxPlies returns the exact value of pos for the side to move and the
// number of plies to the end of the game when the winner takes the shortest
// win and the loser the longest loss; both prefer the longest draw. A game
// that is over has 0 plies. The limits of [Minimax] apply.
func MinimaxPlies(pos game.Position) (value, plies int) {
	s := solver{known: make(map[uint64]solved)}
	r := s.solve(pos, make([]game.Move, 0, 64*pos.MaxMoves()))
	return int(r.value), int(r.plies)
}

// solved is a position's value for the side to move and its distance.
type solved struct {
	value int8
	plies int16
}

// before reports whether the side to move prefers r to o.
func (r solved) before(o solved) bool {
	if r.value != o.value {
		return r.value > o.value
	}
	if r.value > 0 {
		return r.plies < o.plies
	}
	return r.plies > o.plies
}

type solver struct {
	known map[uint64]solved
}

// solve returns the value of pos, appending moves to the empty slice buf.
func (s *solver) solve(pos game.Position, buf []game.Move) solved {
	if o := pos.Outcome(); o != game.Undecided {
		return solved{value: int8(o.Value(pos.ToMove()))}
	}
	key := pos.Hash()
	if r, ok := s.known[key]; ok {
		return r
	}
	best := solved{value: -2}
	moves := pos.Moves(buf)
	for _, m := range moves {
		pos.Play(m)
		reply := s.solve(pos, moves[len(moves):])
		pos.Undo()
		if r := (solved{value: -reply.value, plies: reply.plies + 1}); r.before(best) {
			best = r
		}
	}
	s.known[key] = best
	return best
}
