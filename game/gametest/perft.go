package gametest

import "github.com/carozero/carozero/game"

// Perft returns the number of move sequences of exactly depth moves from pos.
// Games that end earlier are not expanded and count nothing; depth 0 counts 1.
// The last ply is counted from the list of moves without being played. pos is
// as before when Perft returns.
func Perft(pos game.Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	return perft(pos, depth, make([]game.Move, 0, depth*pos.MaxMoves()))
}

// perft counts below pos, appending moves to the empty slice buf.
func perft(pos game.Position, depth int, buf []game.Move) uint64 {
	moves := pos.Moves(buf)
	if depth == 1 {
		return uint64(len(moves))
	}
	var n uint64
	for _, m := range moves {
		pos.Play(m)
		n += perft(pos, depth-1, moves[len(moves):])
		pos.Undo()
	}
	return n
}
