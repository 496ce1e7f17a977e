package gomoku

import (
	"math"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// picker lists the moves of a board; it implements alphabeta.Picker.
type picker struct {
	board  *pattern.Board
	rules  rules.Rules
	hints  *hints
	solver *vcf.Solver // of the defences against fives under the capture rule
	guards pattern.Set // under the capture rule: cells that weaken all open fours of the opponent
	moves  []game.Move // scratch
}

func newPicker(b *pattern.Board) *picker {
	p := &picker{board: b, rules: b.Board().Rules(), moves: make([]game.Move, 0, b.MaxMoves())}
	p.hints = shippedHints(&p.rules)
	if p.rules.Captures {
		p.solver = vcf.New(vcf.Options{TableBytes: 1})
	}
	return p
}

// Stage lists all moves at once: the defences if the opponent threatens to win or
// to make an open four, else the cells near stones.
func (p *picker) Stage(_ int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	from := len(list)
	cells, against := p.defences()
	if against == free {
		cells = p.candidates()
	}
	against = p.prepare()
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		list = append(list, p.scoredMove(c, against))
	}
	if len(list) == from {
		list = append(list, p.scoredMove(p.resisting(), against))
	}
	return list, false
}

// Describe returns a legal move as Stage would list it.
func (p *picker) Describe(m game.Move) alphabeta.ScoredMove { return p.scoredMove(int(m), p.prepare()) }

// prepare returns the threat against which moves are listed. Under the capture
// rule it prepares guards.
func (p *picker) prepare() threat {
	if p.rules.Captures {
		p.guards = pattern.Set{}
		b := p.board
		if opp := b.ToMove().Other(); b.Count(opp, pattern.OpenFour)+b.Count(opp, pattern.DoubleFour) > 0 {
			p.guards = b.OpenFourDefences(opp)
		}
	}
	return p.opponentThreat()
}

// scoredMove returns a stone of the side to move on a cell, against a threat.
func (p *picker) scoredMove(c int, against threat) alphabeta.ScoredMove {
	b := p.board
	own := b.ToMove()
	e := alphabeta.ScoredMove{Move: game.Move(c), Slot: uint16(c), Hint: p.hints.hint(b, c)}
	switch {
	case against == five:
		e.Kind, e.Extend = alphabeta.Tactical, true
	case b.LineClass(c, own) == pattern.FourThree, p.rules.Captures && p.forcing(c):
		e.Kind = alphabeta.Tactical
	}
	return e
}

// forcing reports whether a stone of the side to move on c, under the capture
// rule, makes a four, captures, or weakens what the opponent would make there or
// every open four that it threatens.
func (p *picker) forcing(c int) bool {
	b := p.board
	own := b.ToMove()
	return b.LineClass(c, own).Fours() || b.LineClass(c, own.Other()) >= pattern.FourThree || p.guards.Has(c) || b.Takes(own, c) > 0
}

// candidates returns the cells that are worth a search when there is no threat
// to defend against: those near a stone, and those farther away on which either
// side makes an open two or more.
func (p *picker) candidates() pattern.Set {
	b := p.board
	cells := b.Candidates()
	for side := range game.Side(2) {
		for class := pattern.Two; class <= pattern.OpenFour; class++ {
			if b.Count(side, class) > 0 {
				cells = cells.Or(b.Cells(side, class))
			}
		}
	}
	return p.allowed(cells)
}

// allowed returns those of the empty cells that the side to move may play.
func (p *picker) allowed(cells pattern.Set) pattern.Set {
	own := p.board.ToMove()
	if !p.rules.Renju[own] && !p.rules.DoubleThree && p.rules.OpenDistance == 0 {
		return cells
	}
	closed := p.board.Closed(own)
	return cells.Without(&closed)
}

// resisting returns a legal move if none is worth a search, usually because all lose: the
// one with the best hint among the opponent's five cells, or else its four cells.
func (p *picker) resisting() int {
	b := p.board
	opp := b.ToMove().Other()
	for _, cells := range [...]pattern.Set{*b.Cells(opp, pattern.Five), b.FourCells(opp)} {
		best, most := -1, int32(math.MinInt32)
		for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
			if hint := p.hints.hint(b, c); hint > most && b.Legal(game.Move(c)) {
				best, most = c, hint
			}
		}
		if best >= 0 {
			return best
		}
	}
	return p.any()
}

// any returns a legal move: the middle of the board, or the first there is.
func (p *picker) any() int {
	size := p.board.Board().Size()
	if centre := size * size / 2; size%2 == 1 && p.board.Legal(game.Move(centre)) {
		return centre
	} else if centre += size / 2; p.board.Legal(game.Move(centre)) {
		return centre
	}
	p.moves = p.board.Moves(p.moves[:0])
	return int(p.moves[0])
}
