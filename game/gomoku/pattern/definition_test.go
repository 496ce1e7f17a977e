package pattern_test

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// definition finds threats cell by cell on the stones alone, in the words that define
// them: it puts a stone down, looks, and takes it up again. It shares nothing with
// the patterns.
type definition struct {
	board *gomoku.Board
	rules gomoku.Rules
	stones
}

func newDefinition(b *gomoku.Board) *definition {
	return &definition{b, b.Rules(), stonesOf(b)}
}

// at returns the stone k steps of a direction from a cell, and false off the board.
func (d *definition) at(c int, dir [2]int, k int) (gomoku.Stone, bool) {
	x, y := c%d.size+k*dir[0], c/d.size+k*dir[1]
	if !in(d.size, x, y) {
		return gomoku.Empty, false
	}
	return d.cells[y*d.size+x], true
}

// completes reports whether a stone of a side on an empty cell makes a winning line.
func (d *definition) completes(s game.Side, c int) bool {
	if d.cells[c] != gomoku.Empty {
		return false
	}
	own, other := gomoku.StoneOf(s), gomoku.StoneOf(s.Other())
	for _, dir := range slopes {
		length, blocked := 1, 0
		for _, sign := range []int{-1, 1} {
			k := sign
			stone, on := d.at(c, dir, k)
			for ; on && stone == own; stone, on = d.at(c, dir, k) {
				length++
				k += sign
			}
			if !on && d.rules.EdgeBlocks || on && d.rules.OpponentBlocks && stone == other {
				blocked++
			}
		}
		if length == 5 && blocked < 2 || length > 5 && !d.rules.Exact[s] {
			return true
		}
	}
	return false
}

// completing returns all cells that complete, those of a list alone if one of them
// does.
func (d *definition) completing(s game.Side, likely []int) (cells []int) {
	for _, c := range likely {
		if d.completes(s, c) {
			return []int{c}
		}
	}
	for c := range d.cells {
		if d.completes(s, c) {
			cells = append(cells, c)
		}
	}
	return cells
}

// lasting reports whether no one stone of the opponent leaves a side without a
// completing cell; it has those now.
func (d *definition) lasting(s game.Side, now []int) bool {
	for c, stone := range d.cells {
		if stone != gomoku.Empty {
			continue
		}
		d.cells[c] = gomoku.StoneOf(s.Other())
		left := d.completing(s, now)
		d.cells[c] = gomoku.Empty
		if len(left) == 0 {
			return false
		}
	}
	return len(now) > 0
}

// taken returns the stones that a side's stone on a cell would capture.
func (d *definition) taken(s game.Side, c int) (cells []int) {
	own, other := gomoku.StoneOf(s), gomoku.StoneOf(s.Other())
	for _, slope := range slopes {
		for _, dir := range [][2]int{slope, {-slope[0], -slope[1]}} {
			one, _ := d.at(c, dir, 1)
			two, _ := d.at(c, dir, 2)
			if three, on := d.at(c, dir, 3); on && one == other && two == other && three == own {
				step := dir[1]*d.size + dir[0]
				cells = append(cells, c+step, c+2*step)
			}
		}
	}
	return cells
}

// threats returns the five, four and open-four points of a side, and the opponent's
// stones that it could capture.
func (d *definition) threats(s game.Side) (five, four, openFour, captured pattern.Set) {
	before := map[int]bool{}
	for _, c := range d.completing(s, nil) {
		before[c] = true
	}
	for c, stone := range d.cells {
		if stone != gomoku.Empty || !d.board.AllowedFor(s, c) {
			continue
		}
		if d.rules.Captures {
			taken := d.taken(s, c)
			for _, t := range taken {
				captured.Add(t)
			}
			if d.board.Captured(s)+len(taken) >= 10 {
				five.Add(c)
			}
		}
		if before[c] {
			five.Add(c)
		}
		d.cells[c] = gomoku.StoneOf(s)
		after := d.completing(s, nil)
		for _, e := range after {
			if !before[e] {
				four.Add(c)
			}
		}
		if d.lasting(s, after) {
			openFour.Add(c)
		}
		d.cells[c] = gomoku.Empty
	}
	return five, four, openFour, captured
}
