// Package gametest holds what the tests of rules and searches share: a conformance
// suite for every [game.Position], exhaustive minimax, and the m,n,k family of toy
// games, small enough to be solved by brute force.
//
// Only tests should import it.
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

// state is everything that can be asked of a position.
type state struct {
	toMove  game.Side
	ply     int
	hash    uint64
	outcome game.Outcome
	reason  game.Reason
	bound   int
	moves   []game.Move
	wins    []game.Move
}

func observe(p game.Position) state {
	return state{p.ToMove(), p.Ply(), p.Hash(), p.Outcome(), p.Reason(), p.MaxMoves(), p.Moves(nil), p.Wins(nil)}
}

// equal compares everything; alike leaves out the ply and what depends on it.
func (s state) equal(o state) bool {
	return s.ply == o.ply && s.bound == o.bound && s.alike(o)
}

func (s state) alike(o state) bool {
	return s.toMove == o.toMove && s.hash == o.hash && s.outcome == o.outcome && s.reason == o.reason &&
		slices.Equal(s.moves, o.moves) && slices.Equal(s.wins, o.wins)
}

// position checks pos, reached by the moves played, and returns its state.
func (c *checker) position(pos game.Position, rng *rand.Rand, played []game.Move) state {
	c.t.Helper()
	now := observe(pos)
	over := now.outcome != game.Undecided
	switch {
	case over != (len(now.moves) == 0):
		c.t.Fatalf("after %v: outcome %v with %d moves", played, now.outcome, len(now.moves))
	case over != (now.reason != game.NoReason):
		c.t.Fatalf("after %v: outcome %v for the reason %q", played, now.outcome, now.reason)
	case over && len(now.wins) > 0:
		c.t.Fatalf("after %v: the game is over and Wins gives %v", played, now.wins)
	case len(now.moves) > c.bound || now.bound > c.bound:
		c.t.Fatalf("after %v: %d moves, MaxMoves %d, and MaxMoves was %d at the start", played, len(now.moves), now.bound,
			c.bound)
	}
	if was, ok := c.seen[now.hash]; ok && !was.alike(now) {
		c.t.Fatalf("after %v: hash %#x stands for two positions:\n%+v\n%+v", played, now.hash, was, now)
	}
	c.seen[now.hash] = now
	c.lists(pos, now, played)
	c.legal(pos, now, rng, played)
	c.try(pos, now, played)
	return now
}

// lists checks the order of Moves and Wins and what they do to a buffer.
func (c *checker) lists(pos game.Position, now state, played []game.Move) {
	c.t.Helper()
	for i := 1; i < len(now.moves); i++ {
		if now.moves[i-1] >= now.moves[i] {
			c.t.Fatalf("after %v: moves not ascending: %v", played, now.moves)
		}
	}
	if slices.Contains(now.moves, game.NoMove) {
		c.t.Fatalf("after %v: NoMove among the moves", played)
	}
	for _, l := range []struct {
		name string
		list func([]game.Move) []game.Move
		want []game.Move
	}{{"Moves", pos.Moves, now.moves}, {"Wins", pos.Wins, now.wins}} {
		got := l.list([]game.Move{game.NoMove})
		if got[0] != game.NoMove || !slices.Equal(got[1:], l.want) {
			c.t.Fatalf("after %v: %s did not append to its buffer: %v, want %v after the first", played, l.name, got, l.want)
		}
	}
}

// legal compares Legal and Moves: now and then over every Move value there
// is, else over the low ones, the neighbours of legal moves and a few more.
func (c *checker) legal(pos game.Position, now state, rng *rand.Rand, played []game.Move) {
	c.t.Helper()
	check := func(m game.Move) {
		if _, want := slices.BinarySearch(now.moves, m); pos.Legal(m) != want {
			c.t.Fatalf("after %v: Legal(%d) = %v, but Moves says %v", played, m, !want, want)
		}
	}
	check(game.NoMove)
	for m := range game.Move(lowMoves) {
		check(m)
	}
	for _, m := range now.moves {
		check(m - 1)
		check(m)
		check(m + 1)
	}
	if len(played) == 0 || rng.IntN(64) == 0 {
		for m := range game.NoMove {
			check(m)
		}
	}
	for range 32 {
		check(game.Move(rng.UintN(1 << 16)))
	}
}

// try plays and takes back every move.
func (c *checker) try(pos game.Position, now state, played []game.Move) {
	c.t.Helper()
	var wins []game.Move
	for i, m := range now.moves {
		pos.Play(m)
		if pos.Outcome() == game.WinFor(now.toMove) {
			wins = append(wins, m)
		}
		if pos.ToMove() == now.toMove || pos.Ply() != now.ply+1 || pos.Hash() == now.hash {
			c.t.Fatalf("after %v: move %d leaves side %v, ply %d, hash %#x; it was %v, %d, %#x",
				played, m, pos.ToMove(), pos.Ply(), pos.Hash(), now.toMove, now.ply, now.hash)
		}
		pos.Undo()
		// The lists are read for a few moves only; their upkeep is checked
		// again as games are unwound.
		if pos.Hash() != now.hash || pos.Ply() != now.ply || i%16 == 0 && !observe(pos).equal(now) {
			c.t.Fatalf("after %v: move %d and its undo leave\n%+v, want\n%+v", played, m, observe(pos), now)
		}
	}
	if !slices.Equal(wins, now.wins) {
		c.t.Fatalf("after %v: Wins gives %v, but play gives %v", played, now.wins, wins)
	}
	if !observe(pos).equal(now) {
		c.t.Fatalf("after %v: playing and undoing every move leaves\n%+v, want\n%+v", played, observe(pos), now)
	}
	c.trials += len(now.moves)
}

// clone checks that a clone of pos is equal, independent, and takes its
// history along.
func (c *checker) clone(pos game.Position, states []state, played []game.Move) {
	c.t.Helper()
	now := states[len(played)]
	twin := pos.Clone()
	if got := observe(twin); !got.equal(now) {
		c.t.Fatalf("after %v: a clone is\n%+v, want\n%+v", played, got, now)
	}
	if len(now.moves) > 0 {
		m := now.moves[len(now.moves)/2]
		twin.Play(m)
		if got := observe(pos); !got.equal(now) {
			c.t.Fatalf("after %v: move %d on a clone changes the original to\n%+v, want\n%+v", played, m, got, now)
		}
		twin.Undo()
	}
	c.unwind(twin, states, played)
	if got := observe(pos); !got.equal(now) {
		c.t.Fatalf("after %v: undoing a clone changes the original to\n%+v, want\n%+v", played, got, now)
	}
}

// replay plays the game again on a new position without asking anything
// between the moves.
func (c *checker) replay(states []state, played []game.Move) {
	c.t.Helper()
	pos := c.newPos()
	for _, m := range played {
		pos.Play(m)
	}
	if got, want := observe(pos), states[len(played)]; !got.equal(want) {
		c.t.Fatalf("replaying %v gives\n%+v, want\n%+v", played, got, want)
	}
}

// unwind takes pos back to the start through every state of its game.
func (c *checker) unwind(pos game.Position, states []state, played []game.Move) {
	c.t.Helper()
	for n := len(played) - 1; n >= 0; n-- {
		pos.Undo()
		if got := observe(pos); !got.equal(states[n]) {
			c.t.Fatalf("undoing the last of %v leaves\n%+v, want\n%+v", played[:n+1], got, states[n])
		}
	}
}

// allocations plays and undoes the game on pos, which has seen it before and
// stands at the start.
func (c *checker) allocations(pos game.Position, played []game.Move) {
	c.t.Helper()
	buf := make([]game.Move, 0, c.bound)
	n := testing.AllocsPerRun(2, func() {
		for _, m := range played {
			buf = pos.Moves(buf[:0])
			buf = pos.Wins(buf[:0])
			pos.Play(m)
		}
		for range played {
			pos.Undo()
		}
	})
	if n != 0 {
		c.t.Fatalf("playing and undoing %d moves allocates %v times", len(played), n)
	}
}
