package certificate

import (
	"context"
	"errors"

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
	c := &Certificate{Rules: b.Rules(), Size: b.Size(), Start: setup(b)}
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
	if len(pairs) > 0 && (r.Renju[w.winner] || r.DoubleThree || r.OpenDistance > 0 && w.winner == game.First && stones < 2) {
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
