package vcf

import (
	"context"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// verdict is the result for one node and depth.
type verdict uint8

const (
	later verdict = iota // no win within this depth, or the search was stopped
	never                // no win at any depth
	won
)

// search decides whether the attacker, who is to move, wins within d moves,
// d >= 1, and leaves the first one in s.best.
func (s *Solver) search(d int) verdict {
	_, v := s.within(d, game.NoMove)
	return v
}

// dive decides whether the attacker, who is to move, wins by fours within limit
// moves, limit >= 1, depth first and without deepening: it follows the first
// four that holds, those near the last one first, and comes back only to disprove.
// It leaves the first move of the win in s.best and returns the number of moves of
// the win that it found, which need not be the shortest.
func (s *Solver) dive(limit int) (moves int, v verdict) {
	s.diving = true
	moves, v = s.within(limit, game.NoMove)
	s.diving = false
	return moves, v
}

// within is search, or dive if s.diving is set. Last is the attacker's last move,
// NoMove at the root.
func (s *Solver) within(limit int, last game.Move) (moves int, v verdict) {
	if m := s.winning(); m != game.NoMove {
		s.best = m
		return 1, won
	}
	key := s.key()
	if e := s.table.find(key); e != nil {
		switch {
		case int(e.wins) <= limit:
			s.best = e.move
			return int(e.wins), won
		case e.fails == noDepth:
			return 0, never
		case int(e.fails) >= limit:
			return 0, later
		}
	}
	from := len(s.stack)
	more := s.candidates(limit)
	if s.diving {
		s.nearest(from, last)
	}
	moves, v = s.tryAll(from, limit)
	s.stack = s.stack[:from]
	switch {
	case s.stopped:
		return 0, later
	case v == won:
		if !s.diving {
			moves = limit
		}
		s.table.storeWin(key, moves, s.best)
	case v == never && !more:
		s.table.storeFail(key, noDepth)
	default:
		s.table.storeFail(key, limit)
		v = later
	}
	return moves, v
}

// tryAll tries the moves on the stack, those from index from on, until one
// wins.
func (s *Solver) tryAll(from, limit int) (moves int, v verdict) {
	v = never
	for i, end := from, len(s.stack); i < end; i++ {
		m := s.stack[i]
		n, w := s.try(m, limit)
		switch {
		case s.stopped:
			return 0, later
		case w == won:
			s.best = m
			return n, won
		case w == later:
			v = later
		}
	}
	return 0, v
}

// try decides whether the attacking move m wins within limit moves, itself
// included, and in how many.
func (s *Solver) try(m game.Move, limit int) (moves int, v verdict) {
	if !s.diving && limit == fourWins && s.parried(m) {
		s.count()
		return 0, later
	}
	five := s.captures && s.board.Cells(s.attack, pattern.Five).Has(int(m))
	if !s.play(m) {
		return 0, later
	}
	from := len(s.stack)
	need := s.listDefences(five)
	end := len(s.stack)
	switch {
	case need == noThreat:
		v = never
	case limit < need, limit == fourWins && end > from && !s.captures:
		v = later
	default:
		moves, v = need, won
	}
	for i := from; i < end && v == won; i++ {
		var n int
		if n, v = s.refute(s.stack[i], limit-1, m); v == won {
			moves = max(moves, 1+n)
		}
	}
	s.stack = s.stack[:from]
	s.board.Undo()
	return moves, v
}

// parried reports whether it is known without playing the attacking move m that it
// makes a four, to which the defender has a reply and no win: a single simple
// four, where no five of either side is open. A defender who may be forbidden to
// reply is left out.
func (s *Solver) parried(m game.Move) bool {
	b := s.board
	if s.captures || s.rules.Renju[s.defend] || b.Count(s.defend, pattern.Five) > 0 {
		return false
	}
	class := b.LineClass(int(m), s.attack)
	return class == pattern.Four || class == pattern.FourThree
}

// refute decides whether the attacker, whose last move was m, wins within limit
// moves after the reply p, and in how many.
func (s *Solver) refute(p game.Move, limit int, m game.Move) (moves int, v verdict) {
	if !s.play(p) {
		return 0, later
	}
	v = never
	switch s.board.Outcome() {
	case game.Undecided:
		moves, v = s.within(limit, m)
	case game.WinFor(s.attack):
		v = won
	}
	s.board.Undo()
	return moves, v
}

// winning returns a move that wins at once, NoMove if there is none.
func (s *Solver) winning() game.Move {
	b := s.board
	if !s.captures {
		if b.Count(s.attack, pattern.Five) == 0 {
			return game.NoMove
		}
		return game.Move(b.Cells(s.attack, pattern.Five).Next(0))
	}
	from := len(s.stack)
	s.stack = b.Wins(s.stack)
	m := game.NoMove
	if len(s.stack) > from {
		m = s.stack[from]
	}
	s.stack = s.stack[:from]
	return m
}

// Ranks of the moves of a dive, by class and by their distance from the last
// one; a smaller rank comes first.
const (
	rankWins  = 0
	rankThree = 100
	rankFour  = 200
	offLine   = 30 // for a move that is on no line with the last one
)

// nearest sorts the moves on the stack, those from index from on, by their
// class, those near the last move first.
func (s *Solver) nearest(from int, last game.Move) {
	moves := s.stack[from:]
	for i := 1; i < len(moves); i++ {
		m := moves[i]
		r := s.rank(m, last)
		j := i
		for ; j > 0 && s.rank(moves[j-1], last) > r; j-- {
			moves[j] = moves[j-1]
		}
		moves[j] = m
	}
}

func (s *Solver) rank(m, last game.Move) int {
	rank := rankFour
	switch s.board.LineClass(int(m), s.attack) {
	case pattern.OpenFour, pattern.DoubleFour:
		rank = rankWins
	case pattern.FourThree:
		rank = rankThree
	}
	if last == game.NoMove {
		return rank
	}
	size := s.zones.size
	dx, dy := int(m)%size-int(last)%size, int(m)/size-int(last)/size
	dx, dy = max(dx, -dx), max(dy, -dy)
	if dx != 0 && dy != 0 && dx != dy {
		rank += offLine
	}
	return rank + max(dx, dy)
}

// Escape is what [Solver.Escape] found about the wins that the opponent of the
// side to move has left.
type Escape struct {
	// Left is None if a reply was found after which the opponent has no win by
	// fours and threes, shown by a search that was not cut short; Win if the solver
	// claims one after every legal reply that was not excepted; else Unknown.
	Left  Outcome
	Reply game.Move // with None the reply that shows it, else NoMove
	Nodes int       // moves that the solver played
}

// escapeFours is how many fours of the defender, one after the other, Escape
// follows.
const escapeFours = 3

// Escape looks for a reply of the side to move on b, the defender, after which
// its opponent, the attacker, has no win by fours and threes left, playing at
// most nodes moves. b is the same afterwards. Likely moves, which need not be
// legal, are tried first; they change what is found within the budget, never
// whether it is true. Replies in except are left out: those that a caller has
// reason to mistrust and wants others for.
//
// One proof-number search decides all replies at once (see prover.go): a reply
// counts if every four and three of the attacker after it is refuted, and none
// of these searches was cut short. A four of the defender is taken out of it,
// since the attacker's answer is forced, is no attack as a rule, and gives the
// defender nothing but the next move. Fours are looked into where no other reply
// counts: then every answer to the four must leave the defender a reply that
// counts.
func (s *Solver) Escape(ctx context.Context, b *pattern.Board, likely, except []game.Move, nodes int) Escape {
	if b.Outcome() != game.Undecided || b.Board().Rules().DoubleThree && !b.Board().Rules().Captures {
		return Escape{Reply: game.NoMove}
	}
	e := escaper{ctx: ctx, solver: s, board: b, nodes: nodes}
	left, reply := e.escape(likely, except, escapeFours)
	return Escape{left, reply, nodes - e.nodes}
}

// escaper is the state of one call of Escape.
type escaper struct {
	ctx    context.Context
	solver *Solver
	board  *pattern.Board
	nodes  int // that are left
}

// escape is Escape for the position, the defender to move, with at most so many
// fours of the defender, one after the other.
func (e *escaper) escape(likely, except []game.Move, most int) (left Outcome, reply game.Move) {
	quiet, fours := e.replies(likely, except)
	budget := e.nodes
	if len(fours) > 0 && most > 0 {
		budget /= 2
	}
	if left, reply = e.solver.escapeBy(e.ctx, e.board, quiet, budget); left == None {
		e.nodes -= e.solver.nodes
		return None, reply
	}
	e.nodes -= e.solver.nodes
	for _, m := range fours {
		if most == 0 || e.nodes <= 0 || e.ctx.Err() != nil {
			return Unknown, game.NoMove
		}
		switch e.four(m, most-1) {
		case None:
			return None, m
		case Unknown:
			left = Unknown
		}
	}
	return left, game.NoMove
}

// replies returns the legal moves but for those in except, the likely ones first,
// those apart that threaten to win at once.
func (e *escaper) replies(likely, except []game.Move) (quiet, fours []game.Move) {
	var seen pattern.Set
	for _, m := range except {
		seen.Add(int(m))
	}
	add := func(m game.Move) {
		if m == game.NoMove || seen.Has(int(m)) || !e.board.Legal(m) {
			return
		}
		seen.Add(int(m))
		e.board.Play(m)
		_, forced := e.solver.DefencesAtOnce(e.board, nil)
		e.board.Undo()
		if forced {
			fours = append(fours, m)
		} else {
			quiet = append(quiet, m)
		}
	}
	for _, m := range likely {
		add(m)
	}
	for _, m := range e.board.Moves(nil) {
		add(m)
	}
	return quiet, fours
}

// four returns what win the attacker has left after the defender's four m: Win if
// it wins at once, or if one of its answers to the four leaves it one.
func (e *escaper) four(m game.Move, most int) (left Outcome) {
	e.board.Play(m)
	defer e.board.Undo()
	if len(e.board.Wins(nil)) > 0 {
		return Win
	}
	answers, _ := e.solver.DefencesAtOnce(e.board, nil)
	left = None
	for _, a := range answers {
		e.board.Play(a)
		o := None
		if e.board.Outcome() == game.Undecided && len(e.board.Wins(nil)) == 0 {
			o, _ = e.escape(nil, nil, most)
		}
		e.board.Undo()
		switch o {
		case Win:
			return Win
		case Unknown:
			left = Unknown
		}
	}
	return left
}

// escapeBy decides whether one of the replies of the side to move leaves its
// opponent no win by fours and threes: None with the reply, Win if all lose,
// Unknown if the budget does not last.
func (s *Solver) escapeBy(ctx context.Context, b *pattern.Board, replies []game.Move, nodes int) (left Outcome,
	reply game.Move) {
	s.begin(ctx, b, VCT, nodes)
	defer s.release()
	if len(replies) == 0 {
		return Win, game.NoMove
	}
	s.attack, s.defend = s.defend, s.attack
	for _, r := range replies {
		s.pushEdge(r, alphabeta.Open)
	}
	var near pattern.Set
	n, _ := s.defendBelow(s.key(), 0, noThreat, alphabeta.Unbounded, &near)
	switch {
	case n.DN == 0:
		for _, e := range s.edges {
			if e.DN == 0 {
				return None, e.move
			}
		}
	case n.PN == 0:
		return Win, game.NoMove
	}
	return Unknown, game.NoMove
}
