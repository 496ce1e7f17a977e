package players

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/option"
)

// PlayerSpec is a player of matches as its description asks for it: every option
// is read and in its range. [ParsePlayer] makes it; no network of a tree search is
// opened before [Players.Entrant].
type PlayerSpec struct {
	Spec

	setup playerSetup
}

// playerSetup is what the options of one kind of player say.
type playerSetup interface {
	// prepare opens what the player needs in every game, and returns what makes
	// one.
	prepare(p *Players) (func(context.Context) (arena.Player, error), error)

	// parts returns the files that the player plays by.
	parts(p *Players) ([]arena.Part, error)

	// addMemory adds what such players of so many workers may take in games of a
	// variant, the networks' results aside.
	addMemory(m *option.Memory, v games.Variant, workers int)

	// argument returns the option that a key names and what the description says
	// of it, or its default; nil if there is none.
	argument(key string) (o option.Option, text string)

	// repeatable returns an error that names the option by which the player's moves
	// are no function of the game's seed and moves.
	repeatable() error
}

// ParsePlayer reads the options of a player's description. Its errors are one
// line that names the option at fault.
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

// What matches take beside searches, in bytes: estimates from above, to refuse in time
// what no machine has.
const (
	workerBytes  = 1 << 20  // of a game under way
	foreignBytes = 64 << 20 // of another program, at least
)

// CheckPlayers returns an error if all that the players of so many workers
// take in a match is more than the machine has: tables, trees, threads, and a
// cache of cacheMiB for each network. The error has the options "workers" and "cache"
// as name names them.
func CheckPlayers(v games.Variant, specs []PlayerSpec, workers, cacheMiB int, name option.Naming) error {
	var m option.Memory
	m.Add(fmt.Sprintf("%s %d", name.Of("workers"), workers), workerBytes, workers)
	models := map[string]bool{}
	for _, spec := range specs {
		spec.setup.addMemory(&m, v, workers)
		if model, asks := spec.model(); asks {
			models[model] = true
		}
	}
	m.Add(fmt.Sprintf("%s %d", name.Of("cache"), cacheMiB), int64(cacheMiB)<<20, len(models))
	return m.Check(option.Machine())
}

// model returns the network that a player asks for, "" for the shipped one, if it
// asks for any.
func (s PlayerSpec) model() (name string, asks bool) {
	if t, ok := s.setup.(*treeSetup); ok {
		return t.model, true
	}
	return "", false
}
