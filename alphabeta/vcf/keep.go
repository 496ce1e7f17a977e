package vcf

import (
	"context"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// proofMove is the attacker's move in a position of a proof, and the number of its
// moves to the win, that one included.
type proofMove struct {
	move game.Move
	wins int
}

// keepProof keeps the proof that the search without deepening has found, every
// position with the attacker to move that a reply to it leads to, shortens it
// while that is cheap, and writes the line against the longest defence. It
// returns the number of attacking moves: that of the search, wins, if the budget
// does not last for a second time.
func (s *Solver) keepProof(wins int) int {
	first := s.best
	limit := s.nodes + s.total
	s.budget = limit
	if n := s.keepAll(maxMoves + 1); n > 0 {
		wins = s.shorten(n, limit)
		s.stopped, s.budget = false, limit
		first = s.next()
	}
	s.stopped = false
	s.writeLine(first)
	return wins
}

// shorten looks for shorter and shorter wins by fours until there are none, or it
// has played as many moves as the search before and half of the budget, and
// returns the number of attacking moves of the last one, which is the one that is
// kept. Wins by threes stay as they are. At most limit moves are played in all.
func (s *Solver) shorten(wins, limit int) int {
	most := min(limit, max(2*s.nodes, s.total/2))
	for s.kind == VCF && wins > 1 {
		s.budget = most
		if _, v := s.dive(wins - 1); v != won {
			s.shortest = !s.stopped
			break
		}
		s.budget = limit
		n := s.keepAll(wins)
		if n == 0 {
			break
		}
		wins = n
	}
	return wins
}

// keepAll is keep for the root; where the budget does not last, or the proof
// takes no fewer than below moves, what was kept before stays and it returns 0.
func (s *Solver) keepAll(below int) (wins int) {
	s.held, s.spare = s.spare, s.held
	clear(s.held)
	if wins = s.keep(); wins == 0 || wins >= below {
		s.held, s.spare = s.spare, s.held
		return 0
	}
	return wins
}

// keep writes the proof of the position, the attacker to move, into s.held, and
// returns the number of attacking moves that it takes, 0 if the budget does not
// last. What the table has lost is searched again.
func (s *Solver) keep() (wins int) {
	if s.winning() != game.NoMove {
		return 1
	}
	key := s.board.Board().Key()
	if a, ok := s.held[key]; ok {
		return a.wins
	}
	m := s.proven()
	if m == game.NoMove {
		return 0
	}
	wins = s.keepAfter(m)
	if wins > 0 {
		s.held[key] = proofMove{m, wins}
	}
	return wins
}

// proven returns the winning move of a position that is known to be won, NoMove
// if the budget does not last to find it again.
func (s *Solver) proven() game.Move {
	if s.kind == VCF {
		if _, v := s.dive(maxMoves); v != won {
			return game.NoMove
		}
		return s.best
	}
	if n, _ := s.attackFrom(s.key(), alphabeta.Unbounded); n.PN != 0 {
		return game.NoMove
	}
	return s.best
}

// keepAfter is keep for the position after the attacking move m.
func (s *Solver) keepAfter(m game.Move) (wins int) {
	from := len(s.stack)
	need, played := s.threatenFully(m)
	if !played {
		return 0
	}
	if need == threeWins && len(s.stack) == from {
		s.stack = append(s.stack, s.quiet())
	}
	wins = need
	for i, end := from, len(s.stack); i < end && wins > 0; i++ {
		if n, ok := s.keepReply(s.stack[i]); ok {
			wins = max(wins, 1+n)
		} else {
			wins = 0
		}
	}
	s.stack = s.stack[:from]
	s.board.Undo()
	return wins
}

// threatenFully is threaten with all defences.
func (s *Solver) threatenFully(m game.Move) (need int, played bool) {
	var near pattern.Set
	need, played = s.threaten(m, &near)
	if played && !near.Empty() {
		s.listFarDefences(&near, need)
	}
	return need, played
}

// keepReply is keep for the position after the reply p, with 0 moves if p ends
// the game.
func (s *Solver) keepReply(p game.Move) (wins int, ok bool) {
	if !s.play(p) {
		return 0, false
	}
	if s.board.Outcome() == game.Undecided {
		wins = s.keep()
		ok = wins > 0
	} else {
		ok = s.board.Outcome() == game.WinFor(s.attack)
	}
	s.board.Undo()
	return wins, ok
}

// writeLine writes the line of the proof that is kept, against the replies that
// hold out longest, as far as the budget lasts; first is its first move.
func (s *Solver) writeLine(first game.Move) {
	from, played := len(s.stack), 0
	for m := first; m != game.NoMove; m = s.next() {
		s.line = append(s.line, m)
		need, ok := s.threatenFully(m)
		if !ok {
			break
		}
		played++
		p := game.NoMove
		if s.board.Outcome() == game.Undecided && len(s.held) > 0 {
			p = s.lasting(from, need)
		}
		s.stack = s.stack[:from]
		if p == game.NoMove || !s.play(p) {
			break
		}
		s.line = append(s.line, p)
		played++
	}
	for range played {
		s.board.Undo()
	}
}

// next returns the attacker's move in a position of the proof that is kept,
// NoMove if there is none.
func (s *Solver) next() game.Move {
	if s.board.Outcome() != game.Undecided {
		return game.NoMove
	}
	if m := s.winning(); m != game.NoMove {
		return m
	}
	if a, ok := s.held[s.board.Board().Key()]; ok {
		return a.move
	}
	return game.NoMove
}

// lasting returns the reply that holds out longest against the proof that is
// kept, of those on the stack from index from on, or one of the others if there
// are none, after an attacking move that needs need moves against a pass; NoMove
// if the budget does not last.
func (s *Solver) lasting(from, need int) game.Move {
	switch {
	case len(s.stack) > from:
	case need == threeWins:
		return s.quiet()
	default:
		return s.idle()
	}
	best, most := game.NoMove, -1
	for _, p := range s.stack[from:] {
		if !s.play(p) {
			return game.NoMove
		}
		wins := 0
		if s.board.Outcome() == game.Undecided {
			wins = max(1, s.held[s.board.Board().Key()].wins)
		}
		s.board.Undo()
		if wins > most {
			best, most = p, wins
		}
	}
	return best
}

// quiet returns a legal reply to a three after which the attacker does not win
// at once, any legal one if there is none.
func (s *Solver) quiet() game.Move {
	from := len(s.stack)
	s.stack = s.board.Moves(s.stack)
	found := game.NoMove
	for i, end := from, len(s.stack); i < end && found == game.NoMove; i++ {
		if !s.play(s.stack[i]) {
			break
		}
		if s.board.Outcome() == game.Undecided && s.winning() == game.NoMove {
			found = s.stack[i]
		}
		s.board.Undo()
	}
	s.stack = s.stack[:from]
	if found == game.NoMove {
		return s.idle()
	}
	return found
}

// Follow returns what the winner plays in a position of the same board size and
// rules that the win which Solve found last can lead to, and within how many
// plies, that move included, it has won. Together these moves, whatever the replies,
// prove the win: in package proof's words they are its strategy, and they never
// claim more plies than are left. A position of the kept proof takes no search,
// another one, such as after a reply that loses quickly, one like
// Decide's with at most nodes moves.
func (s *Solver) Follow(ctx context.Context, b *pattern.Board, kind Kind, nodes int) (m game.Move, plies int, ok bool) {
	if m, plies, ok = s.Kept(b); ok {
		return m, plies, true
	}
	defer func(small int) { s.small = small }(s.small)
	s.small = max(s.small, smallBudget)
	r := s.Decide(ctx, b, kind, nodes)
	if r.Outcome != Win {
		return game.NoMove, 0, false
	}
	return r.Line[0], r.Plies, true
}

// Kept is Follow without a search: ok is false for a position that is not of the proof
// that was kept, or if none was.
func (s *Solver) Kept(b *pattern.Board) (m game.Move, plies int, ok bool) {
	a, ok := s.held[b.Board().Key()]
	return a.move, 2*a.wins - 1, ok
}
