package gomoku_test

import (
	"fmt"
	"slices"
)

// The renju definitions for the reference, by sets of stones: each function
// reads like the sentence of the rules that it stands for.

// square is a cell by its coordinates.
type square struct{ x, y int }

// window returns n squares of a direction, the first k steps before (x, y).
func window(x, y, k, n int, d [2]int) []square {
	squares := make([]square, n)
	for i := range squares {
		squares[i] = square{x + (i-k)*d[0], y + (i-k)*d[1]}
	}
	return squares
}

// split returns which of the squares are black and which are empty.
func (r *reference) split(squares []square) (black, empty []square) {
	for _, s := range squares {
		switch r.at(s.x, s.y) {
		case 'X':
			black = append(black, s)
		case '.':
			empty = append(empty, s)
		}
	}
	return black, empty
}

// with returns the position with one more black stone.
func (r *reference) with(s square) *reference {
	after := r.clone()
	after.set(s.x, s.y, 'X')
	return after
}

// longest and exact look at the black runs through (x, y).
func (r *reference) runsOf(x, y int, ok func(n int) bool) bool {
	for _, d := range slopes {
		if n, _ := r.run(x, y, d[0], d[1], 'X'); ok(n) {
			return true
		}
	}
	return false
}

func exactlyFive(n int) bool { return n == 5 }
func overline(n int) bool    { return n > 5 }

// fourSets returns the fours that the black stone (x, y) is part of: rows of
// four stones to which one more makes exactly five in that row.
func (r *reference) fourSets(x, y int) map[string]bool {
	sets := map[string]bool{}
	for _, d := range slopes {
		for k := range 5 {
			black, empty := r.split(window(x, y, k, 5, d))
			if len(black) != 4 || len(empty) != 1 {
				continue
			}
			if n, _ := r.with(empty[0]).run(x, y, d[0], d[1], 'X'); n == 5 {
				sets[fmt.Sprint(black)] = true
			}
		}
	}
	return sets
}

// straightFour reports whether the four squares are an unbroken four of black
// that can become exactly five in two ways.
func (r *reference) straightFour(four []square, d [2]int) bool {
	for _, s := range four {
		if r.at(s.x, s.y) != 'X' {
			return false
		}
	}
	ends := []square{{four[0].x - d[0], four[0].y - d[1]}, {four[3].x + d[0], four[3].y + d[1]}}
	for _, e := range ends {
		if r.at(e.x, e.y) != '.' {
			return false
		}
		if n, _ := r.with(e).run(e.x, e.y, d[0], d[1], 'X'); n != 5 {
			return false
		}
	}
	return true
}

// threes returns, for each three that the black stone (x, y) is part of, the
// squares that make it a straight four and no five at the same time.
func (r *reference) threes(x, y int) map[string][]square {
	sets := map[string][]square{}
	for _, d := range slopes {
		for k := range 4 {
			four := window(x, y, k, 4, d)
			black, empty := r.split(four)
			if len(black) != 3 || len(empty) != 1 {
				continue
			}
			q := empty[0]
			after := r.with(q)
			if after.straightFour(four, d) && !after.runsOf(q.x, q.y, exactlyFive) {
				sets[fmt.Sprint(black)] = append(sets[fmt.Sprint(black)], q)
			}
		}
	}
	return sets
}

// forbidden reports whether black may not play the empty square (x, y).
func (r *reference) forbidden(x, y int) bool {
	deep := 0
	return r.forbiddenDepth(x, y, &deep)
}

// forbiddenDepth also counts in deep the double-threes that it had to judge
// on behalf of another.
func (r *reference) forbiddenDepth(x, y int, deep *int) bool {
	after := r.with(square{x, y})
	if after.runsOf(x, y, exactlyFive) {
		return false
	}
	if after.runsOf(x, y, overline) || len(after.fourSets(x, y)) >= 2 {
		return true
	}
	return after.doubleThree(x, y, deep)
}

// doubleThree reports whether the black stone (x, y) is part of two threes
// that count: those which a stone that is not forbidden makes a straight four.
func (r *reference) doubleThree(x, y int, deep *int) bool {
	threes := r.threes(x, y)
	if len(threes) < 2 {
		return false
	}
	*deep++
	real := 0
	for _, points := range threes {
		if slices.ContainsFunc(points, func(q square) bool { return !r.forbiddenDepth(q.x, q.y, deep) }) {
			real++
		}
	}
	return real >= 2
}
