package pattern

import (
	"slices"
	"sync"

	"github.com/carozero/carozero/game"
)

// Codes is the number of ways to choose the four shapes of a cell, whatever
// their order: the multisets of four out of fourteen.
const Codes = (int(shapes) + 3) * (int(shapes) + 2) * (int(shapes) + 1) * int(shapes) / 24

// codes holds the number of every quad, 0..Codes-1; 0 is a cell of which all
// lines are void. Quads that cannot be have 0 too.
var codes = sync.OnceValue(func() *[1 << 16]uint16 {
	all := new([1 << 16]uint16)
	next := uint16(0)
	for a := range shapes {
		for b := range a + 1 {
			for c := range b + 1 {
				for d := range c + 1 {
					eachOrder([directions]shape{a, b, c, d}, func(q quad) { all[q] = next })
					next++
				}
			}
		}
	}
	return all
})

// eachOrder calls f for the quads of four shapes in every order.
func eachOrder(of [directions]shape, f func(quad)) {
	for i := range directions {
		for j := range directions {
			for k := range directions {
				if l := 6 - i - j - k; i != j && i != k && j != k {
					f(quad(of[i]) | quad(of[j])<<4 | quad(of[k])<<8 | quad(of[l])<<12)
				}
			}
		}
	}
}

// Code returns the number of the combination of shapes that a stone of side
// makes on the empty cell c. The lines of a Class are found again by Lines.
func (b *Board) Code(c int, side game.Side) int { return int(codes()[b.cells[c].lines[side]]) }

// Shape is one line of a combination, told apart more finely than a Line.
type Shape struct {
	Line  Line
	Stage int // among the shapes of that Line, the least promising first
}

// CodeShapes returns the four shapes of every code, the strongest first.
func CodeShapes() [][4]Shape {
	named := [shapes]Shape{}
	for s := range shapes {
		named[s].Line = lineOf[s]
		if s > 0 && lineOf[s] == lineOf[s-1] {
			named[s].Stage = named[s-1].Stage + 1
		}
	}
	list := make([][4]Shape, 0, Codes)
	for a := range shapes {
		for b := range a + 1 {
			for c := range b + 1 {
				for d := range c + 1 {
					list = append(list, [4]Shape{named[a], named[b], named[c], named[d]})
				}
			}
		}
	}
	return slices.Clip(list)
}

// CodeClass returns the class of four shapes, with no restrictions looked at.
func CodeClass(lines [4]Shape) Class {
	var n [16]int
	for _, s := range lines {
		n[s.Line]++
	}
	if n[FiveLine] > 0 {
		return Five
	}
	return strength(n)
}
