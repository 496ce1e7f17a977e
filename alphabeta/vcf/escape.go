package vcf

import (
	"context"

	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

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
// One proof-number search decides all replies at once (see prove.go): a reply
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
func (s *Solver) escapeBy(ctx context.Context, b *pattern.Board, replies []game.Move, nodes int) (left Outcome, reply game.Move) {
	s.begin(ctx, b, VCT, nodes)
	defer s.release()
	if len(replies) == 0 {
		return Win, game.NoMove
	}
	s.attack, s.defend = s.defend, s.attack
	for _, r := range replies {
		s.pushEdge(r, proofnumber.Open)
	}
	var near pattern.Set
	n, _ := s.defendBelow(s.key(), 0, noThreat, proofnumber.Unbounded, &near)
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
