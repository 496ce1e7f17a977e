package gomoku

import (
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

// mayRunOutOfMoves reports whether the side to move, restricted by renju, could
// be left without a legal move by its own stone and one of its opponent: each
// changes the lines of at most 40 cells beside its own.
func (p *picker) mayRunOutOfMoves() bool {
	b := p.board
	own := b.ToMove()
	if !p.rules.Renju[own] {
		return false
	}
	closed := b.Count(own, pattern.Suspect) + b.Count(own, pattern.Forbidden)
	return b.MaxMoves()-b.Stones().Len()-closed <= 2*41
}

// counterClasses are those of the stones that may defend against a four-three by
// threatening something themselves.
var counterClasses = [...]pattern.Class{
	pattern.Three, pattern.DoubleThree, pattern.Four, pattern.FourThree, pattern.DoubleFour, pattern.OpenFour, pattern.Suspect,
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
