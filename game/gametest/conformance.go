package gametest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
)

// Bounds of one conformance run. A game stops at maxPlies, and no further
// game starts once maxTrials moves have been tried one by one.
const (
	games     = 30
	maxPlies  = 300
	maxTrials = 300_000
	lowMoves  = 128 // Legal is asked of all smaller moves everywhere
)

// Conformance checks the contract of [game.Position] on games played at
// random from the positions that newPos returns, which must be equal and
// independent of each other, and not over. The games are the same in every run. It
// checks, at every position:
//
//   - Moves is ascending, keeps what the buffer holds, stays within MaxMoves
//     and is empty exactly when the game is over, as are Wins;
//   - Legal agrees with Moves;
//   - Wins are the moves after which the side that moved has won;
//   - Play passes the turn, counts the ply and changes Hash, and Undo
//     restores everything that can be asked;
//   - positions with equal hashes answer alike, in whatever order they arose;
//
// and of every game: that its moves lead a new position and a clone to the
// same state, that a clone shares nothing and can be taken back to the start,
// that undoing all of it passes through every state again, and that playing
// and undoing it once more allocates nothing.
//
// The test must not run in parallel with others, because the last check counts
// allocations.
func Conformance(t *testing.T, newPos func() game.Position) {
	t.Helper()
	conformance(t, newPos)
}

// failer is the part of *testing.T that the checks need; Fatalf must not
// return.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func conformance(t failer, newPos func() game.Position) {
	t.Helper()
	if newPos().Outcome() != game.Undecided {
		t.Fatalf("newPos returns a position that is over")
	}
	c := &checker{t: t, newPos: newPos, bound: newPos().MaxMoves(), seen: make(map[uint64]state)}
	for id := range uint64(games) {
		if c.trials > maxTrials {
			break
		}
		c.game(rand.New(rand.NewPCG(id, 1)), style(id%3))
	}
}

// style is how the moves of a game are chosen, so that games of all lengths
// and shapes come up.
type style uint8

const (
	uniform   style = iota // any move
	quiet                  // no winning move while there is another
	clustered              // one of the lowest few moves
)

// choose picks one of moves, of which wins are the winning ones.
func (s style) choose(rng *rand.Rand, moves, wins []game.Move) game.Move {
	switch s {
	case quiet:
		if rest := without(moves, wins); len(rest) > 0 {
			return rest[rng.IntN(len(rest))]
		}
	case clustered:
		return moves[rng.IntN(min(8, len(moves)))]
	}
	return moves[rng.IntN(len(moves))]
}

// without returns the moves that are not among drop.
func without(moves, drop []game.Move) []game.Move {
	var rest []game.Move
	for _, m := range moves {
		if !slices.Contains(drop, m) {
			rest = append(rest, m)
		}
	}
	return rest
}

// checker is one run of [Conformance].
type checker struct {
	t      failer
	newPos func() game.Position
	bound  int              // MaxMoves at the start
	seen   map[uint64]state // by hash
	trials int
}

// game plays one game and checks it.
func (c *checker) game(rng *rand.Rand, s style) {
	c.t.Helper()
	pos := c.newPos()
	states := []state{c.position(pos, rng, nil)}
	var played []game.Move
	for len(played) < maxPlies && pos.Outcome() == game.Undecided {
		now := states[len(played)]
		m := s.choose(rng, now.moves, now.wins)
		played = append(played, m)
		pos.Play(m)
		states = append(states, c.position(pos, rng, played))
		if rng.IntN(8) == 0 {
			c.clone(pos, states, played)
		}
	}
	c.clone(pos, states, played)
	c.replay(states, played)
	c.unwind(pos, states, played)
	c.allocations(pos, played)
}
