package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/option"
)

// number is an integer of a configuration with its range.
type number struct {
	key   string
	value int
	of    option.Int
}

// fraction is a floating-point number of a configuration with its range.
type fraction struct {
	key   string
	value float64
	of    option.Float
}

// Ranges of the settings that only a loop has.
var (
	roundsRange    = option.Int{Key: "rounds", Min: 1, Max: 1_000_000}
	countRange     = option.Int{Key: "count", Min: 0, Max: 1_000_000_000}
	workersRange   = option.Workers.ZeroMeans("as many as there are cores")
	toleranceRange = option.Int{Key: "tolerance", Min: 0, Max: 1_000_000}
	sigmasRange    = option.Float{Key: "sigmas", Min: 0, Max: 10}
)

// Check returns a [KeyError] for the first invalid value. It does not check the names
// of games and players, which only the Host knows.
func (c *Config) Check() error {
	numbers := []number{
		{"rounds", c.Rounds, roundsRange},
		{"patience", c.Patience, countRange},
		{"workers", c.Workers, workersRange},
		{"at_once", c.AtOnce, option.AtOnce},
		{"cache_mib", c.Cache, option.Cache},
		{"trainer.window", c.Trainer.Window, countRange},
	}
	if err := checkNumbers(numbers, nil); err != nil {
		return err
	}
	if c.Start == "" {
		return keyErrorf("start", "want %s, the name of a shipped network, or a file", Uniform)
	}
	if len(c.Games) == 0 {
		return keyErrorf("games", "want at least one table [[games]]")
	}
	for i := range c.Games {
		if err := c.Games[i].check(fmt.Sprintf("games[%d].", i+1)); err != nil {
			return err
		}
	}
	if err := c.checkRounds(); err != nil {
		return err
	}
	if err := c.Trainer.check(); err != nil {
		return err
	}
	if err := c.Gate.check(); err != nil {
		return err
	}
	g, boards := &c.Gate, len(c.MatchBoards())
	if least := g.Batch * boards; g.Games > 0 && g.Games < least {
		return keyErrorf("gate.games", "%d: want at least gate.batch on each of %d boards, %d, or 0 for no match", g.Games, boards, least)
	}
	return nil
}

// checkRounds refuses a loop with a round that has no games.
func (c *Config) checkRounds() error {
	for round := 1; round <= c.Rounds; round++ {
		if len(c.tables(round)) == 0 {
			return keyErrorf("games", "round %d has no table: see from and until", round)
		}
		if c.openEnded(round) {
			return nil
		}
	}
	return nil
}

// openEnded reports whether some table is in a round and in all later ones.
func (c *Config) openEnded(round int) bool {
	for i := range c.Games {
		if g := &c.Games[i]; g.From <= round && g.Until == 0 {
			return true
		}
	}
	return false
}

// mostHours bounds what a trainer may take.
const mostHours = 1000

func (t *Trainer) check() error {
	for _, c := range []struct {
		key   string
		words []string
		must  bool
	}{
		{"trainer.train", t.Train, true}, {"trainer.resume", t.Resume, false}, {"trainer.export", t.Export, false},
	} {
		if len(c.words) == 0 && c.must {
			return keyErrorf(c.key, "want a command: a list of words")
		}
		if err := checkCommand(c.words); err != nil {
			return &KeyError{c.key, err}
		}
	}
	if !slices.Contains(kinds, t.Network) {
		return keyErrorf("trainer.network", "%q: want \"%s\"", t.Network, strings.Join(kinds, `" or "`))
	}
	for _, name := range []struct{ key, value string }{{"trainer.checkpoint", t.Checkpoint}, {"trainer.metrics", t.Metrics}} {
		if err := checkInside(name.value); err != nil {
			return &KeyError{name.key, err}
		}
	}
	if limit := time.Duration(t.Limit); limit <= 0 || limit > mostHours*time.Hour {
		return keyErrorf("trainer.limit", "%v: want a time, as in 90m, of at most %dh", limit, mostHours)
	}
	return nil
}

func (g *Gate) check() error {
	numbers := []number{
		{"gate.games", g.Games, countRange},
		{"gate.batch", g.Batch, option.Int{Key: "batch", Min: 2, Max: 100_000}},
		{"gate.playouts", g.Playouts, option.Playouts},
		{"gate.tactics.playouts", g.Tactics.Playouts, option.Playouts.ZeroMeans("leave the suite out")},
		{"gate.tactics.problems", g.Tactics.Problems, countRange},
		{"gate.tactics.solver", g.Tactics.Solver, option.SolverNodes},
		{"gate.tactics.tolerance", g.Tactics.Tolerance, toleranceRange},
		{"gate.crosscheck.positions", g.CrossCheck.Positions, countRange},
	}
	for i, f := range g.Boards {
		numbers = append(numbers, number{fmt.Sprintf("gate.boards[%d].opening_plies", i+1), f.OpeningPlies, option.OpeningPlies})
	}
	fractions := []fraction{
		{"gate.elo0", g.Elo0, option.EloDifference},
		{"gate.elo1", g.Elo1, option.EloDifference},
		{"gate.crosscheck.sigmas", g.CrossCheck.Sigmas, sigmasRange},
	}
	if err := checkNumbers(numbers, fractions); err != nil {
		return err
	}
	switch {
	case g.Batch%2 == 1:
		return keyErrorf("gate.batch", "%d: want an even number, since two games share an opening", g.Batch)
	case g.First != ByMatch && g.First != WithNothing:
		return keyErrorf("gate.first", "%q: want %q or %q", g.First, ByMatch, WithNothing)
	case !(g.Elo0 < g.Elo1):
		return keyErrorf("gate.elo1", "%g: want more than gate.elo0, %g", g.Elo1, g.Elo0)
	}
	return nil
}

// test returns the gate's sequential test.
func (g *Gate) test() arena.SPRT { return arena.SPRT{Elo0: g.Elo0, Elo1: g.Elo1} }

func checkNumbers(numbers []number, fractions []fraction) error {
	for _, n := range numbers {
		if err := n.of.Holds(int64(n.value)); err != nil {
			return keyErrorf(n.key, "%d: %w", n.value, err)
		}
	}
	for _, f := range fractions {
		if err := f.of.Check(fmt.Sprint(f.value)); err != nil {
			return keyErrorf(f.key, "%g: %w", f.value, err)
		}
	}
	return nil
}
