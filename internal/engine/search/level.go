package search

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
)

// Level is a strength of play. Its budget is in nodes, so that a level plays
// alike on every machine.
type Level struct {
	Name  string
	Nodes int64 // of a move; 0 in the zero Level only

	// The weaker levels search several moves and play a random one of the best
	// Lines that is at most Margin worse than the first.
	Lines  int
	Margin alphabeta.Score

	// Of a hundred moves so many are any of the Lines, whatever they are worth, unless the
	// first of them wins at once. A level that slips has no solver.
	Slips int
}

// levels are the strengths of play, weakest first.
var levels = []Level{
	{Name: "beginner", Nodes: 100, Lines: 60, Margin: 400, Slips: 98},
	{Name: "easy", Nodes: 200, Lines: 3, Margin: 50},
	{Name: "medium", Nodes: 1_500, Lines: 1},
	{Name: "hard", Nodes: 20_000, Lines: 1},
	{Name: "max", Nodes: 300_000, Lines: 1},
}

// elo are the strengths of the levels by the name of a game, measured in its usual rule set
// by matches of neighbours; the weakest level has 0. See docs/strength.md.
var elo = map[string]map[string]int{
	"gomoku":  {"beginner": 0, "easy": 1136, "medium": 1772, "hard": 2303, "max": 2727},
	"onitama": {"beginner": 0, "easy": 1042, "medium": 1646, "hard": 2177, "max": 2574},
}

// Elo returns the strength of the level in the game of that name, where it was measured: the
// weakest level has 0, and 100 more are a score of 64 percent.
func (l Level) Elo(name string) (rating int, measured bool) {
	rating, measured = elo[name][l.Name]
	return rating, measured
}

// LevelNames returns the names of the levels, weakest first.
func LevelNames() []string {
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = l.Name
	}
	return names
}

// ParseLevel returns the level of that name.
func ParseLevel(name string) (Level, error) {
	for _, l := range levels {
		if l.Name == name {
			return l, nil
		}
	}
	return Level{}, fmt.Errorf("unknown level %q: want one of %s", name, strings.Join(LevelNames(), ", "))
}

// choose returns the first move of one of the lines, of which there is at
// least one. Unless it slips it takes a claimed win, and avoids a claimed loss if it can.
func (l Level) choose(lines []alphabeta.Line, seed uint64, ply int) game.Move {
	best := lines[0]
	rng := rand.New(rand.NewPCG(seed, uint64(ply)))
	if l.Slips > 0 && best.Score != alphabeta.WinIn(1) && rng.IntN(100) < l.Slips {
		return lines[rng.IntN(len(lines))].Moves[0]
	}
	if _, claimed := best.Score.Claim(); claimed || l.Margin == 0 {
		return best.Moves[0]
	}
	near := 1
	for near < len(lines) && lines[near].Score >= best.Score-l.Margin {
		near++
	}
	return lines[rng.IntN(near)].Moves[0]
}
