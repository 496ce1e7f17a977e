package loop

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/option"
)

// mostConfig bounds a configuration's file, in bytes.
const mostConfig = 1 << 20

// KeyError is an error about one key of a configuration, as in games[1].size.
// Tables of a list are counted from 1.
type KeyError struct {
	Key string
	Err error
}

func (e *KeyError) Error() string { return e.Key + ": " + e.Err.Error() }
func (e *KeyError) Unwrap() error { return e.Err }

// keyErrorf returns a KeyError.
func keyErrorf(key, format string, args ...any) error {
	return &KeyError{key, fmt.Errorf(format, args...)}
}

// File is the text of a configuration.
type File struct {
	Name string
	Text []byte
}

// At adds the file's name to an error.
func (f *File) At(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

// Parse reads a configuration. Errors name the file by name, and the unknown key or the key
// with the invalid value.
func Parse(name string, text []byte) (Config, *File, error) {
	file := &File{Name: name, Text: text}
	c := DefaultConfig()
	if len(text) > mostConfig {
		return c, file, fmt.Errorf("%s: %d bytes: a configuration has at most %d", name, len(text), mostConfig)
	}
	document := struct {
		Config
		Tables []map[string]any `toml:"games"`
	}{Config: c}
	decoder := toml.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		return c, file, decodeError(name, err)
	}
	c = document.Config
	var given struct {
		Gate struct {
			Boards []map[string]any `toml:"boards"`
		} `toml:"gate"`
	}
	if err := toml.Unmarshal(text, &given); err != nil {
		return c, file, decodeError(name, err)
	}
	for i, board := range given.Gate.Boards {
		if _, told := board["opening_plies"]; !told {
			c.Gate.Boards[i].OpeningPlies = defaultOpening
		}
	}
	var err error
	if c.Games, err = readGames(document.Tables); err == nil {
		err = c.Check()
	}
	return c, file, file.At(err)
}

// errNoKey is the error for a key that no configuration has.
var errNoKey = errors.New("there is no such key; `carozero loop config` prints all keys")

// decodeError returns the library's first error on one line.
func decodeError(name string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		first := &unknown.Errors[0]
		line, _ := first.Position()
		return fmt.Errorf("%s:%d: %s: %w", name, line, strings.Join(first.Key(), "."), errNoKey)
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		key := strings.Join(wrong.Key(), ".")
		if key != "" {
			key += ": "
		}
		text := strings.TrimPrefix(wrong.Error(), "toml: ")
		if strings.HasPrefix(text, "cannot ") { // names types of Go
			text = "want another kind of value; `carozero loop config` prints all keys with values"
		}
		return fmt.Errorf("%s:%d: %s%s", name, line, key, text)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// roundsRange is the range of numbers of rounds.
var roundsRange = option.Int{Key: "rounds", Min: 1, Max: 1_000_000}

// settings are the numbers of a configuration with their ranges, outside of lists.
var settings = func() []option.Setting[Config] {
	count := option.Int{Min: 0, Max: 1_000_000_000}
	return []option.Setting[Config]{
		option.NumVar(roundsRange, func(c *Config) *int { return &c.Rounds }),
		option.NumVar(count.Named("patience"), func(c *Config) *int { return &c.Patience }),
		option.NumVar(option.Workers.ZeroMeans("as many as there are cores"), func(c *Config) *int { return &c.Workers }),
		option.NumVar(option.AtOnce, func(c *Config) *int { return &c.AtOnce }),
		option.NumVar(option.Cache.Named("cache_mib"), func(c *Config) *int { return &c.Cache }),
		option.NumVar(count.Named("trainer.window"), func(c *Config) *int { return &c.Trainer.Window }),
		option.NumVar(count.Named("gate.games"), func(c *Config) *int { return &c.Gate.Games }),
		option.NumVar(option.Int{Key: "gate.batch", Min: 2, Max: 100_000}, func(c *Config) *int { return &c.Gate.Batch }),
		option.NumVar(option.Playouts.Named("gate.playouts"), func(c *Config) *int { return &c.Gate.Playouts }),
		option.NumVar(option.EloDifference.Named("gate.elo0"), func(c *Config) *float64 { return &c.Gate.Elo0 }),
		option.NumVar(option.EloDifference.Named("gate.elo1"), func(c *Config) *float64 { return &c.Gate.Elo1 }),
		option.NumVar(option.Playouts.Named("gate.tactics.playouts").ZeroMeans("leave the suite out"),
			func(c *Config) *int { return &c.Gate.Tactics.Playouts }),
		option.NumVar(count.Named("gate.tactics.problems"), func(c *Config) *int { return &c.Gate.Tactics.Problems }),
		option.NumVar(option.SolverNodes.Named("gate.tactics.solver"),
			func(c *Config) *int { return &c.Gate.Tactics.Solver }),
		option.NumVar(option.Int{Key: "gate.tactics.tolerance", Max: 1_000_000},
			func(c *Config) *int { return &c.Gate.Tactics.Tolerance }),
		option.NumVar(count.Named("gate.crosscheck.positions"), func(c *Config) *int { return &c.Gate.CrossCheck.Positions }),
		option.NumVar(option.Float{Key: "gate.crosscheck.sigmas", Max: 10},
			func(c *Config) *float64 { return &c.Gate.CrossCheck.Sigmas }),
	}
}()

// Check returns a [KeyError] for the first invalid value. It does not check the names
// of games and players, which only the Host knows.
func (c *Config) Check() error {
	if err := checkSettings("", settings, c); err != nil {
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
	for _, check := range []func() error{c.checkRounds, c.Trainer.check, c.Gate.check} {
		if err := check(); err != nil {
			return err
		}
	}
	g, boards := &c.Gate, len(c.MatchBoards())
	if least := g.Batch * boards; g.Games > 0 && g.Games < least {
		return keyErrorf("gate.games", "%d: want at least gate.batch on each of %d boards, %d, or 0 for no match", g.Games,
			boards, least)
	}
	return nil
}

// checkRounds refuses a loop with a round that has no games.
func (c *Config) checkRounds() error {
	for round := 1; round <= c.Rounds; round++ {
		tables := c.tables(round)
		if len(tables) == 0 {
			return keyErrorf("games", "round %d has no table: see from and until", round)
		}
		if slices.ContainsFunc(tables, func(t table) bool { return t.Until == 0 }) {
			return nil
		}
	}
	return nil
}

// mostHours bounds what a trainer may take.
const mostHours = 1000

func (t *Trainer) check() error {
	if len(t.Train) == 0 {
		return keyErrorf("trainer.train", "want a command: a list of words")
	}
	for _, c := range t.commands() {
		if err := checkCommand(c.words); err != nil {
			return &KeyError{c.key, err}
		}
	}
	if !slices.Contains(kinds, t.Network) {
		return keyErrorf("trainer.network", "%q: want \"%s\"", t.Network, strings.Join(kinds, `" or "`))
	}
	for key, name := range map[string]string{"trainer.checkpoint": t.Checkpoint, "trainer.metrics": t.Metrics} {
		if name != "" && !filepath.IsLocal(name) {
			return keyErrorf(key, "%q: want the name of a file within {out}", name)
		}
	}
	if limit := time.Duration(t.Limit); limit <= 0 || limit > mostHours*time.Hour {
		return keyErrorf("trainer.limit", "%v: want a time, as in 90m, of at most %dh", limit, mostHours)
	}
	return nil
}

func (g *Gate) check() error {
	for i, b := range g.Boards {
		if err := option.OpeningPlies.Holds(int64(b.OpeningPlies)); err != nil {
			return keyErrorf(fmt.Sprintf("gate.boards[%d].opening_plies", i+1), "%d: %w", b.OpeningPlies, err)
		}
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
