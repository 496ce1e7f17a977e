package arena

import "math/rand/v2"

// schedule numbers the games of a match in which each of the entrants meets
// each other one. Game numbers run through rounds; a round plays one opening
// in every pairing, each time as a pair of games with colours swapped. With
// an odd number of games the last round has only the first game of each pair.
type schedule struct {
	entrants int
	games    int // of each pairing
}

// fixture is one game of a schedule.
type fixture struct {
	game    int
	round   int // the opening's number
	pairing int
	second  bool   // the pair's second game
	players [2]int // the entrants by side
}

// pairings returns the number of pairings.
func (s schedule) pairings() int { return s.entrants * (s.entrants - 1) / 2 }

// total returns the number of games.
func (s schedule) total() int { return s.games * s.pairings() }

// pairing returns the entrants a < b of a pairing, in the order 0-1, 0-2, ...,
// 1-2, ...
func (s schedule) pairing(index int) (a, b int) {
	for index >= s.entrants-1-a {
		index -= s.entrants - 1 - a
		a++
	}
	return a, a + 1 + index
}

// at returns the game with the given number, in 0..total-1.
func (s schedule) at(number int) fixture {
	f := fixture{game: number}
	inRound := 2 * s.pairings()
	f.round = number / inRound
	rest := number % inRound
	if 2*f.round+1 < s.games {
		f.pairing, f.second = rest/2, rest%2 == 1
	} else {
		f.pairing = rest
	}
	a, b := s.pairing(f.pairing)
	f.players = [2]int{a, b}
	if f.second {
		f.players = [2]int{b, a}
	}
	return f
}

// gameSeed returns the seed of the player that has side in a game.
func gameSeed(seed uint64, game int, side int) uint64 {
	return rand.NewPCG(seed, uint64(game)*2+uint64(side)).Uint64()
}
