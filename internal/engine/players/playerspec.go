package players

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/option"
)

// PlayerSpec is a checked description of a player: every option is in its range.
// [ParsePlayer] makes it; the network of a tree search is opened only by [Players.Entrant].
type PlayerSpec struct {
	Spec

	setup playerSetup
}

// playerSetup holds the options of one kind of player.
type playerSetup interface {
	// prepare loads what the player needs in every game, and returns a function that makes
	// a player.
	prepare(p *Players) (func(context.Context) (arena.Player, error), error)

	// parts returns the files that the player uses.
	parts(p *Players) ([]arena.Part, error)

	// addMemory adds the most memory that this player takes with the given number of
	// workers, without the networks' caches.
	addMemory(m *option.Memory, v games.Variant, workers int)

	// argument returns the option with a key and its value or default; nil if there is
	// none.
	argument(key string) (o option.Option, text string)

	// in returns the same player with the techniques that a variant's game has where none
	// are set.
	in(v games.Variant) playerSetup

	// repeatable returns an error that names the option, if any, that makes moves depend on
	// more than the game's seed and moves.
	repeatable() error
}

// ParsePlayer reads the options of a player's description. Its errors are one line that
// names the option in error.
func ParsePlayer(spec Spec) (PlayerSpec, error) {
	s := PlayerSpec{Spec: spec}
	var err error
	switch spec.Kind {
	case MCTS:
		s.setup, err = parseTree(spec)
	case AlphaBeta:
		s.setup, err = parseClassical(spec)
	case Exec:
		s.setup, err = parseExec(spec)
	}
	if err != nil {
		return s, fmt.Errorf("player %q: %w", spec, err)
	}
	return s, nil
}

// Memory of matches besides searches, in bytes: upper estimates, to reject early what does
// not fit.
const (
	workerBytes  = 1 << 20  // of a game in progress
	foreignBytes = 64 << 20 // of another program, at least
)

// CheckPlayers returns an error if a match would take more memory or threads than the
// machine has: tables, trees, threads, and a cache of cacheMiB for each network. The
// error has the options "workers" and "cache" as name names them.
func CheckPlayers(v games.Variant, specs []PlayerSpec, workers, cacheMiB int, name option.Naming) error {
	var m option.Memory
	m.Add(fmt.Sprintf("%s %d", name.FlagName("workers"), workers), workerBytes, workers)
	models := map[string]bool{}
	for _, spec := range specs {
		spec.setup.addMemory(&m, v, workers)
		if model, asks := spec.Model(); asks {
			models[model] = true
		}
	}
	m.Add(fmt.Sprintf("%s %d", name.FlagName("cache"), cacheMiB), int64(cacheMiB)<<20, len(models))
	return m.Check(option.Machine())
}

// Model returns the network that a player uses, "" for the shipped one; asks is false if it
// uses none.
func (s PlayerSpec) Model() (name string, asks bool) {
	if setup, ok := s.setup.(*treeSetup); ok {
		return setup.model, true
	}
	return "", false
}
