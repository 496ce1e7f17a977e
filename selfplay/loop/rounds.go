package loop

import (
	"fmt"
	"path/filepath"

	"github.com/carozero/carozero/selfplay/samples"
)

// table is a table of games in a round.
type table struct {
	index int // in Config.Games
	*Games
}

// name is the name of its run of samples.
func (t table) name() string { return fmt.Sprintf("%02d-%s-%d", t.index+1, t.label(), t.Size) }

func (t table) label() string {
	if t.Rule == "" {
		return t.Game
	}
	return t.Rule
}

// tables returns the tables of a round, from 1.
func (c *Config) tables(round int) []table {
	var list []table
	for i := range c.Games {
		if g := &c.Games[i]; g.From <= round && (g.Until == 0 || round <= g.Until) {
			list = append(list, table{i, g})
		}
	}
	return list
}

// MatchBoards returns the boards of the gate's match.
func (c *Config) MatchBoards() []MatchBoard {
	if len(c.Gate.Boards) > 0 {
		return c.Gate.Boards
	}
	var list []MatchBoard
	seen := map[Board]bool{}
	for _, g := range c.Games {
		if !seen[g.Board] {
			seen[g.Board] = true
			list = append(list, MatchBoard{Board: g.Board, OpeningPlies: defaultOpening})
		}
	}
	return list
}

// defaultOpening is the number of random moves that games of the gate begin with if
// the configuration says nothing else.
const defaultOpening = 4

// Purposes for which seeds are derived.
const (
	seedGames = iota + 1
	seedTrainer
	seedMatch
	seedCrossCheck
)

// seed derives a seed from the loop's, by the round, the purpose and a number.
func (c *Config) seed(round, purpose, number int) uint64 {
	s := samples.GameSeed(c.Seed, uint64(round))
	return samples.GameSeed(s, uint64(purpose)<<32+uint64(number))
}

// roundDir returns the directory of a round.
func roundDir(dir string, round int) string {
	return filepath.Join(dir, fmt.Sprintf("round-%04d", round))
}
