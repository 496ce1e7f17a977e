package vcf

import (
	"context"
	"math"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// How many moves are played to find the fours that a quiet move threatens, and those that
// a reply far from them loses to.
const (
	quietFours = 20
	farFours   = 60
)

// quietPromise are the numbers of a quiet move that was never tried.
var quietPromise = numbers{PN: 5, DN: 1}

// What an attacking move adds to the proof number of the position after it, in a search with
// quiet moves, as in df-pn+ (Nagai and Imai, "Application of df-pn+ to Othello Endgames",
// 1999): long lines, fours that make no three and quiet moves come later.
const (
	threeCost = 1
	quietCost = 3
	fourCost  = 4
)

func (s *Solver) cost(m game.Move) uint8 {
	switch class := s.board.LineClass(int(m), s.attack); {
	case class == pattern.Four:
		return fourCost
	case class >= pattern.Three:
		return threeCost
	}
	return quietCost
}

// Adviser looks for the move that wins, in its own way. The advice says what is searched
// first, and proves nothing. Equal calls since Forget get equal advice.
type Adviser interface {
	// Advise searches for the side to move on b, which is not over, and plays that many
	// moves at most, which are more than none. It leaves b as it is.
	Advise(ctx context.Context, b *pattern.Board, nodes int) Advice

	// Forget drops all that earlier calls have left behind.
	Forget()
}

// Advice is what an Adviser thinks of a position.
type Advice struct {
	Move  game.Move // the best one, legal
	Wins  bool      // it is thought to win
	Nodes int       // moves played to find out
}

// Advice on the root takes that share of the budget, when as much has been played. On another
// position it takes leastAdvice moves at first, when adviceShare times as many have been played
// there, and adviceGrowth times as many each time.
const (
	rootShare    = 24
	leastAdvice  = 2_000
	adviceGrowth = 4
	adviceShare  = 8
)

// unadvisedCost is what all other moves cost more where one is advised, which costs nothing.
const unadvisedCost = 12

// due says at which number of moves of the search advice on a position is due, and how many
// it may take.
type due struct{ at, nodes int }

// adviceDue returns when advice is due on the position whose search begins, its edges being
// those from index from on.
func (s *Solver) adviceDue(key [2]uint64, from int) due {
	switch {
	case s.adviser == nil || s.kind != Quiet || s.board.Count(s.defend, pattern.Five) > 0:
		return due{at: math.MaxInt}
	case from == 0:
		return due{s.nodes + s.total/rootShare, s.total / rootShare}
	case s.advice(key) == game.NoMove:
		return s.nextAdvice(leastAdvice)
	}
	return s.nextAdvice(adviceGrowth * leastAdvice)
}

func (s *Solver) nextAdvice(nodes int) due { return due{s.nodes + adviceShare*nodes, nodes} }

// advise asks for advice on the position, with that many moves or as many as are left, and
// returns when it is due again.
func (s *Solver) advise(key [2]uint64, nodes int) due {
	if most := min(nodes, s.budget-s.nodes); most > 0 {
		a := s.adviser.Advise(s.ctx, s.board, most)
		s.nodes += a.Nodes
		s.stopped = s.ctx.Err() != nil
		s.advised[key] = a.Move
	}
	return s.nextAdvice(adviceGrowth * nodes)
}

// advice returns the move that was advised in a position, NoMove for none.
func (s *Solver) advice(key [2]uint64) game.Move {
	if m, ok := s.advised[key]; ok {
		return m
	}
	return game.NoMove
}

// unadvised is what other moves than the advised one cost more.
func unadvised(advised game.Move) uint8 {
	if advised == game.NoMove {
		return 0
	}
	return unadvisedCost
}

// pushQuiet puts the moves that make open twos alone in the place of the edge that stands
// for them.
func (s *Solver) pushQuiet(at int, advised game.Move) {
	last := len(s.edges) - 1
	s.edges[at] = s.edges[last]
	s.edges = s.edges[:last]
	mark, near := len(s.stack), s.board.Candidates()
	for _, class := range [...]pattern.Class{pattern.DoubleTwo, pattern.Two} {
		if s.board.Count(s.attack, class) > 0 {
			cells := s.board.Cells(s.attack, class).And(&near)
			s.pushSet(&cells)
		}
	}
	s.openingDistance(mark)
	s.keepIf(mark, func(m game.Move) bool { return m != advised })
	s.pushAttacks(mark, advised)
}

// quietThreat does the work of listDefences after a stone that is no four and no three. It
// is a threat if the attacker, were the defender to pass, would win by fours. The replies
// that may matter to that win, and the defender's fours, are put on the stack, and near holds
// them. Whether all others lose is not taken on trust: listFarDefences searches each for
// fours.
func (s *Solver) quietThreat(near *pattern.Set) (need int) {
	b := s.board
	if b.Count(s.defend, pattern.Five) > 0 {
		return noThreat
	}
	b.Pass()
	moves, v := s.byFours(quietFours, maxMoves)
	if v == won {
		s.addZone(near)
	}
	b.Pass()
	if v != won || s.stopped {
		return noThreat
	}
	s.addFourCells(near)
	from := len(s.stack)
	cells := near.Without(b.Stones())
	s.pushSet(&cells)
	s.keepAllowed(s.defend, from)
	return moves + 1
}

// addZone adds the cells to the zone where a stone of the defender may keep the attacker, who
// is to move, from the win by fours that the table has: those of its moves, and those with
// which the defender would get a four on the way (after the relevance zones of Wu and Lin,
// "Relevance-Zone-Oriented Proof Search for Connect6", 2010).
func (s *Solver) addZone(zone *pattern.Set) {
	b := s.board
	if m := s.winning(); m != game.NoMove {
		s.addEnds(int(m), zone)
		return
	}
	key := b.Board().Key()
	key[0] ^= fourSalt
	e := s.table.find(key)
	if e == nil || e.wins == noDepth {
		return
	}
	m, from := e.move, len(s.stack)
	zone.Add(int(m))
	b.Play(m)
	s.listDefences(false)
	fives := b.Cells(s.attack, pattern.Five)
	for c := fives.Next(0); c >= 0; c = fives.Next(c + 1) {
		s.addEnds(c, zone)
	}
	for i, end := from, len(s.stack); i < end; i++ {
		p := s.stack[i]
		zone.Add(int(p))
		b.Play(p)
		if b.Outcome() == game.Undecided {
			s.addFourCells(zone)
			s.addZone(zone)
		}
		b.Undo()
	}
	s.stack = s.stack[:from]
	b.Undo()
}

// addFourCells adds the cells with which the defender would get a four, or may.
func (s *Solver) addFourCells(zone *pattern.Set) {
	fours := s.board.FourCells(s.defend)
	*zone = zone.Or(&fours)
	if s.board.Count(s.defend, pattern.Suspect) > 0 {
		*zone = zone.Or(s.board.Cells(s.defend, pattern.Suspect))
	}
}

// addEnds adds c and, where blocked ends count, the cells behind the attacker's runs
// through it.
func (s *Solver) addEnds(c int, zone *pattern.Set) {
	zone.Add(c)
	for _, ray := range rays {
		if end, _ := s.walk(s.attack, c, ray.dx, ray.dy); end >= 0 && s.rules.OpponentBlocks {
			zone.Add(end)
		}
	}
}
