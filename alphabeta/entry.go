package alphabeta

import "github.com/carozero/carozero/game"

// bound says how a stored score relates to the true one. The zero value marks
// an empty place.
type bound uint8

const (
	noBound bound = iota
	upper         // the true score is at most the stored one
	lower         // at least
	exact
)

// noEval stands for an evaluation that was not made.
const noEval Score = -1 << 15

// entry is what the table knows of a position. Claims in score count plies
// from the position.
type entry struct {
	move  game.Move // best or refuting move, NoMove if none is known
	score Score
	eval  Score // static evaluation, or noEval
	depth int   // 0..255 plies searched below the position
	bound bound
}

// pack returns e and the low bits of the generation in one word: move 16 bits,
// score 16, evaluation 16, depth 8, bound 2, generation 6, from the lowest on.
func (e entry) pack(generation uint8) uint64 {
	return uint64(e.move) |
		uint64(uint16(e.score))<<16 |
		uint64(uint16(e.eval))<<32 |
		uint64(uint8(e.depth))<<48 |
		uint64(e.bound)<<56 |
		uint64(generation)<<58
}

// unpack is the reverse of pack, without the generation.
func unpack(data uint64) entry {
	return entry{
		move:  game.Move(data),
		score: Score(int16(data >> 16)),
		eval:  Score(int16(data >> 32)),
		depth: int(uint8(data >> 48)),
		bound: boundOf(data),
	}
}

func boundOf(data uint64) bound { return bound(data >> 56 & 3) }

// generations is how many generations a word tells apart.
const generations = 64

// age returns how many generations before now data was written.
func age(data uint64, now uint8) int { return int(now-uint8(data>>58)) & (generations - 1) }

// worth orders entries for replacement: the depth, less eight plies for each
// generation that the entry has not been touched.
func worth(data uint64, now uint8) int {
	if boundOf(data) == noBound {
		return -1 << 16
	}
	return int(uint8(data>>48)) - 8*age(data, now)
}

// cuts reports whether e decides a node of that depth and window at ply, and
// the score that it gives it.
func (e *entry) cuts(nd *node) (Score, bool) {
	if e.bound == noBound || e.depth < nd.depth {
		return 0, false
	}
	score := e.score.fromNode(nd.ply)
	switch {
	case e.bound == exact,
		e.bound == lower && score >= nd.beta,
		e.bound == upper && score <= nd.alpha:
		return score, true
	}
	return 0, false
}
