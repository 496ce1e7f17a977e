package gomoku

import (
	"math"
	"sync"

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
	return b.LineClass(c, own).Fours() || b.LineClass(c, own.Other()) >= pattern.FourThree || p.guards.Has(c) ||
		b.Takes(own, c) > 0
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

// Order says how likely a stone on an empty cell is to be the best move: the odds
// of two moves are as exp((Own[i]+Opp[j])/100), where i and j are the codes of
// their cells for the side to move and for its opponent; see
// pattern.Board.Code.
type Order struct{ Own, Opp [pattern.Codes]int16 }

// hintUnit is what a hundredth of a logarithm of odds counts on the scale of
// alphabeta.HistoryRange. Against half of it, it won 60% of 100 games.
const hintUnit = 40

// hints are an Order ready for use.
type hints struct{ values *pattern.Values }

func newHints(o *Order) *hints {
	return &hints{pattern.NewValues(func(_ game.Side, code int) (own, opp int16) { return o.Own[code], o.Opp[code] }, nil)}
}

// hint returns the hint of a stone of the side to move on the empty cell c.
func (h *hints) hint(b *pattern.Board, c int) int32 {
	own := b.ToMove()
	return hintUnit * (h.values.Of(b, own, c).Early + h.values.Of(b, own.Other(), c).Late)
}

// ordering remembers the hints made so far, by the name of the rule set.
var hintsMade struct {
	mu   sync.Mutex
	made map[string]*hints
}

// orderName returns the name of the rule set whose fitted order serves r.
func orderName(r *rules.Rules) string {
	if fittedOrders[r.Name] == nil {
		return "freestyle"
	}
	return r.Name
}

// shippedHints returns the hints of a rule set, those of freestyle where none
// were fitted. It is safe for concurrent use.
func shippedHints(r *rules.Rules) *hints {
	name := orderName(r)
	hintsMade.mu.Lock()
	defer hintsMade.mu.Unlock()
	h := hintsMade.made[name]
	if h == nil {
		if hintsMade.made == nil {
			hintsMade.made = map[string]*hints{}
		}
		h = newHints(fittedOrders[name])
		hintsMade.made[name] = h
	}
	return h
}

// What a move removes of what the opponent threatens; see Resist.
const (
	takesNothing = iota
	takesFour    // a four point
	takesFive    // a five point
)

// Resist rates a legal move of b among moves that lose equally late: highest if it removes
// a five point of the opponent, lower for a four point, 0 for neither. Five and four points
// are those of the network's input planes; captures may remove them too.
func Resist(b *pattern.Board, m game.Move) int {
	opp := b.ToMove().Other()
	before := b.Threats(opp)
	b.Play(m)
	defer b.Undo()
	if b.Outcome() != game.Undecided {
		return takesNothing
	}
	after := b.Threats(opp)
	switch five, four := before.Five.Without(&after.Five), before.Four.Without(&after.Four); {
	case !five.Empty():
		return takesFive
	case !four.Empty():
		return takesFour
	}
	return takesNothing
}

// resistance implements alphabeta.Resistance.
type resistance struct{ board *pattern.Board }

// Resist is the function of that name.
func (r *resistance) Resist(m game.Move) int { return Resist(r.board, m) }

// captureFeatures calls visit for the features of the capture rule.
func captureFeatures(b *pattern.Board, visit func(feature, count int)) {
	own := b.ToMove()
	opp := own.Other()
	board := b.Board()
	visit(Taken+min(board.Captured(own)/2, takenSteps-1), 1)
	visit(Taken+min(board.Captured(opp)/2, takenSteps-1), -1)
	prey, holds := preyOf(b, own)
	visit(OwnPrey, prey)
	visit(OwnBreak, holds)
	prey, holds = preyOf(b, opp)
	visit(OppPrey, prey)
	visit(OppBreak, holds)
}

// preyOf returns how many stones of side could be captured by one stone, and
// how many of them have two of side's stones next to them in a line, both at
// most mostPrey.
func preyOf(b *pattern.Board, side game.Side) (prey, holds int) {
	stones := b.Capturable(side)
	if stones.Empty() {
		return 0, 0
	}
	for c := stones.Next(0); c >= 0; c = stones.Next(c + 1) {
		prey++
		if b.Board().RunThrough(side, c) >= 3 {
			holds++
		}
	}
	return min(prey, mostPrey), min(holds, mostPrey)
}

// quiescence goes on where the opponent threatens a five, which the evaluation
// says nothing of; it implements alphabeta.Quiescence. The wins by fours are
// the solver's.
type quiescence struct{ picker *picker }

// Noisy lists the defences against a five, one of which must be played. A four uses
// up two cells of its line, so that this comes to an end.
func (q *quiescence) Noisy(depth int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	p := q.picker
	if p.rules.Captures {
		return q.captureDefences(depth, list)
	}
	if p.board.Count(p.board.ToMove().Other(), pattern.Five) == 0 {
		return list, false
	}
	list, _ = p.Stage(0, list)
	return list, true
}

// deepestDefence is how deep below the horizon defences are listed where stones
// are captured: there nothing uses itself up.
const deepestDefence = 6

// captureDefences does the work of Noisy where captures count.
func (q *quiescence) captureDefences(depth int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	p := q.picker
	if depth > deepestDefence {
		return list, false
	}
	cells, against := p.defences()
	if against != five || cells.Empty() {
		return list, false
	}
	against = p.prepare()
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		list = append(list, p.scoredMove(c, against))
	}
	return list, true
}
