package gomoku

import (
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// threat is what the opponent of the side to move threatens, the more urgent the
// greater.
type threat uint8

const (
	free      threat = iota // nothing that needs a defence
	fourThree               // a stone that makes a four and an open three
	openFour                // a stone that leaves an open four or two fours
	five                    // to win with its next stone
)

// opponentThreat returns the opponent's most urgent threat by the lines, in a position
// where the side to move cannot win at once. Under the capture rule it sees only an
// existing five.
func (p *picker) opponentThreat() threat {
	b := p.board
	opp := b.ToMove().Other()
	switch {
	case p.rules.Captures:
		if b.Board().Pending() {
			return five
		}
	case b.Count(opp, pattern.Five) > 0:
		return five
	case p.rules.DoubleThree:
	case b.Count(opp, pattern.OpenFour)+b.Count(opp, pattern.DoubleFour) > 0:
		return openFour
	case b.Count(opp, pattern.FourThree) > 0:
		return fourThree
	}
	return free
}

// defences returns the legal moves that may save the side to move from what its
// opponent threatens; without a threat the set is empty and the threat free.
//
// Against a five, what is left out lets it happen. Against an open four, what
// is left out is no four and leaves the opponent such a stone that it may play:
// the lines that make its class lie open to no restriction, since a stone that
// renju may forbid is a Suspect or Forbidden. It plays it, has completing cells
// that no one defence takes away, and the side to move has none itself. Only a side
// that renju leaves without a legal move then draws; where that could be,
// nothing is left out.
//
// Against a four and three the list is heuristic: stones that weaken it, and own threes
// and fours, open and double ones included, which win first. A test compares the list
// with the first moves of proven wins.
func (p *picker) defences() (pattern.Set, threat) {
	if p.rules.Captures {
		return p.captureDefences()
	}
	b, against := p.board, p.opponentThreat()
	own := b.ToMove()
	switch against {
	case five:
		return p.allowed(b.FiveDefences(own.Other())), five
	case openFour:
		if p.mayRunOutOfMoves() {
			break
		}
		cells := b.OpenFourDefences(own.Other()).Or(b.Cells(own, pattern.Suspect))
		fours := b.FourCells(own)
		return p.allowed(cells.Or(&fours)), openFour
	case fourThree:
		cells := b.FourThreeDefences(own.Other())
		for _, class := range counterClasses {
			if b.Count(own, class) > 0 {
				cells = cells.Or(b.Cells(own, class))
			}
		}
		if cells = p.allowed(cells); !cells.Empty() {
			return cells, fourThree
		}
	}
	return pattern.Set{}, free
}

// Edges lists the moves that a search tree follows. It belongs to one goroutine.
type Edges struct{ picker }

// NewEdges returns nil for rules under which no list of defences is complete: those with
// captures, or with double-three for both sides.
func NewEdges(r rules.Rules) *Edges {
	if r.Captures || r.DoubleThree {
		return nil
	}
	return &Edges{picker{rules: r}}
}

// List appends to buf the moves that are worth following in a position where the side to
// move cannot win at once: the defences against a five or an open four, none if there are
// none, else the cells near stones. It reports whether all others lose, in at most four
// plies from the position.
func (e *Edges) List(b *pattern.Board, buf []game.Move) (moves []game.Move, complete bool) {
	e.board = b
	cells, against := e.complete()
	if against == free {
		cells = e.candidates()
	}
	return cells.Append(buf), against != free
}

// Lost returns in how many plies the side to move, which cannot win at once, loses for want
// of a defence; 0 if it has one.
func (e *Edges) Lost(b *pattern.Board) (plies int) {
	e.board = b
	switch cells, against := e.complete(); {
	case against == free || !cells.Empty():
		return 0
	case against == five:
		return 2
	}
	return 4
}

// complete returns the defences against a five or an open four, which are all that there
// are; else free.
func (e *Edges) complete() (cells pattern.Set, against threat) {
	if against = e.opponentThreat(); against >= openFour {
		return e.defences()
	}
	return cells, free
}

// mayRunOutOfMoves reports whether the side to move, restricted by renju, could
// be left without a legal move by its own stone and one of its opponent: each
// changes the lines of at most 40 cells beside its own.
func (p *picker) mayRunOutOfMoves() bool {
	b := p.board
	own := b.ToMove()
	if !p.rules.Renju[own] {
		return false
	}
	return mayRunOut(b, own, 2)
}

// mayRunOut reports whether a side that renju restricts could be left without a legal
// move by so many stones.
func mayRunOut(b *pattern.Board, side game.Side, stones int) bool {
	closed := b.Count(side, pattern.Suspect) + b.Count(side, pattern.Forbidden)
	return b.MaxMoves()-b.Stones().Len()-closed <= 41*stones
}

// counterClasses are those of the stones that may defend against a four-three by
// threatening something themselves.
var counterClasses = [...]pattern.Class{
	pattern.Three, pattern.DoubleThree, pattern.Four, pattern.FourThree, pattern.DoubleFour, pattern.OpenFour,
	pattern.Suspect,
}

// captureDefences does the work of defences where captures count; there are only
// defences against wins at once there.
func (p *picker) captureDefences() (cells pattern.Set, against threat) {
	b := p.board
	opp := b.ToMove().Other()
	if !b.Board().Pending() {
		if b.Count(opp, pattern.Five) == 0 && b.Board().Captured(opp) < tenth-2*mostPairs {
			return cells, free
		}
		if p.moves = b.Board().AppendWinsFor(opp, p.moves[:0]); len(p.moves) == 0 {
			return cells, free
		}
	}
	var forced bool
	p.moves, forced = p.solver.DefencesAtOnce(b, p.moves[:0])
	if !forced {
		return cells, free
	}
	for _, m := range p.moves {
		cells.Add(int(m))
	}
	return cells, five
}

// traps finds the fours that win because renju forbids the opponent the only gap. The
// lines do not tell: to them such a four is a simple one, which the opponent parries.
type traps struct {
	board      *pattern.Board
	restricted [2]bool // by renju
}

// trapReach is how far from its gap the stone that makes a four may lie.
const trapReach = 4

// find returns a cell where side, whether it is to move or not, makes a trap: a four with
// one gap, which is then forbidden to the opponent. Neither side may have a five.
//
// The gap is one of side's four cells as well, since four stones of five make a four in
// either order. It is also forbidden, or suspect, before the four: a stone of side
// takes away some of the opponent's lines through the gap and adds none.
func (t *traps) find(side game.Side) (cell int, found bool) {
	b, opp := t.board, side.Other()
	if !t.restricted[opp] || b.Count(opp, pattern.Forbidden)+b.Count(opp, pattern.Suspect) == 0 {
		return 0, false
	}
	closed := b.Cells(opp, pattern.Forbidden).Or(b.Cells(opp, pattern.Suspect))
	gaps := b.FourCells(side)
	gaps = gaps.And(&closed)
	for g := gaps.Next(0); g >= 0; g = gaps.Next(g + 1) {
		if cell, found = t.before(side, g); found {
			break
		}
	}
	return cell, found
}

// before returns a cell where side makes a trap with the gap g.
func (t *traps) before(side game.Side, g int) (cell int, found bool) {
	b, size := t.board, t.board.Board().Size()
	for d, step := range steps {
		if !b.Line(g, side, d).Fours() {
			continue
		}
		for k := -trapReach; k <= trapReach; k++ {
			x, y := g%size+k*step[0], g/size+k*step[1]
			if k == 0 || x < 0 || y < 0 || x >= size || y >= size {
				continue
			}
			c := y*size + x
			if class := b.LineClass(c, side); class != pattern.Four && class != pattern.FourThree {
				continue
			}
			if b.Line(c, side, d).Fours() && t.closes(side, c, g) {
				return c, true
			}
		}
	}
	return 0, false
}

// closes reports whether a stone of side on c leaves it the gap g, and the opponent some
// move, but not that one.
func (t *traps) closes(side game.Side, c, g int) bool {
	b := t.board
	pass := b.ToMove() != side
	if pass {
		b.Pass()
	}
	b.Play(game.Move(c))
	closed := b.Cells(side, pattern.Five).Has(g) && b.Outcome() == game.Undecided && !b.Board().AllowedFor(side.Other(), g)
	b.Undo()
	if pass {
		b.Pass()
	}
	return closed
}
