package gametest

import "github.com/carozero/carozero/game"

// Minimax returns the exact value of pos for the side to move under perfect
// play: 1 win, 0 draw, -1 loss. It visits every position that can be reached
// once, remembering them by hash, and so fits only games of a few million
// positions in which none repeats.
func Minimax(pos game.Position) int {
	value, _ := MinimaxPlies(pos)
	return value
}

// MinimaxPlies returns the exact value of pos for the side to move and the
// number of plies to the end of the game when the winner takes the shortest
// win and the loser the longest loss; both prefer the longest draw. A game
// that is over has 0 plies. The limits of [Minimax] apply.
func MinimaxPlies(pos game.Position) (value, plies int) {
	s := solver{known: make(map[uint64]solved)}
	r := s.solve(pos, make([]game.Move, 0, 64*pos.MaxMoves()))
	return int(r.value), int(r.plies)
}

// solved is a position's value for the side to move and its distance.
type solved struct {
	value int8
	plies int16
}

// before reports whether the side to move prefers r to o.
func (r solved) before(o solved) bool {
	if r.value != o.value {
		return r.value > o.value
	}
	if r.value > 0 {
		return r.plies < o.plies
	}
	return r.plies > o.plies
}

type solver struct {
	known map[uint64]solved
}

// solve returns the value of pos, appending moves to the empty slice buf.
func (s *solver) solve(pos game.Position, buf []game.Move) solved {
	if o := pos.Outcome(); o != game.Undecided {
		return solved{value: int8(o.Value(pos.ToMove()))}
	}
	key := pos.Hash()
	if r, ok := s.known[key]; ok {
		return r
	}
	best := solved{value: -2}
	moves := pos.Moves(buf)
	for _, m := range moves {
		pos.Play(m)
		reply := s.solve(pos, moves[len(moves):])
		pos.Undo()
		if r := (solved{value: -reply.value, plies: reply.plies + 1}); r.before(best) {
			best = r
		}
	}
	s.known[key] = best
	return best
}
