package pn

import (
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// pairer looks for pairings on boards of one size. The side to move is held by one if
// every line of five that it could yet win by has both cells of a pair: whatever it takes
// of a pair, the other side takes the other cell.
type pairer struct {
	size  int
	lines []fiveLine

	open  []int // indices of lines that are not covered yet
	used  []bool
	tried int
}

// fiveLine is five cells in a row, with those behind its ends, -1 beyond the edge.
type fiveLine struct {
	cells [5]int
	ends  [2]int
}

// mostPairings is how many pairs a search for a pairing tries.
const mostPairings = 300

func newPairer(size int) *pairer {
	p := &pairer{size: size, used: make([]bool, size*size)}
	at := func(x, y int) int {
		if x < 0 || y < 0 || x >= size || y >= size {
			return -1
		}
		return y*size + x
	}
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
		for y := range size {
			for x := range size {
				var l fiveLine
				for k := range l.cells {
					l.cells[k] = at(x+k*d[0], y+k*d[1])
				}
				if l.cells[4] >= 0 {
					l.ends = [2]int{at(x-d[0], y-d[1]), at(x+5*d[0], y+5*d[1])}
					p.lines = append(p.lines, l)
				}
			}
		}
	}
	return p
}

// find returns the pairs that hold the side to move on b, two and two in ascending order.
// ok is false if none were found, and where a pairing proves nothing.
func (p *pairer) find(b *gomoku.Board) (pairs []game.Move, ok bool) {
	r, holds := b.Rules(), b.ToMove().Other()
	if r.Captures {
		return nil, false
	}
	p.open = p.open[:0]
	for i := range p.lines {
		free, open := p.state(b, b.ToMove(), &p.lines[i])
		if open && free < 2 {
			return nil, false
		}
		if open {
			p.open = append(p.open, i)
		}
	}
	if len(p.open) == 0 {
		return []game.Move{}, true
	}
	if r.Renju[holds] || r.DoubleThree || r.OpenDistance > 0 && b.Ply() < 2 {
		return nil, false
	}
	for cell := range p.used {
		p.used[cell] = b.At(cell) != gomoku.Empty
	}
	p.tried = 0
	list, ok := p.cover(p.open, nil)
	if !ok {
		return nil, false
	}
	slices.SortFunc(list, func(a, b [2]int) int { return a[0] - b[0] })
	for _, pair := range list {
		pairs = append(pairs, game.Move(pair[0]), game.Move(pair[1]))
	}
	return pairs, true
}

// state returns the empty cells of a line, and whether a side could yet win by a run that
// it is part of.
func (p *pairer) state(b *gomoku.Board, side game.Side, l *fiveLine) (free int, open bool) {
	r, own, other := b.Rules(), gomoku.StoneOf(side), gomoku.StoneOf(side.Other())
	for _, c := range l.cells {
		switch b.At(c) {
		case own:
		case gomoku.Empty:
			free++
		default:
			return 0, false
		}
	}
	blocked := 0
	for _, c := range l.ends {
		switch {
		case c < 0 && r.EdgeBlocks, c >= 0 && r.OpponentBlocks && b.At(c) == other:
			blocked++
		case c >= 0 && r.Exact[side] && b.At(c) == own:
			return free, false
		}
	}
	return free, blocked < 2
}

// cover adds pairs to list until all lines of open have one.
func (p *pairer) cover(open []int, list [][2]int) ([][2]int, bool) {
	if len(open) == 0 {
		return list, true
	}
	// The line with the fewest cells left first.
	best, fewest := 0, 6
	for _, i := range open {
		free := 0
		for _, c := range p.lines[i].cells {
			if !p.used[c] {
				free++
			}
		}
		if free < fewest {
			best, fewest = i, free
		}
	}
	type choice struct {
		pair [2]int
		left []int // lines that it leaves open
	}
	var choices []choice
	cells := p.lines[best].cells
	for i, one := range cells {
		for _, two := range cells[i+1:] {
			if p.used[one] || p.used[two] {
				continue
			}
			c := choice{pair: [2]int{min(one, two), max(one, two)}}
			for _, l := range open {
				if line := &p.lines[l].cells; !slices.Contains(line[:], one) || !slices.Contains(line[:], two) {
					c.left = append(c.left, l)
				}
			}
			choices = append(choices, c)
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return len(a.left) - len(b.left) })
	for _, c := range choices {
		if p.tried++; p.tried > mostPairings {
			return nil, false
		}
		p.used[c.pair[0]], p.used[c.pair[1]] = true, true
		if all, ok := p.cover(c.left, append(list, c.pair)); ok {
			return all, true
		}
		p.used[c.pair[0]], p.used[c.pair[1]] = false, false
	}
	return nil, false
}

// worth returns for each cell what the open lines of a side through it are worth: the more
// stones a line has, the more.
func (p *pairer) worth(b *gomoku.Board, side game.Side, buf []int) []int {
	buf = append(buf[:0], make([]int, p.size*p.size)...)
	for i := range p.lines {
		if free, open := p.state(b, side, &p.lines[i]); open {
			for _, c := range p.lines[i].cells {
				buf[c] += 6 - free
			}
		}
	}
	return buf
}
