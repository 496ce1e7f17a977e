package certificate

import (
	"context"
	"errors"
	mathbits "math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Keeper plays for a side that does not lose, which is to move on b and cannot win at
// once. Pairs, unless nil, are an even number of different empty cells: after the move m
// each line that the other side could still win by has both cells of a pair, so that
// whatever the other side takes of a pair, this side takes its other cell. The keeper must
// leave b as it is. ok is false if it knows no such move.
type Keeper func(b *gomoku.Board) (m game.Move, pairs []game.Move, ok bool)

// NewHold writes the certificate that a side, or that both sides, do not lose the
// undecided position b, with at most so many words; a keeper that is nil says that the
// certificate is not of its side. b is the same afterwards. Where a keeper loses, the
// error wraps ErrRefuted and names the line; beyond the limit it is ErrNodes.
func NewHold(ctx context.Context, b *gomoku.Board, words int, keep [2]Keeper) (*Certificate, error) {
	c := &Certificate{Rules: b.Rules(), Size: b.Size(), Start: b.Setup(0)}
	c.Holds = [2]bool{keep[0] != nil, keep[1] != nil}
	at, err := c.Board()
	if err != nil {
		return nil, err
	}
	for _, side := range c.sides() {
		w := newWalk(ctx, at, side, func(b *gomoku.Board) (step, error) {
			m, pairs, ok := keep[side](b)
			switch {
			case !ok:
				return step{}, errors.New("no move that holds was found")
			case len(c.Moves)+3+len(pairs) > min(words, MaxNodes):
				return step{}, ErrNodes
			case pairs != nil:
				c.Moves = append(c.Moves, c.pairing(), m, game.Move(len(pairs)/2))
				c.Moves = append(c.Moves, pairs...)
			default:
				c.Moves = append(c.Moves, m)
			}
			return step{m, pairs}, nil
		})
		w.holds = true
		if _, err := w.take(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// paired returns an error unless the pairs hold, with the other side to move.
func (w *walk) paired(pairs []game.Move) error {
	b := w.board
	r := b.Rules()
	stones := 0
	mate := map[int]int{}
	for cell := range b.Size() * b.Size() {
		if b.At(cell) != gomoku.Empty {
			stones++
		}
	}
	if r.Captures {
		return w.refuted("a pairing under rules with captures")
	}
	if len(pairs) > 0 && (r.Renju[w.winner] || r.DoubleThree || r.OpenDistance > 0 && w.winner == game.First &&
		stones < 2) {
		return w.refuted("a pairing of a side that may not play everywhere")
	}
	last := -1
	for i := 0; i < len(pairs); i += 2 {
		one, two := int(pairs[i]), int(pairs[i+1])
		if one <= last || two <= one || two >= b.Size()*b.Size() {
			return w.refuted("the pairs are out of order")
		}
		last = one
		for _, cell := range []int{one, two} {
			if _, twice := mate[cell]; twice || b.At(cell) != gomoku.Empty {
				return w.refuted("a cell of a pair is in two of them, or has a stone")
			}
		}
		mate[one], mate[two] = two, one
	}
	for c := range b.Size() * b.Size() {
		for d := range 4 {
			if line, open := w.open(c, d); open && !hasPair(line, mate) {
				return w.refuted("no pair is in the line of five from " + w.text(game.Move(c)))
			}
		}
	}
	return nil
}

// open returns the five cells from c in a direction, and whether the loser could yet win
// by a run that they are part of.
func (w *walk) open(c, d int) (line [5]int, open bool) {
	b, r := w.board, w.board.Rules()
	stone := func(k int) (s gomoku.Stone, on bool) {
		cell, on := w.at(c, d, k)
		if on {
			s = b.At(cell)
		}
		return s, on
	}
	own, other := gomoku.StoneOf(w.winner), gomoku.StoneOf(w.loser)
	for k := range line {
		cell, on := w.at(c, d, k)
		if !on || b.At(cell) == own {
			return line, false
		}
		line[k] = cell
	}
	blocked := 0
	for _, k := range []int{-1, len(line)} {
		s, on := stone(k)
		switch {
		case on && s == other && r.Exact[w.loser]:
			return line, false
		case on && s == own && r.OpponentBlocks, !on && r.EdgeBlocks:
			blocked++
		}
	}
	return line, blocked < 2
}

// hasPair reports whether both cells of a pair are in a line.
func hasPair(line [5]int, mate map[int]int) bool {
	for i, one := range line {
		for _, two := range line[i+1:] {
			if m, ok := mate[one]; ok && m == two {
				return true
			}
		}
	}
	return false
}

// cells is a set of cells.
type cells [(gomoku.MaxSize*gomoku.MaxSize + 63) / 64]uint64

func (s *cells) add(c int) { s[c>>6] |= 1 << (c & 63) }

// meet returns the cells that are near all of some cells, one or more.
func meet(list []game.Move, near func(c int) cells) *cells {
	all := near(int(list[0]))
	for _, c := range list[1:] {
		for i, word := range near(int(c)) {
			all[i] &= word
		}
	}
	return &all
}

// list puts the replies of the loser that have to be played on w.replies, in ascending
// order: those that are near every cell where the winner would win at once, all legal
// ones if there is no such cell. It refuses a position in which the loser wins at once.
func (w *walk) list() error {
	b := w.board
	if b.Rules().Captures {
		w.listCaptures()
		return nil
	}
	if w.wins = b.AppendWinsFor(w.loser, w.wins[:0]); len(w.wins) > 0 {
		return w.refuted("the other side wins by " + w.text(w.wins[0]))
	}
	if w.wins = b.AppendWinsFor(w.winner, w.wins[:0]); len(w.wins) == 0 {
		w.replies = b.Moves(w.replies)
		return nil
	}
	w.appendLegal(meet(w.wins, w.near))
	return nil
}

// listCaptures is list where captures count. The loser's wins are among the replies.
func (w *walk) listCaptures() {
	b := w.board
	var ends cells
	if b.Pending() {
		w.addEnds(&ends)
		w.appendLegal(&ends)
		return
	}
	b.Pass()
	w.wins = b.Wins(w.wins[:0])
	b.Pass()
	if len(w.wins) == 0 {
		w.replies = b.Moves(w.replies)
		return
	}
	n := len(w.wins)
	w.wins = b.AppendWinsFor(w.loser, w.wins)
	for _, r := range w.wins[n:] {
		ends.add(int(r))
	}
	w.addEnds(&ends)
	w.appendLegal(meet(w.wins[:n], func(c int) cells {
		near := ends
		w.addAround(&near, c)
		return near
	}))
}

// appendLegal puts the legal moves of a set on w.replies.
func (w *walk) appendLegal(set *cells) {
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			if m := game.Move(i<<6 + mathbits.TrailingZeros64(word)); w.board.Legal(m) {
				w.replies = append(w.replies, m)
			}
		}
	}
}

// steps are the eight directions.
var steps = [8][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {-1, 0}, {0, -1}, {-1, -1}, {1, -1}}

// at returns the cell k steps from c in a direction, and false beyond the edge.
func (w *walk) at(c, direction, k int) (cell int, on bool) {
	size, step := w.board.Size(), steps[direction]
	x, y := c%size+k*step[0], c/size+k*step[1]
	return y*size + x, uint(x) < uint(size) && uint(y) < uint(size)
}

// near returns the cells where a stone of the loser can keep the winner's stone on c
// from winning, without captures: c and, where blocked ends count, the cells behind the
// runs through c.
func (w *walk) near(c int) (set cells) {
	set.add(c)
	if !w.board.Rules().OpponentBlocks {
		return set
	}
	own := gomoku.StoneOf(w.winner)
	for d := range steps {
		for k := 1; ; k++ {
			cell, on := w.at(c, d, k)
			if !on {
				break
			}
			if w.board.At(cell) != own {
				set.add(cell)
				break
			}
		}
	}
	return set
}

// addEnds adds the cells behind an end of two adjacent stones of the winner, where the
// cell behind the other end is on the board and not the winner's. There alone can the
// loser capture, or flank what it captures next.
func (w *walk) addEnds(set *cells) {
	var own, free, ends [gomoku.MaxSize + 4]uint32 // rows, from two below the board to two above
	size := w.board.Size()
	for y := range size {
		own[y+2] = w.board.Row(w.winner, y)
		free[y+2] = (1<<size - 1) &^ own[y+2]
	}
	for y := 2; y < size+1; y++ {
		at, up, above, below := own[y], own[y+1], free[y+2], free[y-1]
		column, rising, falling := at&up, at&(up>>1), at&(up<<1)
		ends[y-1] |= column&above | (rising&(above>>2))>>1 | (falling&(above<<2))<<1
		ends[y+2] |= column&below | (rising&(below<<1))<<2 | (falling&(below>>1))>>2
	}
	for y := range size {
		across := own[y+2] & (own[y+2] >> 1)
		row := ends[y+2] | (across&(free[y+2]>>2))>>1 | (across&(free[y+2]<<1))<<2
		for row &= 1<<size - 1; row != 0; row &= row - 1 {
			set.add(y*size + mathbits.TrailingZeros32(row))
		}
	}
}

// addAround adds c, the cells up to two steps from it, and those behind the ends of the
// pairs that a stone of the winner on c makes.
func (w *walk) addAround(set *cells, c int) {
	set.add(c)
	for d := range steps {
		for k := 1; k <= 2; k++ {
			if cell, on := w.at(c, d, k); on {
				set.add(cell)
			}
		}
	}
}

// same reports whether the move that was taken last is also the answer here, by
// itself: after it no reply is left to be played.
func (w *walk) same(m game.Move) (game.Move, bool) {
	b := w.board
	if m == game.NoMove || !b.Legal(m) {
		return m, false
	}
	from := len(w.replies)
	w.play(m)
	ok := b.Outcome() == game.Undecided && w.list() == nil && len(w.replies) == from
	w.undo()
	w.replies = w.replies[:from]
	return m, ok
}
